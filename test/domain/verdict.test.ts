import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome, Verdict } from '../../src/domain/experiment.ts';
import type { Numbers } from '../../src/domain/guard.ts';
import { judge } from '../../src/domain/verdict.ts';

const brief = { metric: 'loss', direction: 'minimize', minEffect: 0, guards: [] } as const;
const rival = { score: 10, baseline: {} };

const scored = (score: number, numbers: Numbers = {}): Outcome => ({
  kind: 'scored',
  score,
  samples: [score],
  numbers,
});

test('a candidate is kept only for being better, in the direction that the brief asks for', () => {
  const cases: readonly [string, number, 'minimize' | 'maximize', Verdict][] = [
    ['lower', 9, 'minimize', { event: 'keep', reason: 'loss 9 against 10: better by 1' }],
    ['the same', 10, 'minimize', { event: 'discard', reason: 'loss 10 against 10: no change' }],
    ['higher', 11, 'minimize', { event: 'discard', reason: 'loss 11 against 10: worse' }],
    ['higher', 11, 'maximize', { event: 'keep', reason: 'loss 11 against 10: better by 1' }],
    ['lower', 9, 'maximize', { event: 'discard', reason: 'loss 9 against 10: worse' }],
    ['below zero', -1, 'minimize', { event: 'keep', reason: 'loss -1 against 10: better by 11' }],
  ];
  for (const [name, score, direction, expected] of cases)
    assert.deepEqual(judge(scored(score), rival, { ...brief, direction }), expected, `${name}, ${direction}`);
});

test('a gain that is not above min_effect is discarded, and the reason names both', () => {
  const asked = { ...brief, minEffect: 0.5 };
  assert.deepEqual(judge(scored(9.5), rival, asked), {
    event: 'discard',
    reason: 'loss 9.5 against 10: better by 0.5, not by more than min_effect 0.5',
  });
  assert.equal(judge(scored(9.49), rival, asked).event, 'keep');
});

test('a reason shows no floating-point dust', () => {
  assert.equal(judge(scored(0.1), { score: 0.3, baseline: {} }, brief).reason, 'loss 0.1 against 0.3: better by 0.2');
});

test('a win that breaks a guard is confounded, and a loss that breaks one is simply worse', () => {
  const guarded = { ...brief, guards: [{ name: 'lines', strict: false, kind: '+', amount: 2 }] } as const;
  const against = { score: 10, baseline: { lines: 5 } };
  assert.deepEqual(judge(scored(9, { lines: 8 }), against, guarded), {
    event: 'confounded',
    reason: 'loss 9 against 10, but lines is 8, the guard allows at most 7',
  });
  assert.equal(judge(scored(9, { lines: 7 }), against, guarded).event, 'keep');
  assert.equal(judge(scored(11, { lines: 8 }), against, guarded).event, 'discard');
});

test('what gave no score gets a verdict of its own, whatever best is', () => {
  const cases: readonly [Outcome, Verdict][] = [
    [
      { kind: 'crashed', reason: 'score ended with 1', output: 'noise' },
      { event: 'crash', reason: 'score ended with 1' },
    ],
    [
      { kind: 'timed-out', afterMs: 5_040, output: '' },
      { event: 'timeout', reason: 'not done after 5.0 s' },
    ],
    [
      { kind: 'void', reason: 'the machine slept' },
      { event: 'void', reason: 'the machine slept' },
    ],
  ];
  for (const [outcome, expected] of cases) assert.deepEqual(judge(outcome, rival, brief), expected);
});
