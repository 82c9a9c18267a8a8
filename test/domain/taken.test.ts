import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import { placesOfWins, rowsOf, type TakenWin } from '../../src/domain/words/taken.ts';
import { anExperiment } from '../support/builders.ts';

const won = (n: number, more: Partial<Experiment> = {}): Experiment =>
  anExperiment({ n, event: 'keep', tried: `t${n}`, ...more });

const madeOf = (n: number, of: number, more: Partial<Experiment> = {}): Experiment =>
  won(n, { merged: true, cause: `t${of}`, ...more });

const taken = (n: number, of = n, replacedBy?: number): TakenWin => ({
  ...{ n, replacedBy, commit: `c${n}`, agent: 'junior-1', score: 1, before: 2 },
  won: { n: of, title: `change ${of}` },
});

test('a win is where the last that orgrepo made of it is', () => {
  const places = placesOfWins([won(1), won(2), madeOf(3, 2), madeOf(4, 3)], [taken(1), taken(4, 2)]);
  assert.deepEqual(Object.fromEntries(places), {
    1: { kind: 'on best', as: 1 },
    2: { kind: 'on best', as: 4 },
    3: { kind: 'on best', as: 4 },
    4: { kind: 'on best', as: 4 },
  });
});

test('a win that is on best in another form is not replaced', () => {
  const places = placesOfWins(
    [won(1), won(2), madeOf(3, 2), madeOf(4, 2, { alone: true })],
    [taken(1, 1, 4), taken(3, 2, 4), taken(4, 2)],
  );
  assert.deepEqual(places.get(1), { kind: 'replaced', by: 4 });
  assert.deepEqual(places.get(2), { kind: 'on best', as: 4 });
  assert.deepEqual(places.get(3), { kind: 'replaced', by: 4 });
});

const reasons: readonly (readonly [string, Partial<Experiment>, string])[] = [
  ['its merge lost', { event: 'discard' }, 'merge'],
  ['it lost in place of best', { event: 'discard', alone: true }, 'best'],
  ['a person has to approve it', { alone: true, waits: true }, 'waits'],
  ['a review rejected it', { event: 'rejected', alone: true }, 'rejected'],
];

for (const [when, made, why] of reasons)
  test(`a win is left out when ${when}`, () => {
    const places = placesOfWins([won(1), madeOf(2, 1, made)], []);
    assert.deepEqual(places.get(1), { kind: 'left', why, by: 2 });
  });

test('nothing is said of what did not win', () => {
  assert.equal(placesOfWins([anExperiment({ n: 1, event: 'discard' }), won(2)], []).has(1), false);
  assert.deepEqual(placesOfWins([won(2)], []).get(2), { kind: 'left', why: 'open', by: undefined });
});

test('each taken win is one row, on best where it is', () => {
  const rows = rowsOf([taken(1, 1, 4), taken(3, 2, 4), taken(4, 2), taken(6, 5, 7), taken(7, 5, 8)]);
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 4, 7],
  );
});
