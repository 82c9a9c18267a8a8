import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { test } from 'node:test';
import { assertFound, type Bad } from '../support/bad.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

/** What is wrong with a brief as it is written, and with what it says of the starting point. */

const score = (text: string): Record<string, string> => ({ 'harness/score.sh': text });

const cases: readonly Bad[] = [
  {
    name: 'a script that is not there',
    brief: { score: 'sh harness/scroe.sh' },
    at: 'score',
    words: /score starts harness\/scroe\.sh, and there is no such file in the last commit/,
    hint: /Did you mean harness\/score\.sh\?/,
  },
  {
    name: "an agent's script that is not there",
    brief: { agent: '{ command: "sh harness/agnet.sh" }' },
    at: 'agent',
    words: /agent starts harness\/agnet\.sh, and there is no such file in the last commit/,
    hint: /Write harness\/agnet\.sh and commit it, or change agent\./,
  },
  {
    name: "an agent's script that no bench has",
    brief: { agent: '{ command: "sh agent.sh" }' },
    files: { 'agent.sh': 'true\n' },
    at: 'agent',
    words: /agent starts agent\.sh, which is not there in an agent's bench/,
    hint: /add include: \[agent\.sh\]/,
  },
  {
    name: "an agent's program that is not installed",
    brief: { agent: '{ command: "no-such-agent --fast" }' },
    at: 'agent',
    words: /agent starts no-such-agent, and there is no no-such-agent on the PATH/,
    hint: /Install no-such-agent/,
  },
  {
    name: "an agent's program that is nowhere",
    brief: { agent: '', junior: '[{ agent: { command: "/no/such/agent" } }]' },
    at: 'junior',
    words: /agent starts \/no\/such\/agent, and there is no such file/,
    hint: /or change agent\./,
  },
  {
    name: "an agent's program that nobody may start",
    brief: { agent: '{ command: "/etc/passwd" }' },
    at: 'agent',
    words: /agent starts \/etc\/passwd, which cannot be executed/,
    hint: /make it executable/,
  },
  {
    name: 'a whole home that is shown',
    brief: { show: `[${homedir()}]` },
    at: 'show',
    words: /show names .*: a whole home is there/,
    hint: /Name only what a stage must read/,
  },
  {
    name: 'a harness that is not executable',
    brief: { run: './harness/run.sh' },
    at: 'run',
    words: /run starts harness\/run\.sh, which is not executable/,
    hint: /git update-index --chmod=\+x harness\/run\.sh/,
  },
  {
    name: 'a script that no zone holds',
    brief: { run: 'sh tools/run.sh' },
    files: { 'tools/run.sh': 'true\n' },
    at: 'run',
    words: /run starts tools\/run\.sh, which is not there when a candidate is measured/,
    hint: /include: \[tools\/run\.sh\]/,
  },
  {
    name: 'a first stage that is held out',
    brief: { holdout: '[harness/run.sh]' },
    at: 'run',
    words: /run starts harness\/run\.sh, which holdout keeps from the first stage/,
    hint: /Take it out of holdout/,
  },
  {
    name: 'a file to hold out that is not there',
    brief: { holdout: '[harness/score.sh, harness/answer.txt]' },
    files: { 'harness/answers.txt': '3\n' },
    at: 'holdout',
    words: /holdout names harness\/answer\.txt, and there is no such file in the last commit/,
    hint: /^Did you mean harness\/answers\.txt\?$/,
  },
  {
    name: 'a directory to hold out that is not there',
    brief: { holdout: '[harness/answer/**]' },
    files: { 'harness/answers/1.txt': '3\n' },
    at: 'holdout',
    words: /holdout names harness\/answer\/\*\*, and there is no such file/,
    hint: /^Did you mean harness\/answers\/\*\*\?$/,
  },
  {
    name: 'a pattern to hold out that matches nothing of the harness',
    brief: { holdout: '["**/*.csv"]' },
    files: { 'elsewhere/answers.csv': '3\n' },
    at: 'holdout',
    words: /holdout names \*\*\/\*\.csv, and there is no such file/,
    hint: /^Write it and commit it, or take it out of holdout\.$/,
  },
  {
    name: 'an include that is not there',
    brief: { include: '[pakage.json]' },
    files: { 'package.json': '{}\n' },
    at: 'include',
    words: /include names pakage\.json, and there is no such file in the last commit/,
    hint: /^Did you mean package\.json\?$/,
  },
  {
    name: 'a judge that lives in the sandbox',
    brief: { score: 'sh sandbox/score.sh' },
    files: { 'sandbox/score.sh': 'echo "loss: 1"\n' },
    at: 'score',
    words: /the second stage never sees/,
    hint: /Put it into harness/,
  },
  {
    name: 'a guard on a number that is not printed',
    brief: { guards: '{ line: "<= +40" }' },
    files: score('echo "loss: 4"; echo "lines: 7"\n'),
    at: 'guards',
    words: /a guard names line, which the harness does not print/,
    hint: /Did you mean lines/,
  },
  {
    name: 'no samples',
    brief: { samples: '0' },
    at: 'samples',
    words: /samples is 0, expected a whole number from 1 to 100/,
    hint: /samples: 3/,
  },
  {
    name: 'a target on the far side',
    brief: { target: '9900' },
    at: 'target',
    words: /the target 9900 is reached before anything is tried: loss starts at 126, and minimize means that lower/,
    hint: /the direction maximize, or write a target below 126/,
  },
];

for (const bad of cases) test(`${bad.name} is found by doctor, plan and run, by its line`, () => assertFound(bad));

async function withOrg(
  files: Readonly<Record<string, string>>,
  use: (org: TestOrg) => Promise<void> | void,
): Promise<void> {
  const org = makeOrg({ ...quadratic, ...files });
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

test('all that is wrong is told at once by doctor; plan says how much more there is', async () => {
  const guards = '{ a: "< 1", b: "< 2" }';
  await withOrg({ 'program.md': briefText({ guards, target: '9900' }) }, async (org) => {
    const fails = JSON.parse((await org.orgrepo('doctor', '--json')).stdout).findings.filter(
      ({ level }: { level: string }) => level === 'fail',
    );
    assert.equal(fails.length, 3);
    assert.match((await org.orgrepo('plan')).stderr, /2 more: orgrepo doctor/);
  });
});

test('a guard that is added later is checked although nothing need be measured for it', async () => {
  await withOrg({}, async (org) => {
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
    org.write('program.md', briefText({ guards: '{ lines: "<= +40" }' }));
    org.commit('a guard');
    const ran = await org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 6, ran.stdout);
    assert.match(ran.stderr, /program\.md:12:11: a guard names lines/);
  });
});

const heldOut = { holdout: '[harness/score.sh]' };

test('a target that the nights have reached is no contradiction: it is time for a new one', async () => {
  await withOrg({ 'program.md': briefText({ target: '100', ...heldOut }) }, async (org) => {
    assert.equal((await org.orgrepo('run', '--max', '60')).code, 0);
    assert.equal((await org.orgrepo('run', '--max', '5')).code, 0, 'it ends at once');
    const { warnings } = JSON.parse((await org.orgrepo('plan', '--json')).stdout);
    assert.equal(warnings.length, 1);
    assert.deepEqual([warnings[0].file, warnings[0].line], ['program.md', 12]);
    assert.match(warnings[0].message, /the target 100 is reached/);
  });
});

test('a target and words that contradict each other are refused in a plain brief too', async () => {
  const text = [
    '# Mission',
    'Make the loss small.',
    '## Scope',
    '- WRITE: /sandbox/',
    '## Success metric',
    '- scalar: loss = what is left, lower is better',
    '- target: >= 0.6',
  ].join('\n');
  await withOrg({ 'program.md': `${text}\n` }, async (org) => {
    const ran = await org.orgrepo('plan');
    assert.equal(ran.code, 6);
    assert.match(
      ran.stderr,
      /program\.md:7:1: the target says that higher is better, and the words beside it say minimize/,
    );
  });
});

test('a place that is shown and is not there is worth a warning; where the answers are is refused', async () => {
  await withOrg({ 'program.md': briefText({ show: '[/no/such/place]' }) }, async (org) => {
    const { warnings } = JSON.parse((await org.orgrepo('plan', '--json')).stdout);
    assert.match(warnings[0].message, /show names \/no\/such\/place, and there is no such place on this machine/);
    for (const place of [org.dir, `${org.dir}/.git/objects`, `${org.dir}/harness`]) {
      org.write('program.md', briefText({ show: `[${place}]` }));
      org.commit('shows too much');
      const ran = await org.orgrepo('run', '--max', '1');
      assert.equal(ran.code, 6, place);
      assert.match(ran.stderr, /program\.md:12:\d+: show names .*: the (harness|repository's history)/);
    }
  });
});

test('two stages that hold nothing out are worth a warning of doctor and plan, with what to hold out', async () => {
  await withOrg({}, async (org) => {
    const doctor = JSON.parse((await org.orgrepo('doctor', '--json')).stdout).findings;
    const warned = doctor.find(({ code }: { code?: string }) => code === 'brief/paths');
    assert.deepEqual([warned.file, warned.line], ['program.md', 6]);
    assert.match(warned.what, /there is no holdout: in stage 1 a candidate can read all of harness/);
    assert.match(warned.fix, /^Write holdout: \[harness\/score\.sh\] into the front matter/);
    for (const args of [['plan'], ['plan', '--no-measure']])
      assert.match(
        (await org.orgrepo(...args)).stdout,
        /warn {2}program\.md:6:\d+: there is no holdout/,
        args.join(' '),
      );
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
    assert.match((await org.orgrepo('plan')).stdout, /warn {2}program\.md:6:\d+: there is no holdout/);
    for (const [name, keys] of Object.entries({ 'one stage': { run: '' }, 'a holdout': heldOut })) {
      org.write('program.md', briefText(keys));
      org.commit(name);
      assert.deepEqual(JSON.parse((await org.orgrepo('plan', '--json', '--no-measure')).stdout).warnings, [], name);
    }
  });
});
