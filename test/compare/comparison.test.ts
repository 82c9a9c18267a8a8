import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareStarts,
  judgeDifferences,
  type PairedStart,
  type StartResult,
  signFlipChance,
} from '../../src/compare/compare-verdict.ts';
import { type Random, randomFrom } from '../../src/text/random.ts';

test('the chance of a mean is counted over all signs, ties against it', () => {
  const table: readonly (readonly [readonly number[], number])[] = [
    [[], 1],
    [[0, 0, 0], 1],
    [[1], 1],
    [[1, 1, 1, 1, 1], 2 / 32],
    [[1, 1, 1, 1, 1, 1], 2 / 64],
    [[-1, -1, -1, -1, -1, -1], 2 / 64],
    [[1, 1, 1, 1, 1, -1], 14 / 64],
    [[1, 2, 4], 2 / 8],
    [[0.1, 0.2, -0.3], 1],
    [[3, 0, 0, 0], 1],
    [Array.from({ length: 20 }, () => 0.1), 2 / 2 ** 20],
  ];
  for (const [differences, chance] of table) assert.equal(signFlipChance(differences), chance, String(differences));
});

test('more pairs than can be tried are drawn, and agree with the count', () => {
  const random = randomFrom('many');
  const few = Array.from({ length: 28 }, () => random.normal() + 0.3);
  const many = [...few, 1e-9];
  assert.ok(Math.abs(signFlipChance(few) - signFlipChance(many)) < 0.01);
  assert.ok(signFlipChance(Array.from({ length: 100 }, () => 1)) <= 0.0001);
});

test('words go by the direction, and by test and interval both', () => {
  const lower = Array.from({ length: 20 }, (_, index) => -0.14 + (index % 5) * 0.01);
  assert.equal(judgeDifferences(lower, 'minimize').kind, 'better');
  assert.equal(judgeDifferences(lower, 'maximize').kind, 'worse');
  assert.equal(judgeDifferences([-1, -1, -1, -1, -1, -1], 'minimize').kind, 'no difference');
  assert.equal(judgeDifferences([-1, -1, -1, -1, -1, -1, -1], 'minimize').kind, 'better');
  const same = judgeDifferences([0, 0, 0, 0, 0, 0], 'minimize');
  assert.deepEqual(same, {
    kind: 'no difference',
    difference: { mean: 0, low: 0, high: 0, pairs: 6 },
    chance: 1,
    visible: undefined,
  });
  const mixed = judgeDifferences([1, -1, 1, -1, 1, -1, 1, -1], 'minimize');
  assert.equal(mixed.kind, 'no difference');
  assert.equal(mixed.visible?.toFixed(2), '1.46');
});

/** How A and B of one pair score, where they are the same org. */
const equals: Readonly<Record<string, (random: Random) => readonly [number, number]>> = {
  normal: (random) => [random.normal(), random.normal()],
  'mostly ties': (random) => (random.next() < 0.7 ? [5, 5] : [random.below(3), random.below(3)]),
  'all ties': () => [1, 1],
  'two values': (random) => [random.below(2), random.below(2)],
  'heavy tails': (random) => [cauchy(random), cauchy(random)],
  skewed: (random) => [Math.exp(2 * random.normal()), Math.exp(2 * random.normal())],
  'luck of the pair': (random) => {
    const shared = 100 * random.normal();
    return [shared + random.normal(), shared + random.normal()];
  },
  'rare disasters': (random) => [random.next() < 0.05 ? 1000 : 1, random.next() < 0.05 ? 1000 : 1],
};

const cauchy = (random: Random): number => Math.tan(Math.PI * (random.next() - 0.5));

for (const [name, draw] of Object.entries(equals)) {
  test(`equal orgs are said to differ in fewer than 3 of 100 comparisons: ${name}`, () => {
    for (const starts of [7, 20]) {
      const random = randomFrom(`${name} ${starts}`);
      let said = 0;
      for (let comparison = 0; comparison < 10_000; comparison++) {
        const differences = Array.from({ length: starts }, () => {
          const [a, b] = draw(random);
          return b - a;
        });
        // The interval can only take words back, so it is asked where there are any.
        if (signFlipChance(differences) <= 0.02 && judgeDifferences(differences, 'minimize').kind !== 'no difference')
          said += 1;
      }
      assert.ok(said <= 250, `${said} of 10,000 with ${starts} starts`);
    }
  });
}

test('a real gap is seen: nearly always when it is large, four times in five when it is what the words name', () => {
  const random = randomFrom('gap');
  const share = (gap: number): number => {
    let seen = 0;
    for (let comparison = 0; comparison < 300; comparison++) {
      const differences = Array.from({ length: 20 }, () => gap + random.normal());
      if (judgeDifferences(differences, 'maximize').kind === 'better') seen += 1;
    }
    return seen / 300;
  };
  assert.ok(share(1.2) > 0.98);
  const just = share(0.76); // (2.539 + 0.861) / sqrt(20)
  assert.ok(just > 0.72 && just < 0.88, String(just));
});

const start: StartResult = {
  score: 3,
  tried: 10,
  kept: 2,
  claimed: 4,
  done: 3,
  seconds: 2,
  escalations: 0,
  spent: undefined,
};

test('what is beside the score is described, what is unknown stays unknown, and none of it decides', () => {
  const spent = { usd: 0.5, known: 0.5, tokensIn: 100, tokensOut: 20, unpriced: 0, subscription: 0 };
  const pairs: PairedStart[] = Array.from({ length: 6 }, (_, index) => [
    { ...start, spent },
    { ...start, seconds: 9, kept: 5, spent: index === 5 ? { ...spent, usd: undefined, unpriced: 7 } : spent },
  ]);
  const { verdict, described } = compareStarts(pairs, 'minimize');
  assert.equal(verdict.kind, 'no difference');
  const told = Object.fromEntries(described.map(({ name, a, b, difference }) => [name, [a, b, difference?.mean]]));
  assert.deepEqual(told, {
    kept: [2, 5, 3],
    tried: [10, 10, 0],
    completion: [0.75, 0.75, 0],
    seconds: [2, 9, 7],
    escalations: [0, 0, 0],
    usd: [0.5, undefined, undefined],
    tokens: [120, 120, 0],
  });
});

test('an org that asks no model has no cost, and one that took no spec up no rate', () => {
  const pairs: PairedStart[] = [[start, { ...start, claimed: 0, done: 0 }]];
  const { described } = compareStarts(pairs, 'minimize');
  assert.deepEqual(
    described.map(({ name }) => name),
    ['kept', 'tried', 'completion', 'seconds', 'escalations'],
  );
  assert.deepEqual(described[2], { name: 'completion', a: 0.75, b: undefined, difference: undefined });
});
