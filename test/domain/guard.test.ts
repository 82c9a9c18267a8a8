import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenGuard, formatGuard, type Guard, type Numbers } from '../../src/domain/words/score.ts';

const guard = (kind: Guard['kind'], amount: number, strict = false): Guard => ({ name: 'lines', strict, kind, amount });

test('a guard holds up to its bound and says by which number it is broken', () => {
  const broken = (value: number, words: string): string => `lines is ${value}, the guard allows ${words}`;
  const cases: readonly [Guard, Numbers, Numbers, string | undefined][] = [
    [guard('x', 1.5), { lines: 15 }, { lines: 10 }, undefined],
    [guard('x', 1.5), { lines: 16 }, { lines: 10 }, broken(16, 'at most 15')],
    [guard('x', 1.5, true), { lines: 15 }, { lines: 10 }, broken(15, 'less than 15')],
    [guard('+', 3), { lines: 13 }, { lines: 10 }, undefined],
    [guard('+', 3), { lines: 14 }, { lines: 10 }, broken(14, 'at most 13')],
    [guard('+', -1), { lines: 10 }, { lines: 10 }, broken(10, 'at most 9')],
    [guard('=', 7), { lines: 7 }, { lines: 1 }, undefined],
    [guard('=', 7), { lines: 8 }, { lines: 1 }, broken(8, 'at most 7')],
    [guard('=', 7, true), { lines: 7 }, {}, broken(7, 'less than 7')],
    [guard('x', 2), { lines: 99 }, {}, undefined],
    [guard('=', 7), { other: 1 }, {}, 'the harness printed no lines, which a guard names'],
  ];
  for (const [one, numbers, baseline, expected] of cases)
    assert.equal(brokenGuard([one], numbers, baseline, {}), expected, formatGuard(one));
});

test('of several guards the first broken one is named, and no guard is never broken', () => {
  const guards = [guard('=', 9), { ...guard('=', 1), name: 'params' }, { ...guard('=', 1), name: 'bytes' }];
  assert.equal(
    brokenGuard(guards, { lines: 9, params: 2, bytes: 2 }, {}, {}),
    'params is 2, the guard allows at most 1',
  );
  assert.equal(brokenGuard([], {}, {}, {}), undefined);
});

test('a guard is spelt as the brief spells it', () => {
  const cases: readonly [Guard, string][] = [
    [guard('x', 1.05), '<= 1.05x'],
    [guard('+', 40, true), '< +40'],
    [guard('=', 0), '<= 0'],
    [{ ...guard('x', 1.05), of: 'best' }, '<= 1.05x best'],
  ];
  for (const [one, text] of cases) assert.equal(formatGuard(one), text);
});
