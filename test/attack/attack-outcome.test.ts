import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttackBase } from '../../src/attack/attack-outcome.ts';
import { isLike, isTooGood, outcomeInWords, wonderfulScore } from '../../src/attack/attack-outcome.ts';

const base = (scores: readonly number[], direction: AttackBase['direction'] = 'minimize'): AttackBase => ({
  ...{ scores, direction, minEffect: 0.5 },
});

test('the table of attacks says of every outcome what it was', () => {
  assert.equal(outcomeInWords({ kind: 'scored', score: 3.5, samples: [3.5], numbers: {} }), 'scored 3.5');
  assert.equal(outcomeInWords({ kind: 'timed-out', afterMs: 1_500, output: '' }), 'timeout after 1.5 s');
  assert.equal(outcomeInWords({ kind: 'crashed', reason: 'exit 1', output: '' }), 'crash: exit 1');
  assert.equal(outcomeInWords({ kind: 'void', reason: 'the machine was asleep' }), 'void: the machine was asleep');
});

test('a score is too good when it beats the base by more than the base differs from itself', () => {
  assert.equal(isTooGood(8, base([10, 11])), false);
  assert.equal(isTooGood(7.9, base([10, 11])), true);
  assert.equal(isTooGood(13.1, base([10, 11], 'maximize')), true);
  assert.deepEqual([isLike(10.4, base([10])), isLike(10.6, base([10])), isLike(9.4, base([10]))], [true, false, false]);
});

test('a wonderful score is too good in either direction, also beside a base of 0', () => {
  for (const direction of ['minimize', 'maximize'] as const)
    for (const score of [0, 10, -10]) {
      const one = base([score], direction);
      assert.equal(isTooGood(wonderfulScore(one), one), true, `${direction} ${score}`);
    }
});
