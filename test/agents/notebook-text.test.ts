import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { notebookOfChief, notebookOfSpec, specsInWords } from '../../src/agents/notebook-text.ts';
import { aBrief, anExperiment } from '../support/builders.ts';

const specIdOfTry = (n: number): string => String(Math.ceil(n / 3)).padStart(4, '0');
const past = Array.from({ length: 400 }, (_, at) => {
  const n = at + 1;
  const event = n % 40 === 0 ? 'keep' : n % 7 === 0 ? 'crash' : 'discard';
  return anExperiment({ n, spec: specIdOfTry(n), event, score: 500 - n, best: 501, notes: 'x'.repeat(400) });
});
const task = { role: 'chief', brief: aBrief(), notebook: past, specs: [] } as unknown as AgentTask;

test('a chief is told every win, and older tries in a few lines', () => {
  const lines = notebookOfChief({ ...task, olderWins: ['#0 keep 600: the very first'] });
  const wins = past.filter(({ event }) => event === 'keep').map(({ n }) => n);
  for (const n of [0, ...wins]) assert.equal(lines.filter((line) => line.startsWith(`#${n} `)).length, 1, `#${n}`);
  assert.equal(lines[0], '#1 to #340, in short: 340 tries of 114 specs, 8 keep, 285 discard, 47 crash');
  assert.match(lines[1] ?? '', /^0001: 3 tries and no win, the last "try 3"$/);
  const short = lines.slice(0, lines.indexOf('The latest:'));
  assert.ok(short.length < 20, short.join('\n'));
  assert.equal(lines.length - short.length - 1, 60);
  assert.ok(Buffer.byteLength(lines.join('\n')) < 40_000);
});

test('long reviews and outputs of earlier tries are left out', () => {
  const notebook = past.map((one) => ({ ...one, review: 'r'.repeat(4_000), output: 'o'.repeat(800) }));
  const spec = { ...{ id: '0001', title: 'x', by: 'chief' }, attempts: undefined, body: '' };
  const [chief, junior] = [notebookOfChief({ ...task, notebook }), notebookOfSpec({ ...task, notebook, spec })];
  for (const lines of [chief, junior]) {
    assert.ok(Buffer.byteLength(lines.join('\n')) < 70_000);
    assert.match(lines.at(-1) ?? '', /^#400 keep .*Notes: x{400}\n {2}The review:\n {2}\| r{4000}\n.*\n {2}\| o{800}$/);
  }
  const first = chief[chief.indexOf('The latest:') + 1] ?? '';
  assert.match(first, /^#341 discard .*not better$/);
});

test('wins beyond 300 are told by number and score', () => {
  const olderWins = Array.from({ length: 900 }, (_, at) => `#${at} keep ${1_000 - at}: ${'a long title '.repeat(9)}`);
  const lines = notebookOfChief({ ...task, notebook: [], olderWins });
  assert.deepEqual(lines.slice(0, 3), [
    'What won before:',
    Array.from({ length: 600 }, (_, at) => `#${at} keep ${1_000 - at}`).join('; '),
    olderWins[600],
  ]);
});

test('a chief reads what a spec predicted and what came of it on one line', () => {
  const spec = (id: string, body: string) => ({ id, title: `idea ${id}`, by: 'chief', attempts: undefined, body });
  const notebook = [
    anExperiment({ n: 1, spec: '0001', event: 'discard', score: 9, best: 8 }),
    anExperiment({ n: 2, spec: '0001', event: 'keep', score: 7, best: 8 }),
    anExperiment({ n: 3, spec: '0002', event: 'discard', score: 9.5, best: 7 }),
    anExperiment({ n: 4, spec: '0002', event: 'discard', score: 7.5, best: 7 }),
    anExperiment({ n: 5, spec: '0003', event: 'crash' }),
  ];
  const specs = [
    spec('0001', 'Prediction: it falls by 1.'),
    spec('0002', '**Prediction:** it falls\nby 2.\n\nControl: best.'),
    spec('0003', 'Anything goes.'),
    spec('0004', 'Prediction: 5'),
  ];
  assert.deepEqual(specsInWords({ ...task, notebook, specs }), [
    '0001 idea 0001; predicted: it falls by 1; 2 tries, won with waste_pct 7 against 8 (#2 keep)',
    '0002 idea 0002; predicted: it falls by 2; 2 tries, none won, nearest waste_pct 7.5 against 7 (#4 discard)',
    '0003 idea 0003; predicted: nothing; 1 try, none measured: crash',
    '0004 idea 0004; predicted: 5; not tried yet',
  ]);
});
