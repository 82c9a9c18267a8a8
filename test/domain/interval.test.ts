import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalOf } from '../../src/domain/words/score.ts';
import { randomFrom } from '../../src/text/random.ts';

test('values that are all the same have an interval without width', () => {
  assert.deepEqual(intervalOf([0.1, 0.1, 0.1]), { low: 0.1, high: 0.1 });
  assert.deepEqual(intervalOf([-7]), { low: -7, high: -7 });
});

test('the same values always give the same interval', () => {
  const values = [1, 4, 2, 8, 5, 7];
  assert.deepEqual(intervalOf(values), intervalOf([...values]));
});

test('the interval holds the true mean about as often as it says', () => {
  const random = randomFrom('coverage');
  const nights = 150;
  let held = 0;
  for (let night = 0; night < nights; night++) {
    const { low, high } = intervalOf(Array.from({ length: 10 }, () => 3 + random.normal()));
    if (low <= 3 && high >= 3) held += 1;
  }
  assert.equal(held / nights > 0.86 && held / nights < 0.98, true, `${held} of ${nights}`);
});
