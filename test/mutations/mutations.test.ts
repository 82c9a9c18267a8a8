import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged } from './mutate.ts';

test('damaged ORG.md, org.yaml, program.md and specs are read or refused with a place and a hint, never worse', () => {
  const { read, refused } = readDamaged('in the suite', 1_000);
  assert.ok(read > 200 && refused > 200, `${read} read, ${refused} refused`);
});
