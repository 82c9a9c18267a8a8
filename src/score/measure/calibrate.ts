import { calibrate, medianOf, type Noise } from '../../domain/rules/contest.ts';
import type { Evidence } from '../../domain/words/experiment.ts';
import { formatList, formatNoise, meanOf, middleNumbers } from '../../domain/words/score.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue } from '../../records/queue/queue.ts';
import { seedFor } from '../../records/seeds.ts';
import type { Scored } from '../judge/verdict.ts';
import { whyNoScore } from './check-harness.ts';
import { type Scale, spreadIn, timeReferenceLoad } from './hold-contest.ts';
import type { Measuring } from './measure-beside.ts';
import { levelOf, type MeasureContext, measure } from './trial.ts';

/** A tree measured until it is known how noisy the metric is, and what it scored meanwhile. */
export interface Calibration extends Pick<Evidence, 'seeds' | 'samples' | 'numbers'> {
  readonly scale: Scale;
  readonly score: number;
}

/** What a calibration is done for, and how it gets its turn to measure. */
export interface Calibrating extends MeasureContext {
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told when three measurements are not enough: how many more there will be. */
  readonly onNoise: (measurements: number) => void;
}

/** Eight pairs tell enough of the noise; where they would take more than a tenth of the night, at least three must do. */
const [mostPairs, fewestPairs, share] = [8, 3, 0.1];

function pairsWithin(nightMs: number, eachMs: number): number {
  return Math.max(fewestPairs, Math.min(mostPairs, Math.floor((nightMs * share) / (2 * eachMs))));
}

/**
 * Measures a tree with the seeds A, A and B. Three equal scores: the metric is deterministic. Otherwise on to up to
 * eight pairs of the tree with itself, one seed to a pair; the first three measurements are part of them.
 */
export async function calibrateMetric(calibrating: Calibrating, tree: string): Promise<Calibration> {
  const { org, pinned } = calibrating;
  const seedOf = (measurement: number): number => seedFor(org, tree, pinned.harness, measurement >> 1);
  const measured: Scored[] = [];
  const [times, loads]: [number[], number[]] = [[], []];
  const measureUpTo = async (count: number): Promise<void> => {
    while (measured.length < count) {
      const { outcome, seconds } = await calibrating.turn(() => measure(calibrating, tree, seedOf(measured.length)));
      if (outcome.kind !== 'scored') throw await whyNoScore(calibrating, tree, outcome);
      measured.push(outcome);
      times.push(seconds * 1000);
      loads.push(...Array.from({ length: pace().loadTimings }, timeReferenceLoad));
    }
  };
  await measureUpTo(3);
  const scores = (): readonly number[] => measured.map(({ score }) => score);
  const deterministic = scores().every((score) => score === scores()[0]);
  if (!deterministic) {
    const pairs = pairsWithin(pinned.brief.budget.nightMs, medianOf(times));
    calibrating.onNoise(2 * pairs - measured.length);
    await measureUpTo(2 * pairs);
  }
  const scale = {
    noise: deterministic ? undefined : noiseIn(scores()),
    load: { usualMs: medianOf(loads), time: timeReferenceLoad, patienceMs: pace().busyMs },
    usualMs: medianOf(times),
  };
  return {
    scale,
    score: meanOf(scores()),
    seeds: measured.map((_, at) => seedOf(at)),
    samples: scores(),
    numbers: middleNumbers(measured.map(({ numbers }) => numbers)),
  };
}

/**
 * How much the two of a pair differ. Where they never do, the harness draws its instances from the seed alone, and it is
 * the seeds that differ: more than a pair will, which is the careful side. Contests then teach better.
 */
function noiseIn(scores: readonly number[]): Noise {
  const first = scores.filter((_, at) => at % 2 === 0);
  const second = scores.filter((_, at) => at % 2 === 1);
  const within = second.map((score, pair) => score - (first[pair] ?? score));
  const between = first.slice(1).map((score, pair) => score - (first[pair] ?? score));
  return calibrate(within.some((difference) => difference !== 0) ? within : between);
}

/** A calibration in the middle of a night: each measurement waits for a slot like any other. */
export const calibratingFor = (night: Measuring, pinned: PinnedBrief): Calibrating => ({
  org: night.org,
  pinned,
  signal: night.signal,
  turn: (work) => night.slots.add(work) as ReturnType<typeof work>,
  onNoise: (measurements) =>
    night.say({ kind: 'calibrating', at: nowInSeconds(), metric: pinned.brief.metric, measurements }),
});

export function sayCalibrated(
  { say, pinned }: Pick<Measuring, 'say'> & { readonly pinned: PinnedBrief },
  { scale, samples }: Calibration,
): void {
  const { metric } = pinned.brief;
  say({ kind: 'calibrated', at: nowInSeconds(), metric, measurements: samples.length, spread: spreadIn(scale) });
}

/** Puts what was learnt about the metric on the queue. */
export async function recordCalibration(
  org: Org,
  calibration: Calibration,
  pinned: PinnedBrief,
  best: { readonly commit: string; readonly score: number },
): Promise<void> {
  const { metric } = pinned.brief;
  const spread = spreadIn(calibration.scale);
  const jail = await levelOf(org);
  await changeQueue(org, () => ({
    event: 'calibrate',
    title:
      spread === 0
        ? `calibrate: ${metric} is the same every time`
        : `calibrate: ${metric} differs by about ${Number(spread.toPrecision(3))} from one time to the next`,
    trailers: {
      Metric: metric,
      Samples: formatList(calibration.samples),
      Seeds: formatList(calibration.seeds),
      Noise: formatNoise(calibration.scale.noise),
      Harness: pinned.harness,
      Brief: pinned.blob,
      Best: best.score,
      Cause: best.commit,
      Host: org.host,
      Jail: jail,
    },
  }));
}
