import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byUrgency, type Priority, priorityOf } from '../../src/domain/words/spec.ts';

const isAgent = (name: string): boolean => name === 'chief';

test("a spec is as urgent as it says, and only people's are critical", () => {
  const cases: readonly (readonly [string, Priority | undefined, Priority])[] = [
    ['Ann', undefined, 'normal'],
    ['Ann', 'low', 'low'],
    ['Ann', 'critical', 'critical'],
    ['chief', undefined, 'normal'],
    ['chief', 'high', 'high'],
    ['chief', 'critical', 'high'],
  ];
  for (const [by, priority, expected] of cases) assert.equal(priorityOf({ by, priority }, isAgent), expected);
});

test('the more urgent comes first', () => {
  const mixed: readonly Priority[] = ['normal', 'critical', 'low', 'high'];
  assert.deepEqual([...mixed].sort(byUrgency), ['critical', 'high', 'normal', 'low']);
});
