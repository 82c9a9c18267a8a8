import { test } from 'node:test';
import { boundedNights } from '../support/bounded-nights.ts';
import { serverNights } from '../support/server-nights.ts';

/** What servers.test.ts meets, as slow as servers are, and nights that limits hold, both ways. Those that wait for a server wait together. */

const nights = [
  ...boundedNights.map((night) => ({ ...night, delayMs: 0 })),
  ...[...serverNights, ...boundedNights].map((night) => ({ ...night, delayMs: 2_000 })),
];
const titleOf = ({ what, delayMs }: (typeof nights)[number]): string => `after ${delayMs / 1_000} s: ${what}`;

const together = nights
  .filter(({ isAlone }) => isAlone !== true)
  .map((night) => ({ title: titleOf(night), met: night.meet(night.delayMs) }));
const allMet = Promise.allSettled(together.map(({ met }) => met));

for (const { title, met } of together)
  test(title, async () => {
    await allMet; // What comes next changes the environment of all of them.
    await met;
  });

for (const night of nights.filter(({ isAlone }) => isAlone)) test(titleOf(night), () => night.meet(night.delayMs));
