import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strikesIn } from '../../src/domain/rules/stopping-rules.ts';

const one = (n: number, agent: string, event: 'tampered' | 'keep' | 'failed' = 'tampered', merged = false) => ({
  ...{ n, agent, event, merged },
});

test('every tampered attempt of an agent is a strike; a merge is not, and neither is another way to fail', () => {
  const night = [
    one(1, 'a'),
    one(2, 'b'),
    one(3, 'a', 'failed'),
    one(4, 'a'),
    one(5, 'b', 'keep'),
    one(6, 'b', 'tampered', true),
  ];
  assert.deepEqual(
    strikesIn(night, new Map()),
    new Map([
      ['a', 2],
      ['b', 1],
    ]),
  );
  assert.deepEqual(strikesIn([], new Map()), new Map());
});

test('what a person has forgiven counts no more, and what came after does', () => {
  const night = [one(1, 'a'), one(2, 'a'), one(3, 'a'), one(4, 'b'), one(7, 'a')];
  assert.deepEqual(
    strikesIn(night, new Map([['a', 3]])),
    new Map([
      ['b', 1],
      ['a', 1],
    ]),
  );
  assert.deepEqual(
    strikesIn(
      night,
      new Map([
        ['a', 7],
        ['b', 4],
      ]),
    ),
    new Map(),
  );
});
