import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBrief, parseBrief } from '../../src/brief/read/brief-text.ts';
import type { Brief } from '../../src/domain/words/brief.ts';
import { aBrief } from '../support/builders.ts';
import { parseSmall as parse } from '../support/small-brief.ts';

const defaults = aBrief({ metric: 'waste_pct', score: 'node harness/score.mjs' });

test('a brief of four keys has sensible limits', () => {
  assert.deepEqual(parse(), defaults);
});

test('a brief with every key is read as it is meant', () => {
  const text = `---
metric: { name: waste_pct, pattern: 'waste ([\\d,.]+) %' }
direction: minimize
target: 3.0
sandbox: [sandbox/**]
allow: [AGENTS.md, .vscode/]
harness: harness/
run: node harness/run.mjs
score: node harness/score.mjs
tests: npm test
budget: { experiment: 5s, agent: 10m, night: 1h30m, tests: 90s, usd: 5, tokens_in: 200k, tokens_out: 1.5M, attempts: 7, patience: 30 }
samples: 1..5
min_effect: 0.01
guards: { params: "<= 1.05x", lines: "<= +40", bytes: "< 200" }
include: [package.json, ./data/]
holdout: [harness/score.mjs]
show: [~/.cache/words, /srv/data/]
rehearsal: score
risk: high
slots: 2
juniors: 4
agent: { command: "./agent.sh --fast" }
---
# Waste less

Pack the bins.
`;
  const expected: Brief = {
    metric: 'waste_pct',
    pattern: 'waste ([\\d,.]+) %',
    direction: 'minimize',
    target: 3,
    sandbox: ['sandbox/**'],
    allow: ['AGENTS.md', '.vscode/**'],
    harness: 'harness',
    run: 'node harness/run.mjs',
    score: 'node harness/score.mjs',
    tests: 'npm test',
    holdout: ['harness/score.mjs'],
    show: ['~/.cache/words', '/srv/data'],
    rehearsal: 'score',
    risk: 'high',
    include: ['package.json', 'data'],
    budget: {
      experimentMs: 5_000,
      agentMs: 600_000,
      nightMs: 5_400_000,
      testsMs: 90_000,
      attempts: 7,
      patience: 30,
      usd: 5,
      tokensIn: 200_000,
      tokensOut: 1_500_000,
    },
    caps: {},
    prices: new Map(),
    samples: { min: 1, max: 5 },
    minEffect: 0.01,
    guards: [
      { name: 'params', strict: false, kind: 'x', amount: 1.05 },
      { name: 'lines', strict: false, kind: '+', amount: 40 },
      { name: 'bytes', strict: true, kind: '=', amount: 200 },
    ],
    slots: 2,
    juniors: 4,
    staff: {
      chief: { kind: 'search' },
      juniors: [{ kind: 'command', command: './agent.sh --fast', network: false }],
      checkers: [],
      critics: [],
    },
    prose: '# Waste less\n\nPack the bins.',
  };
  assert.deepEqual(parseBrief(text, 'program.md'), expected);
  assert.deepEqual(parseBrief(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'program.md'), expected);
  assert.deepEqual(parseBrief(formatBrief(expected), 'program.md'), expected);
  assert.deepEqual(parseBrief(formatBrief(defaults), 'program.md'), defaults);
});

test('values that are right are read', () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, Partial<Brief>])[] = [
    [{ sandbox: 'train.py' }, { sandbox: ['train.py'] }],
    [{ sandbox: 'src/' }, { sandbox: ['src/**'] }],
    [
      { sandbox: '["./src/*.js", "lib/**/*.ts", c++/**, "*.py"]' },
      { sandbox: ['src/*.js', 'lib/**/*.ts', 'c++/**', '*.py'] },
    ],
    [{ allow: 'CLAUDE.md' }, { allow: ['CLAUDE.md'] }],
    [{ allow: '[]' }, { allow: [] }],
    [{ metric: '"val_bpb"' }, { metric: 'val_bpb' }],
    [{ metric: 'p99.latency-ms' }, { metric: 'p99.latency-ms' }],
    [{ target: '-1e-3' }, { target: -0.001 }],
    [{ target: '"3"' }, { target: 3 }],
    [{ target: '-0' }, { target: 0 }],
    [{ samples: '3' }, { samples: { min: 3, max: 3 } }],
    [{ samples: '1..100' }, { samples: { min: 1, max: 100 } }],
    [{ include: 'package.json' }, { include: ['package.json'] }],
    [{ include: '[]' }, { include: [] }],
    [{ guards: '{}' }, { guards: [] }],
    [{ budget: '{}' }, { budget: defaults.budget }],
    [
      { budget: '{ experiment: 10ms, night: 30d }' },
      { budget: { ...defaults.budget, experimentMs: 10, nightMs: 2_592_000_000 } },
    ],
    [{ run: "sh -c 'a | b && c'" }, { run: "sh -c 'a | b && c'" }],
    [{ run: '>\n  node\n  run.mjs' }, { run: 'node run.mjs' }],
    [{ agent: 'search' }, {}],
    [{ harness: 'prepare.py' }, { harness: 'prepare.py' }],
  ];
  for (const [changes, expected] of cases) assert.deepEqual(parse(changes), { ...defaults, ...expected });
});

test('include takes patterns, which are refused where they could name a file of the sandbox', () => {
  const included = (include: string) => parse({ include }).include;
  assert.deepEqual(included('[data/**, "*.json", "lib/*.min.js"]'), ['data/**', '*.json', 'lib/*.min.js']);
  for (const include of ['["**/*.json"]', '["sand*/x"]', '["*/numbers.txt"]', '["s?ndbox/**"]'])
    assert.throws(() => included(include), /sandbox\/\*\*"? and include .* overlap/, include);
});

test('a time limit may be so many times what the start takes', () => {
  const limit = (experiment: string) => {
    const { budget } = parse({ budget: `{ experiment: ${experiment} }` });
    return [budget.experimentTimes, budget.experimentMs];
  };
  assert.deepEqual(
    [limit('10x'), limit('2.5x up to 20m'), limit('30s')],
    [
      [10, 300_000],
      [2.5, 1_200_000],
      [undefined, 30_000],
    ],
  );
  for (const experiment of [
    '1x',
    '0x',
    '-3x',
    '2000x',
    'x',
    '1e9x',
    '10x up to',
    '10x up to 40h',
    '10xx',
    '10x5m',
    '10 times',
  ])
    assert.throws(() => limit(experiment), /budget\.experiment is /, experiment);
  for (const experiment of ['10x', '10x up to 20m', '90s']) {
    const brief = parse({ budget: `{ experiment: ${experiment} }` });
    assert.deepEqual(parseBrief(formatBrief(brief), 'program.md').budget, brief.budget, experiment);
  }
});
