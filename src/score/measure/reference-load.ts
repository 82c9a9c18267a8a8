import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { pace } from '../../process/pace.ts';

/** A fixed piece of work and how long it takes here when all is well: what tells a slow candidate from a busy machine. */
export interface ReferenceLoad {
  readonly usualMs: number;
  readonly time: () => number;
  /** How long a busy machine is waited for. */
  readonly patienceMs: number;
}

const block = Buffer.alloc(1 << 20, 'orgrepo');
const rounds = 3;

/** Hashes the same three megabytes; gives back how many milliseconds that took. */
export function timeReferenceLoad(): number {
  const started = performance.now();
  const hash = createHash('sha256');
  for (let round = 0; round < rounds; round++) hash.update(block);
  hash.digest();
  return performance.now() - started;
}

/** So many times its usual time is too busy to believe what was measured. */
const mostTimes = 2;

/** Waits for a calm moment, two seconds at most. */
export async function untilCalm({ usualMs, time }: ReferenceLoad): Promise<void> {
  for (let looks = 0; looks < mostLooks && time() > mostTimes * usualMs; looks++) await wait(pace().calmMs);
}

const mostLooks = 20;

/** The milliseconds that the reference load takes now, if that is too long twice in a row; undefined when all is well. */
export async function findOverload({ usualMs, time }: ReferenceLoad): Promise<number | undefined> {
  const first = time();
  if (first <= mostTimes * usualMs) return undefined;
  await wait(5); // A moment's hiccup is not a load.
  const second = time();
  return second <= mostTimes * usualMs ? undefined : Math.min(first, second);
}
