import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

/** What a night would stumble over is found by doctor, by plan and by run itself, each with the line of program.md. */

interface Bad {
  readonly name: string;
  readonly brief?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** The key of the brief whose line is to be named. */
  readonly at: string;
  readonly words: RegExp;
  readonly hint: RegExp;
}

const score = (text: string): Record<string, string> => ({ 'harness/score.sh': text });
const quick = '{ experiment: 300ms, agent: 10s, night: 1h, attempts: 5, patience: 1000 }';

const cases: readonly Bad[] = [
  {
    name: 'a script that is not there',
    brief: { score: 'sh harness/scroe.sh' },
    at: 'score',
    words: /score starts harness\/scroe\.sh, and there is no such file in the last commit/,
    hint: /Did you mean harness\/score\.sh\?/,
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
    name: 'a judge that lives in the sandbox',
    brief: { score: 'sh sandbox/score.sh' },
    files: { 'sandbox/score.sh': 'echo "loss: 1"\n' },
    at: 'score',
    words: /the second stage never sees/,
    hint: /Put it into harness/,
  },
  {
    name: 'a program that is not installed',
    brief: { score: 'no-such-program harness/score.sh' },
    at: 'score',
    words: /no score: score (ended with 127|could not be started)/,
    hint: /whether no-such-program is installed/,
  },
  {
    name: 'the metric on stderr',
    files: score('echo "loss: 4" >&2\n'),
    at: 'score',
    words: /printed no line "loss: number"/,
    hint: /prints loss on stderr/,
  },
  {
    name: 'the metric printed twice',
    files: score('echo "loss: 4"; echo "loss: 3"\n'),
    at: 'score',
    words: /printed loss 2 times \(4, 3\)/,
    hint: /Print it once/,
  },
  {
    name: 'the metric printed by the first stage',
    files: { 'harness/run.sh': 'echo "loss: 4"\n', ...score('true\n') },
    at: 'score',
    words: /printed no line "loss: number"/,
    hint: /Stage 1 \(run\) prints loss, and nobody reads that/,
  },
  {
    name: 'a first stage that leaves its result where the second does not look',
    files: { 'harness/run.sh': 'cp sandbox/numbers.txt result\n', ...score('cat result\n') },
    at: 'score',
    words: /no score: score ended with 1: cat: result: No such file/,
    hint: /what run makes for it must go to \$ORGREPO_OUT/,
  },
  {
    name: 'another name than the metric',
    files: score('echo "lost: 4"\n'),
    at: 'score',
    words: /printed no line "loss: number"/,
    hint: /It prints lost: is that the metric\?/,
  },
  {
    name: 'a harness that hangs',
    brief: { budget: quick },
    files: { 'harness/run.sh': 'sleep 60\n' },
    at: 'budget',
    words: /not done after 0\.\d s, and killed/,
    hint: /Give it more than budget\.experiment \(300ms\)/,
  },
  {
    name: 'a harness that needs the network',
    files: { 'harness/run.sh': 'echo "getaddrinfo ENOTFOUND example.invalid" >&2; exit 1\n' },
    at: 'run',
    words: /no score: run ended with 1: getaddrinfo ENOTFOUND/,
    hint: /needs the network, and a measurement must not/,
  },
  {
    name: 'a harness that writes outside',
    files: { 'harness/run.sh': `echo "sh: 1: cannot create /usr/x: Read-only file system" >&2; exit 2\n` },
    at: 'run',
    words: /no score: run ended with 2/,
    hint: /only \$ORGREPO_OUT and \$TMPDIR/,
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
    hint: /direction: maximize, or a target below 126/,
  },
];

/** The line of program.md that a key is on. */
const lineOf = (text: string, key: string): number =>
  text.split('\n').findIndex((line) => line.startsWith(`${key}:`)) + 1;

for (const { name, brief = {}, files = {}, at, words, hint } of cases) {
  test(`${name} is found by doctor, plan and run, by its line`, () => {
    const text = briefText(brief);
    const org = makeOrg({ ...quadratic, 'program.md': text, ...files });
    try {
      const line = lineOf(text, at);
      const found = JSON.parse(org.orgrepo('doctor', '--json').stdout).findings.find(
        (finding: { level: string }) => finding.level === 'fail',
      );
      assert.equal(found?.line, line, JSON.stringify(found));
      assert.match(found.what, words);
      assert.match(found.what, new RegExp(`^program\\.md:${line}:\\d+: `));
      assert.match(found.fix, hint);
      for (const verb of ['plan', 'run']) {
        const ran = org.orgrepo(verb, '--json');
        assert.equal(ran.code, 6, `${verb}: ${ran.stdout}${ran.stderr}`);
        const { error } = JSON.parse(ran.stdout);
        assert.deepEqual([error.file, error.line], ['program.md', line], verb);
        assert.match(error.message, words, verb);
        assert.match(error.hint, hint, verb);
      }
      assert.equal(org.orgrepo('doctor').code, 6);
      assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main', 'nothing was written');
    } finally {
      org.remove();
    }
  });
}

function withOrg(files: Readonly<Record<string, string>>, use: (org: TestOrg) => void): void {
  const org = makeOrg({ ...quadratic, ...files });
  try {
    use(org);
  } finally {
    org.remove();
  }
}

test('all that is wrong is told at once by doctor; plan says how much more there is', () => {
  const guards = '{ a: "< 1", b: "< 2" }';
  withOrg({ 'program.md': briefText({ guards, target: '9900' }) }, (org) => {
    const fails = JSON.parse(org.orgrepo('doctor', '--json').stdout).findings.filter(
      ({ level }: { level: string }) => level === 'fail',
    );
    assert.equal(fails.length, 3);
    assert.match(org.orgrepo('plan').stderr, /2 more: npx orgrepo doctor/);
  });
});

test('a guard that is added later is checked although nothing need be measured for it', () => {
  withOrg({}, (org) => {
    assert.equal(org.orgrepo('run', '--max', '1').code, 0);
    org.write('program.md', briefText({ guards: '{ lines: "<= +40" }' }));
    org.commit('a guard');
    const ran = org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 6, ran.stdout);
    assert.match(ran.stderr, /program\.md:12:11: a guard names lines/);
  });
});

test('a target that the nights have reached is no contradiction: it is time for a new one', () => {
  withOrg({ 'program.md': briefText({ target: '100' }) }, (org) => {
    assert.equal(org.orgrepo('run', '--max', '60').code, 0);
    assert.equal(org.orgrepo('run', '--max', '5').code, 0, 'it ends at once');
    const { warnings } = JSON.parse(org.orgrepo('plan', '--json').stdout);
    assert.equal(warnings.length, 1);
    assert.deepEqual([warnings[0].file, warnings[0].line], ['program.md', 12]);
    assert.match(warnings[0].message, /the target 100 is reached/);
  });
});

test('a target and words that contradict each other are refused in a plain brief too', () => {
  const text = [
    '# Mission',
    'Make the loss small.',
    '## Scope',
    '- WRITE: /sandbox/',
    '## Success metric',
    '- scalar: loss = what is left, lower is better',
    '- target: >= 0.6',
  ].join('\n');
  withOrg({ 'program.md': `${text}\n` }, (org) => {
    const ran = org.orgrepo('plan');
    assert.equal(ran.code, 6);
    assert.match(
      ran.stderr,
      /program\.md:7:1: the target says that higher is better, and the words beside it say minimize/,
    );
  });
});
