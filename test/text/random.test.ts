import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../../src/text/random.ts';

const draws = (seed: string): readonly number[] => {
  const random = randomFrom(seed);
  return Array.from({ length: 1_000 }, () => random.next());
};

test('the same seed gives the same numbers, another seed others', () => {
  assert.deepEqual(draws('1/0001/1'), draws('1/0001/1'));
  const firsts = new Set(Array.from({ length: 500 }, (_, seed) => draws(`1/0001/${seed}`)[0]));
  assert.equal(firsts.size, 500);
});

test('what is drawn stays in its range and covers it', () => {
  const numbers = draws('range');
  assert.equal(
    numbers.every((number) => number >= 0 && number < 1),
    true,
  );
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  assert.equal(Math.abs(mean - 0.5) < 0.05, true, `mean ${mean}`);
  const random = randomFrom('below');
  const dice = Array.from({ length: 600 }, () => random.below(6));
  assert.deepEqual([...new Set(dice)].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b']))), new Set(['a', 'b']));
});

test('normal draws have mean 0 and deviation 1', () => {
  const random = randomFrom('normal');
  const numbers = Array.from({ length: 4_000 }, () => random.normal());
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const spread = Math.sqrt(numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length);
  assert.equal(Math.abs(mean) < 0.08, true, `mean ${mean}`);
  assert.equal(Math.abs(spread - 1) < 0.08, true, `deviation ${spread}`);
});
