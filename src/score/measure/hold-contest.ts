import { learnFrom } from '../../domain/rules/contest.ts';
import type { Aim, Evidence, Experiment, Outcome } from '../../domain/words/experiment.ts';
import { middleNumbers, type Numbers } from '../../domain/words/score.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Judgement } from '../../records/notebook/experiment-entry.ts';
import { seedFor } from '../../records/seeds.ts';
import { judge, judgeFailure, type Rival, readContest } from '../judge/verdict.ts';
import type { Measuring } from './measuring.ts';
import { measureSteadily, type Scale } from './noise-scale.ts';
import type { Trial } from './trial.ts';

/** A tree that wants to replace another. */
interface Contest {
  readonly tree: string;
  readonly rival: Rival & { readonly tree: string };
  readonly pinned: PinnedBrief;
  readonly aim: Aim;
  /** An inconclusive contest of the same two trees that this one goes on with. */
  readonly earlier: Experiment | undefined;
}

type Failure = Exclude<Outcome, { kind: 'scored' }>;
type Scored = Extract<Outcome, { kind: 'scored' }>;

/**
 * Measures until there is a verdict: a deterministic metric by the challenger alone, a noisy one in pairs of champion and
 * challenger with one seed, in turn first. A slot is held for a pair, so that no other lane comes between the two.
 * Undefined when the run was cancelled meanwhile.
 */
export async function holdContest(
  night: Measuring,
  contest: Contest,
  scale: Scale,
  onTurn: () => void = () => {},
): Promise<Judgement | undefined> {
  const { tree, rival, pinned } = contest;
  const { noise } = scale;
  const earlier = noise === undefined ? undefined : contest.earlier; // What is exact by now needs no old draws.
  let evidence: Evidence = {
    seeds: earlier?.seeds ?? [],
    samples: earlier?.samples ?? [],
    against: earlier?.against ?? [],
    carried: earlier?.samples.length ?? 0,
    numbers: {},
    noise,
  };
  const printed: Numbers[] = [];
  let seconds = 0;
  const disturbed: string[] = [];
  let output: string | undefined;
  for (;;) {
    const verdict = judge(evidence, rival, pinned.brief, contest.aim);
    if (verdict !== undefined) {
      learn(scale, evidence, contest);
      return { verdict, evidence, failure: undefined, output, seconds, disturbed };
    }
    const k = evidence.samples.length;
    const seed = seedFor(night.org, tree, pinned.harness, k);
    const run = (which: string): Promise<Trial> => measureSteadily(night, which, pinned, seed, scale);
    const pair = await night.slots.add(() => {
      onTurn();
      return noise === undefined ? measureAlone(run, tree) : measurePair(run, tree, rival.tree, k % 2 === 1);
    });
    if (night.signal.aborted || pair === undefined) return undefined;
    seconds += pair.seconds;
    disturbed.push(...pair.disturbed);
    if (pair.kind === 'failed')
      return {
        verdict: judgeFailure(pair.outcome),
        evidence: undefined,
        failure: { outcome: pair.outcome, seed },
        seconds,
        disturbed,
      };
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

/** One or two measurements that belong together. */
type Pair = { readonly seconds: number; readonly disturbed: readonly string[] } & (
  | { readonly kind: 'scored'; readonly challenger: Scored; readonly champion: Scored | undefined }
  | { readonly kind: 'failed'; readonly outcome: Failure }
);

type Run = (tree: string) => Promise<Trial>;

async function measureAlone(run: Run, tree: string): Promise<Pair> {
  const { outcome, seconds, disturbed = [] } = await run(tree);
  if (outcome.kind !== 'scored') return { kind: 'failed', outcome, seconds, disturbed };
  return { kind: 'scored', challenger: outcome, champion: undefined, seconds, disturbed };
}

/** A challenger that fails has failed; a champion that fails, which it never did, says something about the machine. */
export async function measurePair(
  run: Run,
  challenger: string,
  champion: string,
  challengerFirst: boolean,
): Promise<Pair> {
  const order = challengerFirst ? [challenger, champion] : [champion, challenger];
  const scored: Scored[] = [];
  let seconds = 0;
  const disturbed: string[] = [];
  for (const tree of order) {
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
  const [first, second] = scored as [Scored, Scored];
  return challengerFirst
    ? { kind: 'scored', challenger: first, champion: second, seconds, disturbed }
    : { kind: 'scored', challenger: second, champion: first, seconds, disturbed };
}

/** The pairs that decided say how noisy the metric is, whoever won. */
function learn(scale: Scale, evidence: Evidence, { pinned, aim }: Contest): void {
  if (evidence.noise === undefined || scale.noise === undefined || aim === 'simpler') return;
  const read = readContest(evidence, evidence.noise, pinned.brief);
  if (read !== undefined) scale.noise = learnFrom(scale.noise, read.gains.slice(evidence.carried, read.decided));
}
