import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';
import { sampleProjects } from '../support/projects.ts';
import { without } from '../support/tools.ts';

const briefs = {
  python: `---
metric: error_rate
direction: minimize
sandbox: [spam/score.py]                  # the only files that agents may change
harness: tests                            # what scores them, as it is in your last commit
score: python3 tests/evaluate.py          # prints the metric
tests: python3 -m unittest discover -s tests  # must pass before a win counts
include: [data, spam/__init__.py, spam/words.py]  # to be read
budget: { experiment: 10x, night: 8h }
---
Make error_rate lower by editing spam/score.py. Write here what agents should know.
`,
  make: `---
metric: { name: ns_op, pattern: 'BenchmarkPack-[\\d,.]+\\s+[\\d,.]+\\s+([\\d,.]+) ns/op' }
direction: minimize
sandbox: [pack/limits.conf]  # the only files that agents may change
harness: cmd                 # what scores them, as it is in your last commit
score: make bench            # prints the metric
tests: make test             # must pass before a win counts
include: [Makefile]          # to be read
budget: { experiment: 10x, night: 8h }
---
Make ns_op lower by editing pack/limits.conf. Write here what agents should know.
`,
  text: `---
metric: { name: issues, pattern: 'Found ([\\d,.]+) issues:' }
direction: minimize
sandbox: [letter.txt]  # the only files that agents may change
harness: check.sh      # what scores them, as it is in your last commit
score: sh check.sh     # prints the metric
budget: { experiment: 10x, night: 8h }
agent: human           # you; or name a model, such as model: claude-sonnet-4-6
---
Make issues lower by editing letter.txt. Write here what agents should know.
`,
};

const briefIn = (org: TestOrg): string => readFileSync(path.join(org.dir, 'program.md'), 'utf8');

for (const [kind, needed] of [
  ['python', 'python3'],
  ['make', 'make'],
  ['text', 'sh'],
] as const)
  test(`init with flags writes a brief of ten lines for a project: ${kind}`, { skip: without(needed) }, async () => {
    const { files, flags } = sampleProjects[kind];
    const org = anOrg({ ground: files });
    const ran = await org.orgrepo('init', ...flags);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(briefIn(org), briefs[kind]);
    assert.equal(org.git('status', '--porcelain'), '?? program.md\n', 'nothing else is written');
    assert.equal(existsSync(path.join(org.dir, '.worktrees')), false);
    assert.match(ran.stdout, /^noise {4}3 runs, all equal: compared exactly\n[\s\S]*^wrote {2}program\.md\n$/m);
    const submit = kind === 'text' ? ' {2}orgrepo submit "what to try first"\n' : '';
    const next = `git add program.md && git commit -m "orgrepo"\n${submit}  orgrepo run\n$`;
    assert.match(ran.stderr, new RegExp(next));
    org.commit('the brief');
    const plan = await org.orgrepo('plan');
    assert.equal(plan.code, 0, plan.stderr);
    const again = await org.orgrepo('init', ...flags);
    assert.deepEqual([again.code, /there is a brief already: program\.md/.test(again.stderr)], [6, true]);
  });

test('init --json says what it found, and how noisy a benchmark is', async () => {
  const { files, flags } = sampleProjects.javascript;
  const org = anOrg({ ground: files });
  const ran = await org.orgrepo('init', ...flags.slice(0, -2), '--json');
  assert.equal(ran.code, 0, ran.stdout);
  const said = JSON.parse(ran.stdout) as Record<string, unknown>;
  assert.equal(ran.stderr, '');
  assert.deepEqual(
    [said.schema, said.written, said.metric, said.pattern, said.direction, said.harness, said.include],
    [
      ...['orgrepo/init@1', ['program.md'], 'ops', 'slug x ([\\d,.]+) ops/sec', 'maximize', 'bench'],
      ['package.json', 'test'],
    ],
  );
  assert.equal((said.samples as number[]).length, 6);
  assert.deepEqual([said.deterministic, Number(said.spread) > 0], [false, true]);
});

test('init without flags in a project says what to type, and writes nothing', async () => {
  const cases = [
    ['python', 'python3 tests/evaluate.py', '"spam/\\*\\*"', 'python3 -m unittest discover -s tests'],
    ['javascript', 'npm run bench', '"lib/\\*\\*"', 'npm test'],
    ['make', 'make bench', 'pack/limits.conf', 'make test'],
    ['text', 'sh check.sh', 'letter.txt', undefined],
  ] as const;
  for (const [kind, score, edit, tests] of cases) {
    const org = anOrg({ ground: sampleProjects[kind].files });
    const before = readdirSync(org.dir);
    for (const args of [['init'], ['init', '--no-input']]) {
      const ran = await org.orgrepo(...args);
      assert.equal(ran.code, 64, ran.stderr);
      const typed = `--score "${score}" --metric <name> --minimize --edit ${edit}${tests === undefined ? '' : ` --tests "${tests}"`}`;
      assert.match(ran.stderr, new RegExp(`init needs the command[\\s\\S]*For example: orgrepo init ${typed}\n`));
    }
    assert.deepEqual(readdirSync(org.dir), before, kind);
  }
});

test('init refuses what is wrong before it writes anything', async () => {
  const { files } = sampleProjects.make;
  const org = anOrg({ ground: { ...files, 'cmd/two.sh': 'echo "lines: 3"; echo "bytes: 9"\n' } });
  const good = ['--score', 'make bench', '--edit', 'pack/limits.conf', '--minimize'];
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['--score', ' '], 64, /--score is empty/],
    [['--score', 'make bench'], 64, /init needs the files that agents may edit[\s\S]*--edit pack\/limits\.conf/],
    [[...good.slice(0, 4)], 64, /nothing says which way the metric is better/],
    [[...good, '--maximize'], 64, /--minimize and --maximize say opposite things/],
    [[...good, '--metric', 'a b'], 64, /--metric is "a b", expected a name/],
    [[...good, '--pattern', '(a)'], 64, /--pattern needs a name/],
    [[...good, '--metric', 'a', '--pattern', '(a'], 64, /--pattern is "\(a", expected .* this \( is never closed/],
    [[...good, '--metric', 'a', '--pattern', '(\\d+) ms'], 6, /printed nothing that metric\.pattern matches/],
    [
      [...good, '--metric', 'loss'],
      6,
      /printed no line "loss: number"[\s\S]*--metric ns_op --pattern '.*' {3}now 2759/,
    ],
    [good, 64, /2 numbers could be the metric[\s\S]*--metric ns_op/],
    [['--score', 'sh cmd/two.sh', ...good.slice(2)], 64, /2 numbers could be[\s\S]*--metric lines {3}now 3/],
    [
      ['--score', 'sh cmd/tow.sh', ...good.slice(2)],
      64,
      /no such file in the last commit[\s\S]*Did you mean cmd\/two\.sh/,
    ],
    [['--score', 'sh -c "exit 3"', ...good.slice(2)], 6, /gives no score: it ended with 3/],
    [['--score', 'no-such-program', ...good.slice(2)], 6, /See whether no-such-program is installed/],
    [['--score', 'echo 1: 2 >&2', ...good.slice(2)], 6, /prints no number on stdout/],
    [[...good.slice(0, 2), '--edit', 'pack/limit.conf', '--minimize'], 64, /Did you mean pack\/limits\.conf/],
    [[...good.slice(0, 2), '--edit', '../x', '--minimize'], 64, /expected a path that stays inside/],
    [[...good, '--harness', 'pack'], 64, /--harness pack and --edit pack\/limits\.conf overlap/],
    [[...good, '--harness', 'cmdd'], 64, /--harness names cmdd|--harness names "cmdd"/],
    [[...good, '--metric', 'ns_op', '--tests', 'false'], 6, /the tests fail already: false, ended with 1/],
    [[...good, '--template', 'pack'], 64, /--template and --score both say what to make/],
    [['--from', 'autoresearch', '--metric', 'a'], 64, /--from and --metric both say/],
  ];
  for (const [args, code, what] of cases) {
    const ran = await org.orgrepo('init', ...args);
    assert.deepEqual([ran.code, what.test(ran.stderr)], [code, true], `${args.join(' ')}\n${ran.stderr}`);
  }
  assert.equal(org.git('status', '--porcelain'), '');
});

test('init warns where the files that agents edit print the score themselves', async () => {
  const org = anOrg({ ground: { 'train.sh': 'rate=3\necho "loss: $rate"\n', 'data.txt': 'x\n' } });
  const ran = await org.orgrepo(
    'init',
    '--score',
    'sh train.sh',
    '--edit',
    'train.sh',
    '--minimize',
    '--metric',
    'loss',
  );
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /warn {3}agents may change train\.sh, which prints the score itself/);
});
