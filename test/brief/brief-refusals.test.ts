import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../support/refusal.ts';
import { parseSmall as parse } from '../support/small-brief.ts';

test('what is wrong is said whole: where, what was found, what was expected, what to do', () => {
  const cases: readonly (readonly [Readonly<Record<string, string | undefined>>, string, string, string])[] = [
    [
      { metric: '12' },
      'brief/value',
      'program.md:2:9: metric is 12, expected a name such as waste_pct',
      'Use the name that the harness prints: letters, digits, _ . and -, at most 64 of them.',
    ],
    [
      { metric: undefined },
      'brief/missing',
      'program.md:1:1: metric is missing from the front matter',
      'Add a line such as metric: waste_pct',
    ],
    [
      { score: undefined },
      'brief/missing',
      'program.md:1:1: score is missing from the front matter',
      'Add a line such as score: node harness/score.mjs',
    ],
    [{ metrics: 'x' }, 'brief/key', 'program.md:6:1: metrics is not a known key', 'Did you mean metric?'],
    [
      { colour: 'x' },
      'brief/key',
      'program.md:6:1: colour is not a known key',
      'The keys here are metric, direction, target, sandbox, allow, harness, run, score, tests, include, holdout, show, budget, caps, prices, samples, min_effect, guards, slots, juniors, rehearsal, risk, agent, model, effort, base_url, speaks, own_config, models, chief, junior, checker, critics, mcp, tools_from, log_every_tool_call.',
    ],
    [
      { budget: '{ experiment: 90 }' },
      'brief/value',
      'program.md:6:23: budget.experiment is 90, expected a time with its unit, such as 5m',
      'Name the unit: 90s, 90m or 90h.',
    ],
    [
      { budget: '\n  agent: 25h' },
      'brief/value',
      'program.md:7:10: budget.agent is 25h, expected a time from 10ms to 24h',
      'Write budget.agent: 30s, 10m, 8h or 1h30m.',
    ],
    [
      { metric: "{ name: ops, pattern: 'x (\\d+' }" },
      'brief/value',
      'program.md:2:31: metric.pattern is "x (\\\\d+", expected a regular expression; at character 3, this ( is never closed',
      "Write metric: waste_pct, or metric: { name: ops, pattern: 'x ([\\d,.]+) ops/sec' }.",
    ],
    [
      { tests: '[npm, test]' },
      'brief/value',
      'program.md:6:8: tests is a list, expected a command such as npm test',
      'Write the command on one line, as in a shell.',
    ],
    [
      { checker: '{ agent: search }' },
      'brief/value',
      'program.md:6:10: checker is a map of keys, expected a model, or { agent: human }',
      'Write checker: { model: claude-sonnet-4-6 }, or { agent: human }.',
    ],
    [
      { sandbox: '[harness/**]' },
      'brief/paths',
      'program.md:4:10: sandbox harness/** and harness harness overlap',
      'Name a directory of its own for agents, such as sandbox: [sandbox/**].',
    ],
    [
      { sandbox: '[src, ../x]' },
      'brief/paths',
      'program.md:4:16: sandbox is ../x, expected a path that stays inside the repository, without ..',
      'Write sandbox: [sandbox/**], or one path for each thing that agents may change.',
    ],
  ];
  for (const [changes, code, message, hint] of cases) {
    const found = refusal(() => parse(changes));
    assert.deepEqual([found.code, found.message, found.hint], [code, message, hint]);
  }
  const { place } = refusal(() => parse({ metric: '12' }));
  assert.deepEqual(place, { file: 'program.md', line: 2, column: 9 });
});

test('every key refuses a value of the wrong kind or out of range', () => {
  const numbers = [
    '',
    '~',
    'many',
    'yes',
    '0x10',
    '1_000',
    '12:30:00',
    '0,99',
    'NaN',
    '.inf',
    '1e999',
    '017',
    '[1]',
    '{ a: 1 }',
  ];
  const wholes = [...numbers, '0', '-1', '1.5', '1e2', '99999999999999999999'];
  const times = [
    '',
    '90',
    '5 m',
    '5min',
    '-5s',
    '30m1h',
    '1h1h',
    '9ms',
    '25h',
    '[5s]',
    'NaNs',
    '1e3s',
    '5s '.repeat(30),
  ];
  const words = ['', '[a]', '{ a: b }', '"a\\u0000b"', '"a\\nb"', '"a\\u202eb"', `"${'x'.repeat(1001)}"`];
  const paths = [
    ...words,
    '/',
    '/etc',
    '..',
    'a/../b',
    '../x',
    '-x',
    '.git',
    '.GIT/hooks',
    'a/.Git',
    'a//b',
    'a\\b',
    '"."',
    '"./"',
    'C:/x',
    '~/x',
    'git~1',
    '".git. "',
    '"a\\u200db"',
  ];
  const cases: Readonly<Record<string, readonly string[]>> = {
    metric: [
      ...words,
      ...['{ name: a }', "{ pattern: '(a)' }", "{ name: a, pattern: 'a' }", "{ name: a, pattern: '(a)(b)' }"],
      ...["{ name: a, pattern: '(a*)' }", "{ name: 12, pattern: '(a)' }", "{ name: a, pattern: '(a)', flags: g }"],
      '12',
      'a b',
      'é',
      '-x',
      'a'.repeat(65),
      '__proto__',
      'constructor',
      'toString',
    ],
    direction: [...words, 'yes', 'down', 'Minimize', 'minimise'],
    target: numbers,
    min_effect: [...numbers, '-0.1'],
    sandbox: [
      ...paths.filter((path) => path !== '[a]'),
      '[]',
      '[[a]]',
      '[~]',
      '"!a"',
      '"**"',
      '"*"',
      '"**/*.js"',
      '.gitattributes',
      '".gitmodules"',
      '\'"harness"/x\'',
    ],
    allow: [...paths.filter((path) => path !== '[a]'), '[[a]]', '[~]', '"!a"', '.gitattributes', '"(a|b)"'],
    harness: [...paths, '[harness]', 'a*'],
    include: [...paths.filter((path) => path !== '[a]'), '[a, ~]', '["*.json|x"]', '[{ a: b }]'],
    run: words,
    score: words,
    samples: [...wholes, '0..3', '3..1', '1..101', '1..', '..3', '1..2..3', '1-5'],
    slots: [...wholes, '257'],
    juniors: [...wholes, '65'],
    agent: [
      ...words,
      '{}',
      '{ comand: x }',
      '{ command: "" }',
      '{ command: [a] }',
      'Search',
      'api',
      'codex',
      'opencode',
      'aider',
      'pi',
    ],
    guards: [
      '',
      '[a]',
      'lines',
      '{ lines: 40x }',
      '{ lines: ">= 3" }',
      '{ lines: "<= NaN" }',
      '{ lines: "<= 1,5" }',
      '{ lines: [1] }',
      '{ "a b": "<= 3" }',
      '{ waste_pct: "<= 3" }',
    ],
    budget: ['', '5m', '[5m]', '{ experimant: 5m }', '{ "": 5m }'],
    'budget.experiment': times,
    'budget.agent': times,
    'budget.night': [...times.filter((time) => time !== '25h'), '31d', '721h'],
    'budget.usd': [...numbers, '-1', '$5', '0', '1000001', '1e-12'],
    'budget.tokens_in': [...numbers, '-1', '0', '1.5', '200kk', '2B', '1.0005k'],
    'budget.tokens_out': [...numbers, '-1', '0', '1.5', '200kk', '2B', '1.0005k'],
    'budget.attempts': [...wholes, '1001'],
    'budget.patience': [...wholes, '1000001'],
    caps: [
      '',
      '5',
      '[call]',
      '{ cal: { usd: 1 } }',
      '{ night: { usd: 1 } }',
      '{ call: 5 }',
      '{ call: {} }',
      '{ call: { dollars: 5 } }',
      ...[...numbers, '-1', '0', '1000001', '1e-12'].map((usd) => `{ day: { usd: ${usd} } }`),
      ...[...numbers, '-1', '0', '1.5', '1000000000001'].map((tokens) => `{ agent: { tokens_in: ${tokens} } }`),
      ...[...numbers, '-1', '0', '2B'].map((tokens) => `{ spec: { tokens_out: ${tokens} } }`),
    ],
    prices: ['', '3', '{ nobody: { in: 3 } }'],
    model: ['x'],
    base_url: ['http://127.0.0.1:1/v1'],
    chief: ['{ model: x }'],
    junior: ['{ model: x }'],
    checker: ['{ model: x }'],
    critics: ['{ model: x }'],
  };
  for (const [key, values] of Object.entries(cases)) {
    const [outer = '', inner] = key.split('.');
    for (const value of values) {
      const found = refusal(
        () => parse({ [outer]: inner === undefined ? value : `{ ${inner}: ${value} }` }),
        `${key}: ${value}`,
      );
      assert.match(found.code, /^brief\//, `${key}: ${value}`);
      assert.ok((found.place?.line ?? 0) > 1 && found.hint !== '', `${key}: ${value}`);
      assert.ok(found.message.length < 260 && !/[\u0000-\u001f\u202e]/.test(found.message), found.message);
    }
  }
});

test('a sandbox from which an agent could reach its judge or its orders is refused', () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ sandbox: '"**"' }, 'sandbox ** and harness harness overlap'],
    [{ sandbox: 'Harness' }, 'sandbox Harness and harness harness overlap'],
    [{ sandbox: 'h?rness/x.js' }, 'sandbox h?rness/x.js and harness harness overlap'],
    [{ sandbox: '"{harness,src}/**"' }, 'sandbox {harness,src}/** and harness harness overlap'],
    [{ sandbox: '"[h]arness/**"' }, 'sandbox [h]arness/** and harness harness overlap'],
    [{ sandbox: 'src', harness: 'src/judge' }, 'sandbox src and harness src/judge overlap'],
    [{ sandbox: 'src/*', harness: 'src/judge' }, 'sandbox src/* and harness src/judge overlap'],
    [{ sandbox: 'src/judge/x', harness: 'src/judge' }, 'sandbox src/judge/x and harness src/judge overlap'],
    [{ sandbox: '"*.md"' }, 'sandbox *.md takes in program.md, which only people may change'],
    [{ sandbox: 'Program.MD' }, 'sandbox Program.MD takes in program.md, which only people may change'],
    [{ sandbox: 'branches.md' }, 'sandbox branches.md takes in branches.md, which only people may change'],
    [{ sandbox: 'specs/**' }, 'sandbox specs/** takes in specs, which only people may change'],
    [{ sandbox: 'org.md' }, 'sandbox org.md takes in ORG.md, which only people may change'],
    [{ sandbox: '"*.yaml"' }, 'sandbox *.yaml takes in org.yaml, which only people may change'],
    [{ sandbox: 'policies/a' }, 'sandbox policies/a takes in policies, which only people may change'],
    [
      { sandbox: '.github/workflows/**' },
      'sandbox .github/workflows/** takes in .github, which only people may change',
    ],
    [{ sandbox: '[sandbox/**]', include: '[sandbox/a.json]' }, 'sandbox sandbox/** and include sandbox/a.json overlap'],
    [{ sandbox: 'data/a.json', include: 'data' }, 'sandbox data/a.json and include data overlap'],
  ];
  for (const [changes, message] of cases) {
    const found = refusal(() => parse(changes));
    assert.deepEqual([found.code, found.message], ['brief/paths', `program.md:4:10: ${message}`]);
  }
  for (const sandbox of ['src/*.js', 'harness2/**', 'my-harness', 'a/harness/**', 'harness.js', '*.js', 'specs.d/**']) {
    assert.deepEqual(parse({ sandbox: `"${sandbox}"` }).sandbox, [sandbox]);
  }
});

test('held-out files that the brief never has are refused', () => {
  const { code, message, hint, place } = refusal(() =>
    parse({ run: 'node harness/run.mjs', harness: 'harness', holdout: '[answers/**]' }),
  );
  assert.deepEqual([code, place?.line], ['brief/paths', 8]);
  assert.match(message, /holdout answers\/\*\* is neither in the harness nor in include$/);
  assert.match(hint, /^Name files of the harness that only the score command needs/);
  const included = { run: 'node harness/run.mjs', include: '[answers]', holdout: '[answers/**]' };
  assert.deepEqual(parse(included).holdout, ['answers/**']);
});

test('held-out files are refused where one command both runs and scores', () => {
  const { code, message, hint } = refusal(() => parse({ holdout: '[harness/answers.txt]' }));
  assert.equal(code, 'brief/paths');
  assert.match(
    message,
    /^program\.md:\d+:\d+: holdout is set, but there is only one stage: the command that scores also runs the candidate$/,
  );
  assert.equal(hint, 'Split it: run: makes the output, score: reads it. Or take holdout out.');
});
