import {
  confirmingPairs,
  farthest,
  isConfirmed,
  isDifferent,
  isSteadyWin,
  meanGain,
  type Noise,
  nextContestStep,
  spreadOf,
} from '../../domain/rules/contest.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { type Aim, type Evidence, type Outcome, testsPassed, type Verdict } from '../../domain/words/experiment.ts';
import { brokenGuard, gainOver, meanOf, type Numbers } from '../../domain/words/score.ts';

/** What a brief says about verdicts. */
export type Rules = Pick<Brief, 'direction' | 'minEffect' | 'guards' | 'metric' | 'samples'>;

/** What a candidate is compared with. */
export interface Rival {
  /** The score of the line it was built on; where the metric is noisy the pairs say more. */
  readonly score: number;
  /** The line's other numbers, and the baseline's: what guards refer to. */
  readonly numbers: Numbers;
  readonly baseline: Numbers;
}

export type Scored = Extract<Outcome, { kind: 'scored' }>;
export type Failure = Exclude<Outcome, Scored>;

/** The verdict on a candidate that was measured and got no score. */
export function judgeFailure(outcome: Failure): Verdict {
  if (outcome.kind === 'timed-out')
    return { event: 'timeout', reason: `not done after ${(outcome.afterMs / 1000).toFixed(1)} s` };
  return { event: outcome.kind === 'crashed' ? 'crash' : 'void', reason: outcome.reason };
}

/**
 * The verdict on what was measured so far, or undefined when more must be measured for one. A function of the numbers
 * alone: the run asks it after every measurement, and a check of the verdict asks it again with what git has. What would win
 * is asked about once more when its tests have run.
 */
export function judge(evidence: Evidence, rival: Rival, rules: Rules, aim: Aim = 'better'): Verdict | undefined {
  const verdict = judgeScores(evidence, rival, rules, aim);
  const { tests = testsPassed } = evidence;
  if (verdict?.event !== 'keep' || tests === testsPassed) return verdict;
  return { event: 'confounded', reason: `${verdict.reason}, but the tests do not pass: ${tests}` };
}

function judgeScores(evidence: Evidence, rival: Rival, rules: Rules, aim: Aim): Verdict | undefined {
  if (aim === 'simpler') return judgeSimpler(evidence, rival, rules);
  return evidence.noise === undefined
    ? judgeExactly(evidence, rival, rules)
    : judgePairs(evidence, evidence.noise, rival, rules);
}

/** The same for what a verdict's commit records: its `best` is what a deterministic metric was compared with. */
export function judgeRecorded(
  recorded: Evidence & { readonly best: number | undefined; readonly part?: string | undefined },
  rules: Rules,
  rival: Pick<Rival, 'numbers' | 'baseline'>,
): Verdict | undefined {
  if (recorded.samples.length === 0) return undefined;
  const aim = recorded.part === undefined ? 'better' : 'simpler';
  return judge(recorded, { ...rival, score: recorded.best ?? Number.NaN }, rules, aim);
}

/** What a verdict's commit calls the score, and what it was compared with. */
export const scoresOf = ({ samples, noise, against }: Evidence, rival: Pick<Rival, 'score'>) => ({
  score: meanOf(samples),
  best: noise === undefined ? rival.score : meanOf(against),
});

/**
 * How often a candidate must give the same score before it is kept where the metric repeats itself. Of those that draw
 * one of ten scores, one in a thousand does; a coin does in one of eight, and the night's end looks once more.
 */
const exactRepeats = 4;
const repeatsNeeded = ({ samples }: Rules): number => Math.max(2, Math.min(exactRepeats, samples.max));

/**
 * A metric that repeats itself is compared exactly. What would be kept is measured several times: a candidate that
 * draws lots of its own is not made better by a lucky one.
 */
function judgeExactly(evidence: Evidence, rival: Rival, rules: Rules): Verdict | undefined {
  const { samples, numbers } = evidence;
  if (samples.length < rules.samples.min) return undefined;
  const { score, best } = scoresOf(evidence, rival);
  const compared = `${rules.metric} ${score} against ${best}`;
  const verdict = judgeGain(gainOver(score, best, rules.direction), compared, numbers, rival, rules);
  if (verdict.event !== 'keep') return verdict;
  const repeats = samples.every((sample) => sample === samples[0]);
  if (repeats) return samples.length < repeatsNeeded(rules) ? undefined : verdict;
  const reason = `${compared}, but it does not repeat itself (${samples.join(', ')}) while the metric does: its scores are chance`;
  return { event: 'inconclusive', reason };
}

/** A noisy metric is compared in pairs, looked at after each, and a win is confirmed by fresh ones. */
function judgePairs(evidence: Evidence, noise: Noise, rival: Rival, rules: Rules): Verdict | undefined {
  const read = readContest(evidence, noise, rules);
  if (read === undefined) return undefined;
  const { gains, decision } = read;
  const spread = spreadOf(noise);
  const gain = meanGain(gains, spread);
  const { score, best } = scoresOf(evidence, rival);
  // One wild pair may turn the plain means around: then they seem to contradict the verdict, and the reason says why.
  const plain = gainOver(score, best, rules.direction);
  const turned = plain * gain < 0 || (decision === 'discard' && plain >= spread / 4);
  const cut = turned ? `, where no pair counts for more than ${farthest} times that` : '';
  const compared = `${rules.metric} ${tidy(score)} against ${tidy(best)} in ${gains.length} pairs with a noise of ${tidy(spread)}${cut}`;
  if (decision === 'keep') return judgeGain(gain, compared, evidence.numbers, rival, rules);
  if (decision === 'discard') return { event: 'discard', reason: `${compared}: ${gain < 0 ? 'worse' : 'no gain'}` };
  const why = !isSteadyWin(gains, spread)
    ? 'its own scores differ too much to tell a gain from chance'
    : decision === 'unconfirmed'
      ? 'fresh pairs did not confirm the gain'
      : 'too close to call';
  return { event: 'inconclusive', reason: `${compared}: ${why}` };
}

/** How many pairs it takes at least to say of a noisy metric that something makes no difference. */
const fewestForEqual = 4;

/** A change with a part left out: kept when it is as good, because less is better. */
function judgeSimpler(evidence: Evidence, rival: Rival, rules: Rules): Verdict | undefined {
  const { samples, against, noise, numbers } = evidence;
  if (samples.length < rules.samples.min) return undefined;
  const { score, best } = scoresOf(evidence, rival);
  const compared = `${rules.metric} ${tidy(score)} without it against ${tidy(best)}`;
  const gains = samples.map((sample, at) => gainOver(sample, against[at] ?? best, rules.direction));
  const spread = noise === undefined ? 0 : spreadOf(noise);
  const gain = noise === undefined ? gainOver(score, best, rules.direction) : meanGain(gains, spread);
  const matters = { event: 'discard', reason: `${compared}: it carries ${tidy(-gain)}` } as const;
  if (noise === undefined ? gain < 0 : gain < 0 && isDifferent(gains, spread)) return matters;
  const needed = noise === undefined ? 2 : Math.max(fewestForEqual, rules.samples.max);
  if (samples.length < needed) return undefined;
  const repeats = noise !== undefined || samples.every((sample) => sample === samples[0]);
  if (!repeats || gain < -spread / 4) return { event: 'inconclusive', reason: `${compared}: too close to call` };
  const broken = brokenGuard(rules.guards, numbers, rival.baseline, rival.numbers);
  if (broken !== undefined) return { event: 'confounded', reason: `${compared}, but ${broken}` };
  return { event: 'keep', reason: `${compared}: as good with less` };
}

/**
 * How a contest stands, or undefined while more pairs are needed. The brief's samples bound the pairs that decide; a
 * contest that goes on with an inconclusive one may have as many again. `decided`: after how many pairs it was decided; those
 * beyond are the fresh ones that confirm it or do not.
 */
export function readContest(evidence: Evidence, noise: Noise, rules: Rules) {
  const { samples, against, carried } = evidence;
  const spread = spreadOf(noise);
  const gains = samples.map((sample, at) => gainOver(sample, against[at] ?? Number.NaN, rules.direction));
  const most = mostPairsOf(rules, carried);
  for (let decided = Math.max(rules.samples.min, carried + 1); decided <= gains.length; decided++) {
    const first = gains.slice(0, decided);
    const decision = nextContestStep(first, spread, most);
    if (decision === 'more') continue;
    if (decision !== 'keep') return { gains, decided, decision };
    const fresh = gains.slice(decided);
    if (fresh.length < confirmingPairs) return undefined;
    if (isConfirmed(first, fresh, spread)) return { gains, decided, decision };
    if (decided < most && isDifferent(gains, spread) && !isSteadyWin(gains, spread)) continue; // Its own noise hides what it is worth.
    return { gains, decided, decision: meanGain(gains, spread) < spread / 4 ? 'discard' : 'unconfirmed' } as const;
  }
  return undefined;
}

/** How many pairs may decide, given how many an earlier contest of the same two trees had. */
export const mostPairsOf = ({ samples }: Pick<Rules, 'samples'>, carried: number): number =>
  carried > 0 ? 2 * samples.max : samples.max;

function judgeGain(gain: number, compared: string, numbers: Numbers, rival: Rival, rules: Rules): Verdict {
  if (gain <= 0) return { event: 'discard', reason: `${compared}: ${gain === 0 ? 'no change' : 'worse'}` };
  const better = `${compared}: better by ${tidy(gain)}`;
  if (gain <= rules.minEffect)
    return { event: 'discard', reason: `${better}, not by more than min_effect ${rules.minEffect}` };
  const broken = brokenGuard(rules.guards, numbers, rival.baseline, rival.numbers);
  if (broken !== undefined) return { event: 'confounded', reason: `${compared}, but ${broken}` };
  return { event: 'keep', reason: better };
}

/** Floating-point dust is of no interest to a reader. */
const tidy = (value: number): string => String(Number(value.toPrecision(6)));
