import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentsOn, resultOf, type SpecTask, type TaskResult } from '../../src/domain/staff/trust.ts';
import { taskOf, tried } from '../support/tasks.ts';

test('what the work of an agent on a spec came to', () => {
  const cases: readonly (readonly [string, SpecTask, TaskResult])[] = [
    ['kept', taskOf('a', ['discard', 'keep', 'crash']), 'success'],
    ['kept and then rejected', taskOf('a', ['rejected', 'discard']), 'honest'],
    ['one rejected, one not', taskOf('a', ['rejected', 'keep']), 'success'],
    ['measured and not kept', taskOf('a', ['discard', 'inconclusive', 'failed']), 'honest'],
    ['a crash is a measurement too', taskOf('a', ['crash']), 'honest'],
    ['nothing measured', taskOf('a', ['failed', 'unchanged']), 'failure'],
    ['tampered with and kept', taskOf('a', ['keep', 'tampered']), 'tampered'],
    ['void says nothing', taskOf('a', ['void', 'void']), 'none'],
    ['void beside a failure', taskOf('a', ['void', 'failed']), 'failure'],
    ['never tried', taskOf('a', []), 'none'],
    ['out of its field', taskOf('a', ['failed'], { outOfDomain: ['a'] }), 'excused'],
    ['out of its field and kept', taskOf('a', ['keep'], { outOfDomain: ['a'] }), 'success'],
    ['out of its field and tampered', taskOf('a', ['tampered'], { outOfDomain: ['a'] }), 'tampered'],
    ["somebody else's field", taskOf('a', ['failed'], { outOfDomain: ['b'] }), 'failure'],
    [
      "somebody else's keep",
      { ...taskOf('a', []), experiments: [tried('b', 'keep'), tried('a', 'failed')] },
      'failure',
    ],
    ['a merge is nobody’s', { ...taskOf('a', []), experiments: [tried('a', 'keep', { merged: true })] }, 'none'],
    [
      'a part left out is nobody’s',
      { ...taskOf('a', []), experiments: [tried('a', 'keep', { part: '1/2 of 3' })] },
      'none',
    ],
  ];
  for (const [name, task, expected] of cases) assert.equal(resultOf(task, 'a'), expected, name);
});

test('a spec that was taken over, or given back, has several who worked on it', () => {
  const task = { ...taskOf('c', [], { outOfDomain: ['b'] }), experiments: [tried('a', 'failed'), tried('c', 'keep')] };
  assert.deepEqual(agentsOn(task), ['a', 'c', 'b']);
});
