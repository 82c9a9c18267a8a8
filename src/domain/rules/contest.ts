import { medianOf } from '../words/score.ts';

/**
 * Champion against challenger where the metric is noisy: pairs measured with the same seed, looked at after every pair.
 * All of it is a function of the numbers, so that a verdict can be computed again from git.
 */

/**
 * What is known of how much two measurements of one tree with the same seed differ. It begins with a calibration, and
 * every contest adds to it: eight pairs alone are off by a third as often as not, and that alone makes false keeps.
 */
export interface Noise {
  /** The sum of squared differences, and from how many independent ones. */
  readonly squares: number;
  readonly count: number;
}

type ContestStep = 'keep' | 'discard' | 'inconclusive' | 'more';

/** How much likelier a challenger that differs must be than one that does not, before and after its confirmation. */
const evidenceNeeded = 4;
const evidenceConfirmed = 3;

/** More than this many spreads is an accident of the machine, and counts as that many. */
export const farthest = 3;

const mostPairs = 8;
export const confirmingPairs = 2;

/**
 * The noise in pairs of the base with itself. The median keeps a single wild pair from passing as noise; where more than
 * half are equal it says nothing, and the mean must do. No noise at all: the metric is deterministic.
 */
export function calibrate(differences: readonly number[]): Noise {
  const usual = 1.4826 * medianOf(differences.map(Math.abs));
  const cut = usual > 0 ? differences.map((difference) => cutTo(difference, farthest * usual)) : differences;
  return { squares: sumOfSquares(cut), count: differences.length };
}

export const spreadOf = ({ squares, count }: Noise): number => Math.sqrt(squares / count);

/** What a contest teaches about the noise: how its gains differ from their own mean, whatever that is. */
export function learnFrom(noise: Noise, gains: readonly number[]): Noise {
  if (gains.length < 2) return noise;
  const limit = farthest * spreadOf(noise);
  const mean = meanOf(gains);
  const rest = gains.map((gain) => cutTo(gain - mean, limit));
  return { squares: noise.squares + sumOfSquares(rest), count: noise.count + gains.length - 1 };
}

/** The mean gain of a challenger over its pairs, each cut to what can be believed of one pair. */
export const meanGain = (gains: readonly number[], spread: number): number =>
  meanOf(gains.map((gain) => cutTo(gain, farthest * spread)));

/**
 * How much likelier these gains are if the challenger differs by about a spread than if it does not differ. The ratio
 * may be looked at after every pair: with no difference it passes `1 / p` in at most a share `p` of contests, ever.
 */
export function evidence(gains: readonly number[], spread: number): number {
  const n = gains.length;
  const mean = meanGain(gains, spread) / spread;
  return Math.sqrt(1 / (1 + n)) * Math.exp((n ** 2 * mean ** 2) / (2 * (1 + n)));
}

/**
 * Whether a win may be put down to the challenger and not to a noise of its own: one whose scores jump about is far ahead
 * by chance as often as not, however steady the metric is with others. Its gains must differ among themselves no more than
 * the known noise lets them, or be clear of nothing by their own spread, as Student has it.
 */
export function isSteadyWin(gains: readonly number[], spread: number): boolean {
  const n = gains.length;
  if (n < 2) return true;
  const mean = meanOf(gains);
  const own = Math.sqrt(sumOfSquares(gains.map((gain) => gain - mean)) / (n - 1));
  if (own <= spread * largestRatio(n - 1)) return true;
  return mean >= (clearErrors[n - 2] ?? 3) * (own / Math.sqrt(n));
}

/** How many standard errors two, three, four ... gains with a spread that nobody knows are ahead by chance once in 200 times. */
const clearErrors = [63.66, 9.92, 5.84, 4.6, 4.03, 3.71, 3.5, 3.36, 3.25];

/** How many times the true spread one that is found from a few differences exceeds once in 160 times, by Wilson and Hilferty. */
const largestRatio = (freedom: number): number => {
  const ninth = 2 / (9 * freedom);
  return (1 - ninth + 2.5 * Math.sqrt(ninth)) ** 1.5;
};

/** What is to be done after these pairs. Gains below zero are losses. */
export function nextContestStep(gains: readonly number[], spread: number, most: number = mostPairs): ContestStep {
  const mean = meanGain(gains, spread);
  if (mean > 0 && evidence(gains, spread) >= evidenceNeeded && isSteadyWin(gains, spread)) return 'keep';
  if (mean < -spread / 4 || (gains.length >= 3 && mean < spread / 4)) return 'discard';
  return gains.length >= most ? 'inconclusive' : 'more';
}

/** Whether these pairs say that the challenger differs at all, for better or worse. */
export const isDifferent = (gains: readonly number[], spread: number): boolean =>
  evidence(gains, spread) >= evidenceNeeded;

/** Whether a keep still stands together with fresh pairs, drawn after it was decided. */
export function isConfirmed(gains: readonly number[], fresh: readonly number[], spread: number): boolean {
  const all = [...gains, ...fresh];
  return meanGain(all, spread) > 0 && evidence(all, spread) >= evidenceConfirmed && isSteadyWin(all, spread);
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const sumOfSquares = (values: readonly number[]): number => values.reduce((sum, value) => sum + value ** 2, 0);
const cutTo = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));
