import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  inOrderFor,
  isWarmingUp,
  newcomer,
  type Rank,
  type SpecTask,
  trustIn,
  trustInWords,
  trustOf,
} from '../../src/domain/staff/trust.ts';
import type { VerdictEvent } from '../../src/domain/words/experiment.ts';
import type { Priority } from '../../src/domain/words/spec.ts';
import { taskOf, tried } from '../support/tasks.ts';

const outcomes: Readonly<Record<string, readonly VerdictEvent[]>> = {
  s: ['keep'],
  h: ['discard'],
  f: ['failed'],
  t: ['tampered'],
  n: [],
  x: ['failed'],
};

/** One finished spec for each letter, one after the other: success, honest, failure, tampered, none, out of domain. */
const career = (letters: string): readonly SpecTask[] =>
  [...letters].map((letter, index) =>
    taskOf('a', outcomes[letter] ?? [], {
      spec: String(index + 1).padStart(4, '0'),
      endedAt: 1000 + index,
      ...(letter === 'x' ? { outOfDomain: ['a'] } : {}),
    }),
  );

test('trust begins at 30, is earned by what is kept, and lost by what cannot be measured', () => {
  const cases: readonly (readonly [string, number, Rank])[] = [
    ['', 30, 'probation'],
    ['ssss', 54, 'probation'],
    ['sssss', 60, 'trusted'],
    ['s'.repeat(19), 88, 'trusted'],
    ['s'.repeat(20), 90, 'veteran'],
    ['s'.repeat(60), 100, 'veteran'],
    ['hhhhhhhhhh', 30, 'probation'],
    ['shshshshs', 60, 'trusted'],
    ['f', 20, 'probation'],
    ['ffffff', 0, 'probation'],
    ['t', 0, 'probation'],
    ['ts', 6, 'probation'],
    ['fsssss', 50, 'probation'],
    ['fsssssss', 62, 'trusted'],
    ['sssssf', 50, 'probation'],
    [`${'s'.repeat(20)}f`, 80, 'trusted'],
    [`${'s'.repeat(20)}t`, 60, 'trusted'],
    ['xxxx', 30, 'probation'],
    ['nnnn', 30, 'probation'],
  ];
  for (const [letters, score, rank] of cases) {
    const trust = trustOf(trustIn(career(letters)), 'a');
    assert.deepEqual([trust.score, trust.rank], [score, rank], letters);
  }
});

test('trust counts what it rests on, whatever the order in which notebooks are read', () => {
  const tasks = career('sshftx');
  const expected = {
    ...{ agent: 'a', score: 2, rank: 'probation' },
    results: { success: 2, honest: 1, failure: 1, tampered: 1, excused: 1 },
  };
  assert.deepEqual(trustIn(tasks).get('a'), expected);
  assert.deepEqual(trustIn([...tasks].reverse()).get('a'), expected);
});

test('work that is not finished counts for nobody, and each who worked on a spec answers for their own', () => {
  const open = taskOf('a', ['keep'], { endedAt: undefined });
  const shared = { ...taskOf('c', []), experiments: [tried('b', 'failed'), tried('c', 'keep')] };
  const trusts = trustIn([open, shared]);
  assert.deepEqual(
    [...trusts.values()].map(({ agent, score }) => [agent, score]),
    [
      ['b', 20],
      ['c', 36],
    ],
  );
  assert.deepEqual(trustOf(trusts, 'a'), newcomer('a'));
});

test('the first three specs are the least urgent ones', () => {
  const specs: readonly (readonly [string, Priority])[] = [
    ['1', 'normal'],
    ['2', 'low'],
    ['3', 'critical'],
    ['4', 'low'],
    ['5', 'normal'],
  ];
  const order = (letters: string): string =>
    inOrderFor(trustOf(trustIn(career(letters)), 'a'), specs, ([, priority]) => priority)
      .map(([id]) => id)
      .join('');
  for (const early of ['', 's', 'sh', 'sx', 'xxx', 'hf']) assert.equal(order(early), '32415', early);
  for (const late of ['sss', 'hhh', 'hft', 'sssss']) assert.equal(order(late), '31524', late);
  assert.equal(isWarmingUp(newcomer('a')), true);
});

test('trust in words', () => {
  assert.equal(trustInWords(newcomer('a')), 'trust 30, on probation');
  assert.equal(trustInWords(trustOf(trustIn(career('ssssss')), 'a')), 'trust 62, trusted');
});
