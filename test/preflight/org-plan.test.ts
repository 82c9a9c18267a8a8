import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesBetween } from '../../src/preflight/org-plan.ts';

test('what is new, what is different and what is gone, in the order of the newer list', () => {
  const before = new Map([
    ['metric', 'loss'],
    ['slots', '2'],
    ['agents.junior-2', 'search'],
  ]);
  const after = new Map([
    ['metric', 'loss'],
    ['target', '3'],
    ['slots', '1'],
  ]);
  assert.deepEqual(changesBetween(before, after), [
    { kind: 'add', what: 'target', to: '3' },
    { kind: 'change', what: 'slots', from: '2', to: '1' },
    { kind: 'remove', what: 'agents.junior-2', from: 'search' },
  ]);
  assert.deepEqual(changesBetween(after, after), []);
});
