import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gainOver, moveInWords, percentChange, reaches } from '../../src/domain/words/score.ts';
import { exitCodeOf, Problem, type ProblemCode } from '../../src/text/problem.ts';

test('a gain is positive when the score moved the way the brief asks', () => {
  assert.deepEqual([gainOver(3, 5, 'minimize'), gainOver(3, 5, 'maximize')], [2, -2]);
  assert.deepEqual(
    [reaches(3, 3, 'minimize'), reaches(4, 3, 'minimize'), reaches(4, 3, 'maximize')],
    [true, false, true],
  );
});

test('a percentage is given only where it means something', () => {
  const cases: readonly [number, number, number | undefined][] = [
    [10, 5, -50],
    [-10, -5, 50],
    [0, 5, undefined],
    [Number.NaN, 5, undefined],
  ];
  for (const [from, to, expected] of cases) assert.equal(percentChange(from, to), expected);
});

test('the kind of a problem decides the exit code that scripts see', () => {
  const cases: readonly [ProblemCode, number][] = [
    ['usage/option', 64],
    ['brief/value', 6],
    ['spec/id', 6],
    ['branches/contradiction', 6],
    ['repo/none', 6],
    ['harness/missing', 6],
    ['person/conflict', 3],
    ['integrity/history', 5],
    ['busy/run', 75],
    ['disk/write', 1],
    ['experiment/differs', 1],
  ];
  for (const [code, exit] of cases) assert.equal(exitCodeOf(new Problem(code, 'what', 'how')), exit, code);
});

test('a move is told with as many digits as it takes to see it', () => {
  const cases: readonly (readonly [number, number, string])[] = [
    [5, 5, 'stays 5'],
    [5, 3, '5 -> 3'],
    [1.23456789, 1.2, '1.235 -> 1.2'],
    [1.00001, 1.00002, '1.00001 -> 1.00002'],
    [0.1 + 0.2, 0.3, '0.30000000000000004 -> 0.3'],
  ];
  for (const [before, after, words] of cases) assert.equal(moveInWords(before, after), words);
});
