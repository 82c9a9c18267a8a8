import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSharedTurn } from '../../src/score/measure/measure-beside.ts';

test('many measure at the same time, and one that must be alone is', async () => {
  const turn = openSharedTurn();
  const said: string[] = [];
  const [first, second] = [await turn.enter(false), await turn.enter(false)];
  const enter = async (name: string, alone: boolean): Promise<() => void> => {
    const leave = await turn.enter(alone);
    said.push(name);
    return leave;
  };
  const alone = enter('alone', true);
  const later = enter('later', false);
  first();
  await Promise.resolve();
  assert.deepEqual(said, [], 'one is still inside, and nobody overtakes');
  second();
  const leave = await alone;
  assert.deepEqual(said, ['alone']);
  leave();
  (await later)();
  assert.deepEqual(said, ['alone', 'later']);
  (await turn.enter(true))();
});
