import { calibrate, type Noise } from '../../domain/rules/contest.ts';
import { type Evidence, measureKey, singleStage } from '../../domain/words/experiment.ts';
import { formatList, formatNoise, meanOf, medianOf, middleNumbers } from '../../domain/words/score.ts';
import { entryAt } from '../../git/objects/tree.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { type BestEntry, moveBest, readBest, standsOnTrunk } from '../../records/notebook/best-line.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue } from '../../records/queue/queue.ts';
import { seedFor } from '../../records/seeds.ts';
import { Problem } from '../../text/problem.ts';
import type { Scored } from '../judge/verdict.ts';
import { keepsBest, mergedTree, oldKey } from './base-tree.ts';
import { refuseFailingTests, refuseWrongStart, whyNoScore } from './check-harness.ts';
import { type Scale, spreadIn } from './hold-contest.ts';
import type { Measuring } from './measure-beside.ts';
import { timeReferenceLoad } from './reference-load.ts';
import { levelOf, type MeasureContext, measure } from './trial.ts';

export interface Base {
  readonly best: BestEntry;
  readonly calibration: Calibration;
  /** True when best was written anew with what was measured just now; false when it stands as it was. */
  readonly written: boolean;
  /** True when there had been a best before. */
  readonly again: boolean;
  /** What was recorded for best, where this machine gives the same tree, brief and harness another score. */
  readonly drifted: number | undefined;
}

/**
 * Where the night starts from: orgrepo/best with whatever people have put on the trunk since. A tree that was not
 * measured under this brief and this harness is measured now, before anybody builds on it.
 */
export async function takeBase(calibrating: Calibrating, trunk: string, fromTrunk: boolean): Promise<Base> {
  const { org, pinned } = calibrating;
  const best = await readBest(org);
  const key = best === undefined ? undefined : await oldKey(org, best);
  const same = key === measureKey(pinned);
  if (best !== undefined && same && !fromTrunk && (await standsOnTrunk(org, best, trunk))) {
    await refuseWrongStart(calibrating, best, false); // A guard may be new.
    await refuseFailingTests(calibrating, best.tree); // So may the tests, or the machine.
    return standOn(calibrating, best);
  }
  const tree = await mergedTree(org, best, trunk, fromTrunk);
  if ((await entryAt(org.repo, tree, pinned.brief.harness))?.oid !== pinned.harness) {
    throw new Problem(
      'integrity/harness',
      `the harness on orgrepo/best is not the trunk's`,
      'Somebody committed to orgrepo/best by hand. Start over from the trunk: orgrepo run --from-trunk',
    );
  }
  const calibration = await calibrateMetric(calibrating, tree);
  await refuseWrongStart(calibrating, calibration, best === undefined || fromTrunk);
  await refuseFailingTests(calibrating, tree);
  const start = {
    tree,
    parents: best === undefined ? [trunk] : [best.commit, trunk],
    title:
      best === undefined ? 'baseline: as the trunk has it' : `baseline: best with the trunk at ${trunk.slice(0, 7)}`,
    n: best === undefined || fromTrunk || !(await keepsBest(org, best, tree, trunk, pinned)) ? 0 : best.n,
    // While the measure stays the same, so does the baseline that every gain is counted from.
    baseline: same && !fromTrunk ? best?.baseline : undefined,
  };
  const moved = await moveBaseline(calibrating, calibration, start, best?.commit);
  if (moved === undefined) throw new Problem('busy/lock', 'orgrepo/best was moved by somebody else', 'Run again.');
  return { best: moved, calibration, written: true, again: best !== undefined, drifted: undefined };
}

/** Best as it was recorded, when this machine agrees; otherwise measured anew: a number of another machine cannot be compared. */
async function standOn(calibrating: Calibrating, best: BestEntry): Promise<Base> {
  const calibration = await calibrateMetric(calibrating, best.tree);
  const agrees = calibration.scale.noise !== undefined || calibration.score === best.score;
  if (agrees) return { best, calibration, written: false, again: true, drifted: undefined };
  const moved = await rewriteBest(calibrating, best, calibration, 'best, which scores otherwise here and now');
  return { best: moved, calibration, written: true, again: true, drifted: best.score };
}

/** Best measured again because the brief now asks for something else. */
export async function remeasureBest(
  calibrating: Calibrating,
  best: BestEntry,
): Promise<Pick<Base, 'best' | 'calibration'>> {
  const calibration = await calibrateMetric(calibrating, best.tree);
  await refuseWrongStart(calibrating, calibration, false);
  return { best: await rewriteBest(calibrating, best, calibration, 'best under the changed brief'), calibration };
}

async function rewriteBest(calibrating: Calibrating, best: BestEntry, calibration: Calibration, what: string) {
  const again = { title: `baseline: ${what}`, tree: best.tree, parents: [best.commit], n: best.n, baseline: undefined };
  return (await moveBaseline(calibrating, calibration, again, best.commit)) ?? best;
}

/** Moves best to a tree, with what was measured of it. */
async function moveBaseline(
  { org, pinned: { brief, blob, harness } }: Calibrating,
  { score, samples, seeds, numbers, scale }: Calibration,
  to: Pick<Parameters<typeof moveBest>[1], 'tree' | 'parents' | 'title' | 'n' | 'baseline'>,
  from: string | undefined,
): Promise<BestEntry | undefined> {
  const measured = { score, samples, seeds, numbers, noise: scale.noise, jail: await levelOf(org) };
  const asked = { metric: brief.metric, brief: blob, harness, stages: singleStage(brief) };
  const next = { ...measured, ...asked, ...to, agent: 'orgrepo', event: 'baseline', cause: undefined } as const;
  return moveBest(org, next, from);
}

/** A tree measured until it is known how noisy the metric is, and what it scored meanwhile. */
export interface Calibration extends Pick<Evidence, 'seeds' | 'samples' | 'numbers'> {
  readonly scale: Scale;
  readonly score: number;
}

/** What a calibration is done for, and how it gets its turn to measure. */
export interface Calibrating extends MeasureContext {
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called when three measurements are not enough: how many more there will be. */
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
  const deterministic = new Set(scores()).size === 1;
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
  const found =
    spread === 0
      ? 'is the same every time'
      : `differs by about ${Number(spread.toPrecision(3))} from one time to the next`;
  await changeQueue(org, () => ({
    event: 'calibrate',
    title: `calibrate: ${metric} ${found}`,
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
