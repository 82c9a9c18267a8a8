import { type Noise, spreadOf } from '../../domain/rules/contest.ts';
import { type Experiment, measureKey, type Outcome, testsPassed } from '../../domain/words/experiment.ts';
import { type Gain, gainOver, intervalOf, meanOf } from '../../domain/words/score.ts';
import { type PinnedBrief, readBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { seedFor } from '../../records/seeds.ts';
import { Problem } from '../../text/problem.ts';
import { judgeFailure } from '../judge/verdict.ts';
import { measurePair, measureSteadily, type Scale } from './hold-contest.ts';
import type { Measuring } from './measure-beside.ts';
import { runTests } from './run-tests.ts';
import { type MeasureContext, measure } from './trial.ts';

/** An experiment measured once more, and whether that gave what its commit says. */
export type Replayed = Awaited<ReturnType<typeof replay>>;

/** More than this many spreads of a mean is not an accident. */
const spreads = 3;

/**
 * How far the mean of as many fresh scores may lie from that of these: 0 where the metric is deterministic. The samples may differ by
 * more than the calibration showed, on a machine that had other things to do; the two means differ by the spread of both.
 */
export function noiseWithin(noise: Noise | undefined, samples: readonly number[]): number {
  if (noise === undefined) return 0;
  const mean = meanOf(samples);
  const squares = samples.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  const own = samples.length < 2 ? 0 : Math.sqrt((2 * squares) / (samples.length - 1));
  return (spreads * Math.max(spreadOf(noise), own)) / Math.sqrt(Math.max(1, samples.length));
}

/** Whether there is anything to compare with: an attempt that was refused has no measurement, and a void one does not count. */
export const wasMeasured = (experiment: Experiment): boolean =>
  experiment.seconds !== undefined && experiment.event !== 'void';

/** Measures an experiment again from its commit alone, and compares: exactly, or within the noise that was known then. */
export async function replay(org: Org, experiment: Experiment, signal: AbortSignal) {
  const pinned = await pinnedFor(org, experiment);
  const outcome = await measureAgain(org, pinned, experiment, signal);
  const { noise, samples } = experiment;
  const within = noiseWithin(noise, samples);
  const same =
    outcome.kind === 'scored'
      ? experiment.score !== undefined && Math.abs(outcome.score - experiment.score) <= within
      : experiment.score === undefined && judgeFailure(outcome).event === experiment.event;
  const tests = experiment.tests && (await testAgain({ org, pinned, signal }, experiment.tree));
  const reproduced = same && (tests === testsPassed) === (experiment.tests === testsPassed);
  return { experiment, outcome, reproduced, within, tests };
}

/** As a verdict would record it. */
async function testAgain(context: MeasureContext, tree: string): Promise<string> {
  const outcome = await runTests(context, tree);
  if (outcome.kind === 'passed') return testsPassed;
  return outcome.kind === 'failed' ? outcome.why : outcome.reason;
}

/** Everything comes out of the commit's own trailers: the tree, the harness, the brief, the seeds. */
async function pinnedFor(org: Org, experiment: Experiment): Promise<PinnedBrief> {
  if (!(await org.repo.reader.has(experiment.harness))) {
    throw new Problem(
      'integrity/harness',
      `the harness ${experiment.harness} of #${experiment.n} is not in this repository`,
      'Fetch the whole history: git fetch --unshallow',
    );
  }
  const asked = await readBrief(org, experiment.brief, experiment.tree);
  const { experimentMs } = asked.budget;
  const brief = { ...asked, budget: { ...asked.budget, experimentMs: experiment.limitMs ?? experimentMs } };
  return { brief, blob: experiment.brief, harness: experiment.harness };
}

async function measureAgain(
  org: Org,
  pinned: PinnedBrief,
  experiment: Experiment,
  signal: AbortSignal,
): Promise<Outcome> {
  const scores: number[] = [];
  for (const seed of experiment.seeds.length === 0 ? [0] : experiment.seeds) {
    const { outcome } = await measure({ org, pinned, signal }, experiment.tree, seed);
    if (outcome.kind !== 'scored') return outcome;
    scores.push(outcome.score);
  }
  return { kind: 'scored', score: meanOf(scores), samples: scores, numbers: {} };
}

/** Enough for an interval. A deterministic metric needs one pair. */
export const gainPairs = 10;

/** Seeds that no contest of the same tree can reach: it has two hundred pairs at most. */
const freshFrom = 1_000;

interface EndOfNight extends Measuring {
  readonly pinned: PinnedBrief;
  readonly best: { readonly tree: string };
  /** The tree that was best when the night began. */
  readonly base: string;
  readonly scales: ReadonlyMap<string, Scale>;
}

/**
 * What the night was worth: its best against what it began with, on pairs that nobody was chosen by. The numbers on the way
 * there are those of winners, and winners are lucky. Undefined when there is nothing to tell, or nobody waits for it.
 */
export async function measureGain(night: EndOfNight, isStopped: () => boolean): Promise<Gain | undefined> {
  const { org, pinned, best, base, signal } = night;
  const scale = night.scales.get(measureKey(pinned));
  if (best.tree === base || scale === undefined) return undefined;
  const wanted = scale.noise === undefined ? 1 : gainPairs;
  const pairs: (readonly [number, number])[] = [];
  for (let k = 0; k < wanted; k++) {
    if (signal.aborted || isStopped()) return undefined;
    const detail = `best against the night's start, ${k + 1} of ${wanted}`;
    night.say({ kind: 'doing', at: nowInSeconds(), agent: 'orgrepo', doing: 'measuring', detail });
    const seed = seedFor(org, best.tree, pinned.harness, freshFrom + k);
    const run = (tree: string) => measureSteadily(night, tree, seed, scale);
    const pair = await measurePair(run, best.tree, base, k % 2 === 1);
    if (pair.kind === 'scored' && pair.champion !== undefined) pairs.push([pair.challenger.score, pair.champion.score]);
    else if (pair.kind === 'failed' && !signal.aborted) {
      const message = `pair ${k + 1} of best and the night's start does not count: ${judgeFailure(pair.outcome).reason}`;
      night.say({ kind: 'warning', at: nowInSeconds(), message });
    }
  }
  if (pairs.length === 0) return undefined;
  const gains = pairs.map(([score, start]) => gainOver(score, start, pinned.brief.direction));
  const gain = { pairs, mean: meanOf(gains), ...intervalOf(gains) };
  const { mean, low, high } = gain;
  const { metric } = pinned.brief;
  night.say({ kind: 'gain', at: nowInSeconds(), metric, mean, low, high, pairs: pairs.length });
  return gain;
}
