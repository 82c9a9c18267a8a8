import { learnFrom, type Noise, spreadOf } from '../../domain/rules/contest.ts';
import { type Aim, type Evidence, type Experiment, testsPassed } from '../../domain/words/experiment.ts';
import { middleNumbers, type Numbers } from '../../domain/words/score.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Judgement } from '../../records/notebook/experiment-entry.ts';
import { seedFor } from '../../records/seeds.ts';
import { type Failure, judge, judgeFailure, type Rival, readContest, type Scored } from '../judge/verdict.ts';
import { disturbanceInWords, disturberOf, type Measuring, measureBeside } from './measure-beside.ts';
import { findOverload, type ReferenceLoad, untilCalm } from './reference-load.ts';
import { runTestsSteadily } from './run-tests.ts';
import { type MeasureContext, type Measured, measure, type Trial } from './trial.ts';

/** A tree that wants to replace another. */
interface Contest {
  readonly tree: string;
  readonly rival: Rival & { readonly tree: string };
  readonly pinned: PinnedBrief;
  readonly aim: Aim;
  /** An inconclusive contest of the same two trees that this one goes on with. */
  readonly earlier: Experiment | undefined;
}

/**
 * Measures until there is a verdict: a deterministic metric by the challenger alone, a noisy one in pairs of champion and
 * challenger with one seed, in turn first. A slot is held for a pair, so that no other lane comes between the two. What would
 * win has to pass the tests of the brief, once.
 * Undefined when the run was cancelled meanwhile.
 */
export async function holdContest(
  night: Measuring,
  contest: Contest,
  scale: Scale,
  onTurn: (part: 'harness' | 'tests') => void = () => {},
): Promise<Judgement | undefined> {
  const { tree, rival, pinned } = contest;
  const { org, say, signal } = night;
  const { noise } = scale;
  // What is exact by now needs no old draws.
  const { seeds, samples, against } = (noise && contest.earlier) ?? { seeds: [], samples: [], against: [] };
  let evidence: Evidence = { seeds, samples, against, carried: samples.length, numbers: {}, noise };
  const printed: Numbers[] = [];
  let seconds = 0;
  const disturbed: string[] = [];
  let output: string | undefined;
  for (;;) {
    const verdict = judge(evidence, rival, pinned.brief, contest.aim);
    if (verdict?.event === 'keep' && evidence.tests === undefined && pinned.brief.tests !== undefined) {
      const tested = await night.slots.add(() => {
        onTurn('tests');
        return runTestsSteadily({ org, signal, pinned }, tree, scale.load);
      });
      if (signal.aborted || tested === undefined) return undefined;
      if (tested.kind === 'void') return judgedFailed(tested, evidence.seeds.at(-1) ?? 0, seconds, disturbed);
      evidence = { ...evidence, tests: tested.kind === 'passed' ? testsPassed : tested.why };
      if (tested.kind === 'failed') output = tested.output;
    } else if (verdict !== undefined) {
      learn(scale, evidence, contest);
      return { verdict, evidence, failure: undefined, output, seconds, disturbed };
    } else {
      const k = evidence.samples.length;
      const seed = seedFor(org, tree, pinned.harness, k);
      const run = (which: string): Promise<Trial> => measureSteadily({ org, say, signal, pinned }, which, seed, scale);
      const pair = await night.slots.add(() => {
        onTurn('harness');
        return measurePair(run, tree, noise === undefined ? undefined : rival.tree, k % 2 === 1);
      });
      if (signal.aborted || pair === undefined) return undefined;
      seconds += pair.seconds;
      disturbed.push(...pair.disturbed);
      if (pair.kind === 'failed') return judgedFailed(pair.outcome, seed, seconds, disturbed);
      printed.push(pair.challenger.numbers);
      output = pair.challenger.output;
      evidence = {
        ...evidence,
        seeds: [...evidence.seeds, seed],
        samples: [...evidence.samples, pair.challenger.score],
        against: pair.champion === undefined ? [] : [...evidence.against, pair.champion.score],
        numbers: middleNumbers(printed),
      };
    }
  }
}

const judgedFailed = (outcome: Failure, seed: number, seconds: number, disturbed: readonly string[]): Judgement => ({
  ...{ verdict: judgeFailure(outcome), failure: { outcome, seed }, seconds, disturbed },
});

/** One or two measurements that belong together. */
type Pair = { readonly seconds: number; readonly disturbed: readonly string[] } & (
  | { readonly kind: 'scored'; readonly challenger: Scored; readonly champion: Scored | undefined }
  | { readonly kind: 'failed'; readonly outcome: Failure }
);

/**
 * Measures a challenger, alone or with the champion. A challenger that fails has failed; a champion that fails, which it never
 * did, says something about the machine.
 */
export async function measurePair(
  run: (tree: string) => Promise<Trial>,
  challenger: string,
  champion: string | undefined,
  challengerFirst: boolean,
): Promise<Pair> {
  const order = challengerFirst ? [challenger, champion] : [champion, challenger];
  const scored: Scored[] = [];
  let seconds = 0;
  const disturbed: string[] = [];
  for (const tree of order) {
    if (tree === undefined) continue;
    const trial = await run(tree);
    seconds += trial.seconds;
    disturbed.push(...(trial.disturbed ?? []));
    const { outcome } = trial;
    if (outcome.kind === 'scored') scored.push(outcome);
    else if (tree === challenger || outcome.kind === 'void') return { kind: 'failed', outcome, seconds, disturbed };
    else {
      const reason = `what it is compared with got no score this time: ${judgeFailure(outcome).reason}`;
      return { kind: 'failed', outcome: { kind: 'void', reason }, seconds, disturbed };
    }
  }
  const [own, other] = challengerFirst || champion === undefined ? scored : scored.toReversed();
  return { kind: 'scored', challenger: own as Scored, champion: other, seconds, disturbed };
}

/** The pairs that decided say how noisy the metric is, whichever side won. */
function learn(scale: Scale, evidence: Evidence, { pinned, aim }: Contest): void {
  if (evidence.noise === undefined || scale.noise === undefined || aim === 'simpler') return;
  const read = readContest(evidence, evidence.noise, pinned.brief);
  if (read !== undefined) scale.noise = learnFrom(scale.noise, read.gains.slice(evidence.carried, read.decided));
}

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
  night: MeasureContext & Pick<Measuring, 'say'>,
  tree: string,
  seed: number,
  scale: Scale,
): Promise<Trial> {
  const { pinned, signal } = night;
  const noisy = scale.noise !== undefined;
  const givesUpAt = performance.now() + scale.load.patienceMs;
  const disturbed: string[] = [];
  let seconds = 0;
  const run = (): Promise<Measured> => measure(night, tree, seed);
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
