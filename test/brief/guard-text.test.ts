import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGuard } from '../../src/brief/read/brief-fields.ts';
import { formatGuard, type Guard } from '../../src/domain/words/score.ts';

test('a guard is read as it is spelt, and spelt as it is read', () => {
  const cases: readonly (readonly [string, Omit<Guard, 'name'>])[] = [
    ['<= 1.05x', { strict: false, kind: 'x', amount: 1.05 }],
    ['< 2x', { strict: true, kind: 'x', amount: 2 }],
    ['<= +40', { strict: false, kind: '+', amount: 40 }],
    ['< +0.5', { strict: true, kind: '+', amount: 0.5 }],
    ['< 200', { strict: true, kind: '=', amount: 200 }],
    ['<= 200', { strict: false, kind: '=', amount: 200 }],
    ['<= -5', { strict: false, kind: '=', amount: -5 }],
    ['<= 1e+21', { strict: false, kind: '=', amount: 1e21 }],
    ['<= 0', { strict: false, kind: '=', amount: 0 }],
    ['<= 1.05x best', { strict: false, kind: 'x', amount: 1.05, of: 'best' }],
    ['< +40 best', { strict: true, kind: '+', amount: 40, of: 'best' }],
  ];
  for (const [text, guard] of cases) {
    assert.deepEqual(parseGuard('lines', text), { name: 'lines', ...guard });
    assert.equal(formatGuard({ name: 'lines', ...guard }), text);
  }
  assert.deepEqual(parseGuard('lines', ' <=200 '), { name: 'lines', strict: false, kind: '=', amount: 200 });
  assert.deepEqual(parseGuard('lines', '<= 2x of best'), parseGuard('lines', '<= 2x best'));
  assert.deepEqual(parseGuard('lines', '<= 2x of baseline'), parseGuard('lines', '<= 2x'));
});

test('what is no upper bound is no guard', () => {
  const cases = [
    '',
    '<=',
    '200',
    '>= 3',
    '> 3',
    '== 3',
    '<= x',
    '<= 0x',
    '<= -1x',
    '<= +2x',
    '<= +-4',
    '<= 1,5',
    '<= NaN',
    '<= 1 2',
    '< 1e999',
    '=< 3',
    '<= 5%',
    '<= 200 best',
    '<= 2x of',
    '<= 2x bestest',
    '<= best',
  ];
  for (const text of cases) assert.equal(parseGuard('lines', text), undefined, text);
});
