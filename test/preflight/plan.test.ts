import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../support/org.ts';

async function withOrg(use: (org: TestOrg) => Promise<void> | void): Promise<void> {
  const org = makeOrg();
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

const changesIn = async (org: TestOrg): Promise<unknown> =>
  JSON.parse((await org.orgrepo('plan', '--json')).stdout).changes;

test('before the first run everything is new; afterwards nothing is, until a person changes something', async () => {
  await withOrg(async (org) => {
    const first = await org.orgrepo('plan', '--exit-code');
    assert.equal(first.code, 10, first.stderr);
    assert.match(first.stdout, /^Plan for \S+ · nothing has run yet$/m);
    assert.match(first.stdout, /^ {2}Agents {5}\+ chief {11}search agent, no model · writes specs$/m);
    assert.match(first.stdout, /^ {2}Harness {4}\+ harness {9}pinned at [0-9a-f]{7}, 2 files$/m);
    assert.match(first.stdout, /^ {2}Starts at {2}loss 126 \(the trunk, measured just now/m);
    assert.match(first.stdout, /^4 to add, 0 to change, 0 to remove\. {3}Start it: orgrepo run$/m);
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main', 'a plan writes nothing');

    assert.equal((await org.orgrepo('run', '--max', '3')).code, 0);
    const second = await org.orgrepo('plan', '--exit-code');
    assert.equal(second.code, 0, second.stdout);
    assert.match(second.stdout, /last run \d{4}-\d\d-\d\d/);
    assert.match(second.stdout, /the best so far/);
    assert.match(second.stdout, /^Nothing has changed since the last run\./m);

    org.write('program.md', briefText({ juniors: '2', min_effect: '0.5' }));
    org.write('harness/score.sh', `# slower\n${org.git('show', 'main:harness/score.sh')}`);
    org.commit('another night');
    const id = (name: string): string => org.git('rev-parse', name).trim();
    assert.deepEqual(await changesIn(org), [
      { kind: 'add', what: 'agents.junior-2', to: 'search' },
      { kind: 'change', what: 'harness', from: id('main~1:harness'), to: id('main:harness') },
      { kind: 'change', what: 'brief', from: id('main~1:program.md'), to: id('main:program.md') },
      { kind: 'change', what: 'min_effect', from: '0', to: '0.5' },
    ]);
    assert.equal((await org.orgrepo('plan', '--exit-code')).code, 10);
  });
});

test('plan --json is the org as it would work', async () => {
  await withOrg(async (org) => {
    const plan = JSON.parse((await org.orgrepo('plan', '--json', '--no-measure')).stdout);
    assert.equal(plan.schema, 'orgrepo/plan@1');
    assert.deepEqual(plan.org.agents, [
      { id: 'chief', name: 'chief', level: 'chief', agent: 'search', domain: ['specs/**'] },
      {
        id: 'junior-1',
        name: 'junior-1',
        level: 'junior',
        reports_to: 'chief',
        agent: 'search',
        domain: ['sandbox/**'],
      },
    ]);
    assert.deepEqual(plan.org.budget, {
      experiment_seconds: 10,
      agent_seconds: 10,
      night_seconds: 3600,
      attempts: 5,
      patience: 1000,
    });
    assert.equal(plan.brief.stages, 2);
    assert.equal('start' in plan, false, 'not measured is not known');
    assert.deepEqual(
      plan.warnings.map(({ file, line }: { file: string; line: number }) => `${file}:${line}`),
      ['program.md:6'],
      'nothing is held out',
    );
  });
});

test('a plan of what cannot be read is an error with its place, and nothing else on stdout', async () => {
  await withOrg(async (org) => {
    org.write('program.md', briefText({ slotz: '1' }));
    org.commit('broken');
    const ran = await org.orgrepo('plan', '--json');
    assert.equal(ran.code, 6);
    const { error } = JSON.parse(ran.stdout);
    assert.deepEqual(
      [error.code, error.file, error.line, error.hint],
      ['brief/key', 'program.md', 12, 'Did you mean slots?'],
    );
  });
});

test('a plan starts where a run would: at the best so far, also on a new trunk, and warns where the two do not go together', async () => {
  const agent = scriptAgent([say('echo "loss: 4"')]).brief;
  const org = obedientOrg(agent);
  try {
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
    org.write('notes.txt', 'nothing to do with it\n');
    org.commit('notes');
    const refs = org.git('for-each-ref');
    const onNew = await org.orgrepo('plan');
    assert.match(
      onNew.stdout,
      /^ {2}Starts at {2}loss 4 \(the best so far, measured again on the new trunk just now in /m,
    );
    org.write('sandbox/program', 'echo "loss: 6"\n');
    org.commit('my own idea');
    const apart = await org.orgrepo('plan');
    assert.equal(apart.code, 0, apart.stderr);
    assert.match(apart.stdout, /^ {2}Starts at {2}not measured$/m);
    assert.match(
      apart.stdout.replaceAll(/\s+/g, ' '),
      /warn the trunk and orgrepo\/best both changed sandbox\/program/,
    );
    assert.match(apart.stdout, /fix: Merge them yourself: git merge orgrepo\/best\. Or start over/);
    assert.equal(
      org.git('for-each-ref'),
      refs.replace(/\S+(?= commit\trefs\/heads\/main)/, org.git('rev-parse', 'main').trim()),
    );
  } finally {
    org.remove();
  }
});

test('plan shows caps of every kind, also on requests', async () => {
  await withOrg(async (org) => {
    org.write(
      'program.md',
      briefText({ caps: '{ call: { request: 400k }, attempt: { usd: 1 }, day: { tokens_in: 2M } }' }),
    );
    org.commit('caps');
    const { stdout } = await org.orgrepo('plan', '--no-measure');
    const said = stdout.replaceAll(/\s+/g, ' ');
    assert.match(said, /progress · requests up to 400k bytes · \$1 per attempt · 2M tokens in per day /);
  });
});

test('plan warns of an uncommitted brief, which it does not show', async () => {
  await withOrg(async (org) => {
    org.write('program.md', briefText({ juniors: '2' }));
    const { stdout } = await org.orgrepo('plan', '--no-measure');
    assert.match(stdout, /^ {2}warn {2}not committed, so not part of this run: program\.md\n {8}fix: Commit it/m);
    const { warnings } = JSON.parse((await org.orgrepo('plan', '--no-measure', '--json')).stdout);
    assert.match(warnings[0].message, /program\.md/);
    org.commit('two juniors');
    assert.doesNotMatch((await org.orgrepo('plan', '--no-measure')).stdout, /not committed/);
  });
});

test('a sandbox without a file is named with its line, in plan, doctor and run', async () => {
  await withOrg(async (org) => {
    org.write('program.md', briefText({ sandbox: '[sandbx/**]' }));
    org.commit('a slip');
    const what = /program\.md:4:\d+: sandbox names no file of the last commit \(sandbx\/\*\*\)/;
    for (const verb of ['plan', 'run']) {
      const ran = await org.orgrepo(verb);
      assert.deepEqual([ran.code, what.test(ran.stderr)], [6, true], ran.stderr);
    }
    const doctor = await org.orgrepo('doctor');
    assert.match(doctor.stdout, what);
    assert.match(
      doctor.stdout,
      /sandbox names sandbx\/\*\*, and there is no such file[^\n]*\n {10}fix: Did you mean sandbox\/\*\*\?/,
    );
  });
});

test('one pattern of the sandbox without a file is a warning', async () => {
  await withOrg(async (org) => {
    org.write('program.md', briefText({ sandbox: '[sandbox/**, new/**]', holdout: '[harness/score.sh]' }));
    org.commit('agents may add files');
    assert.match(
      (await org.orgrepo('plan')).stdout,
      /sandbox names new\/\*\*[^\n]*\n *fix: Agents can only add files there/,
    );
    assert.equal((await org.orgrepo('doctor')).stderr, '0 failed, 2 warnings\n', 'with that of a run without a jail');
    org.write('program.md', briefText({ holdout: '[harness/score.sh]' }));
    org.commit('one warning less');
    assert.equal((await org.orgrepo('doctor')).stderr, '0 failed, 1 warning\n');
  });
});
