import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idlenessIn } from '../../src/domain/staff/trust.ts';
import { taskOf } from '../support/tasks.ts';

test('an agent is idle while it is there and holds no spec', () => {
  const shifts = [
    { agent: 'a', from: 0, until: 1000 },
    { agent: 'b', from: 0, until: 1000 },
    { agent: 'a', from: 5000, until: 6000 },
  ];
  const tasks = [
    taskOf('a', [], { claimedAt: -100, endedAt: 300 }), // Begun in an earlier night.
    taskOf('a', [], { claimedAt: 400, endedAt: 700 }),
    taskOf('a', [], { claimedAt: 600, endedAt: 800 }), // Two at once are no more than one.
    taskOf('a', [], { claimedAt: 2000, endedAt: 3000 }), // Outside of its shifts.
    taskOf('a', [], { claimedAt: 5500, endedAt: undefined }),
    taskOf('c', [], { claimedAt: 0, endedAt: 1000 }),
  ];
  assert.deepEqual(idlenessIn(shifts, tasks, 5800), [
    { agent: 'a', present: 2000, idle: 2000 - 300 - 400 - 300 },
    { agent: 'b', present: 1000, idle: 1000 },
  ]);
  assert.deepEqual(idlenessIn([], tasks, 0), []);
});
