import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Noise, spreadOf } from '../../domain/rules/contest.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { pace } from '../../process/pace.ts';
import { disturbanceInWords, disturberOf } from '../judge/disturbance.ts';
import { judgeFailure } from '../judge/verdict.ts';
import { measureBeside } from './measure-beside.ts';
import type { Measuring } from './measuring.ts';
import { type Measured, measure, type Trial } from './trial.ts';

/** How a metric behaves on this machine, under one brief and one harness. */
export interface Scale {
  /** What is known of the noise; contests add to it. Undefined: the metric is deterministic. */
  noise: Noise | undefined;
  readonly load: ReferenceLoad;
  /** How long a measurement usually takes. */
  readonly usualMs: number;
}

/** How often a measurement is made at the least before a busy machine is given up on. */
const fewestTries = 3;

/** How often a measurement is made among its neighbours, and how often without them, before it is void. */
const [mostDisturbed, mostAlone] = [3, 3];

/**
 * Measures a tree once and does not blame it for a busy machine: a noisy metric is believed only when the machine was
 * well before and after and its neighbours were quiet meanwhile, a timeout only when it was well after. Where it was not, it is measured
 * again in a calmer moment; void is what finds none.
 */
export async function measureSteadily(
  night: Omit<Measuring, 'slots'>,
  tree: string,
  pinned: PinnedBrief,
  seed: number,
  scale: Scale,
): Promise<Trial> {
  const { org, signal } = night;
  const noisy = scale.noise !== undefined;
  const givesUpAt = performance.now() + scale.load.patienceMs;
  const disturbed: string[] = [];
  let seconds = 0;
  const run = (): Promise<Measured> => measure(org, tree, pinned, seed, signal);
  for (let tries = 1; ; ) {
    const before = noisy ? await findOverload(scale.load) : undefined;
    const alone = disturbed.length >= mostDisturbed;
    const { trial, disturbance } = noisy
      ? await measureBeside(night, pinned.brief.slots, alone, run)
      : { trial: await run(), disturbance: undefined };
    seconds += trial.seconds;
    const doubtful = noisy || trial.outcome.kind === 'timed-out';
    const busy = before ?? (doubtful ? await findOverload(scale.load) : undefined);
    const isSettled = signal.aborted || trial.outcome.kind === 'void';
    if (isSettled) return { ...trial, seconds, disturbed };
    if (disturbance !== undefined) {
      disturbed.push(disturberOf(disturbance));
      if (disturbed.length < mostDisturbed + mostAlone) continue;
      const reason = `${disturbanceInWords(disturbance)}, ${disturbed.length} times`;
      return { outcome: { kind: 'void', reason }, seconds, disturbed };
    }
    if (busy === undefined) return { ...trial, seconds, disturbed };
    if (tries++ < fewestTries || performance.now() < givesUpAt) {
      await untilCalm(scale.load);
      continue;
    }
    return { outcome: { kind: 'void', reason: overloadInWords(scale, busy, tries - 1, trial) }, seconds, disturbed };
  }
}

function overloadInWords({ load }: Scale, busy: number, tries: number, { outcome }: Trial): string {
  const what = outcome.kind === 'scored' ? 'measured' : judgeFailure(outcome).reason;
  return `the machine was overloaded: a load that takes ${load.usualMs.toFixed(1)} ms took ${busy.toFixed(1)} ms, ${tries} times (${what})`;
}

/** By how much two measurements of one tree with the same seed differ; 0 where the metric is deterministic. */
export const spreadIn = ({ noise }: Pick<Scale, 'noise'>): number => (noise === undefined ? 0 : spreadOf(noise));

/** A fixed piece of work and how long it takes here when all is well: what tells a slow candidate from a busy machine. */
interface ReferenceLoad {
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
async function untilCalm({ usualMs, time }: ReferenceLoad): Promise<void> {
  for (let looks = 0; looks < mostLooks && time() > mostTimes * usualMs; looks++) await wait(pace().calmMs);
}

const mostLooks = 20;

/** The milliseconds that the reference load takes now, if that is too long twice in a row; undefined when all is well. */
export async function findOverload({ usualMs, time }: ReferenceLoad): Promise<number | undefined> {
  const first = time();
  if (first <= mostTimes * usualMs) return undefined;
  await wait(5); // A moment's hiccup is no load.
  const second = time();
  return second <= mostTimes * usualMs ? undefined : Math.min(first, second);
}
