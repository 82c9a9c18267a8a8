import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceFrom } from '../kill/chance.ts';
import { playSeason } from './season.ts';

test('40 conversations that go wrong: no cap is passed, nobody hangs, and each ends with a reason', async () => {
  const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
  const { findings, played } = await playSeason(numbers, 10, chanceFrom(20261116));
  assert.deepEqual(findings, []);
  assert.equal(played, 40);
});
