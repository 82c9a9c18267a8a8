import type { Direction } from '../domain/words/brief.ts';
import { gainOver, intervalOf, meanOf } from '../domain/words/score.ts';
import type { Spent } from '../domain/words/spent.ts';
import { randomFrom } from '../text/random.ts';

/** What one start of an org came to. */
export interface StartResult {
  /** The best score that it reached. */
  readonly score: number;
  readonly tried: number;
  readonly kept: number;
  /** Specs that somebody took up, and of these the ones that were finished. */
  readonly claimed: number;
  readonly done: number;
  /** How long it took, by the clock on the wall. */
  readonly seconds: number;
  readonly escalations: number;
  /** Undefined where no model was asked. */
  readonly spent: Spent | undefined;
}

/** A start of A and one of B with the same seed. */
export type PairedStart = readonly [a: StartResult, b: StartResult];

/** A mean difference of B from A, with the interval that holds the true one in 95 of 100 cases. */
export type MeanDifference = Readonly<Record<'mean' | 'low' | 'high' | 'pairs', number>>;

/** What is shown beside the score: it describes, and decides nothing. */
export interface Described {
  readonly name: 'kept' | 'tried' | 'completion' | 'seconds' | 'escalations' | 'usd' | 'tokens';
  /** Means over the starts; undefined where a part is not known. */
  readonly a: number | undefined;
  readonly b: number | undefined;
  readonly difference: MeanDifference | undefined;
}

/** What the scores say of B, seen from A. */
export interface CompareVerdict {
  readonly kind: 'better' | 'worse' | 'no difference';
  readonly difference: MeanDifference;
  /** How often equals would be this far apart. */
  readonly chance: number;
  /** The gap that so many starts would show four times out of five; undefined where they cannot show any, or never differed. */
  readonly visible: number | undefined;
}

export interface VariantComparison {
  readonly a: number;
  readonly b: number;
  readonly verdict: CompareVerdict;
  readonly described: readonly Described[];
}

/**
 * Equals may seem to differ in 5 of 100 comparisons at most. With a test that does so in 5 of 100 it would be 6 or more every
 * third time that somebody counts, so the test is stricter than the promise.
 */
const level = 0.02;

/** With fewer pairs than this, even all of them on one side happen by chance more often than that. */
export const fewestPairs = 7;

/** Only the score has a verdict: of eight numbers that are looked at, one would differ by chance every third time. */
export function compareStarts(pairs: readonly PairedStart[], direction: Direction): VariantComparison {
  const [a, b] = [pairs.map(([one]) => one.score), pairs.map(([, other]) => other.score)];
  return {
    a: meanOf(a),
    b: meanOf(b),
    verdict: judgeDifferences(
      b.map((score, index) => score - (a[index] ?? Number.NaN)),
      direction,
    ),
    described: describers.map(({ name, of }) => describe(name, pairs, of)).filter((one) => one !== undefined),
  };
}

/** What differences of paired scores, B's minus A's, say of B. */
export function judgeDifferences(differences: readonly number[], direction: Direction): CompareVerdict {
  const difference = differenceOf(differences);
  const chance = signFlipChance(differences);
  // Both must say so: the interval is what people see, and it may not hold what the words rule out.
  const differs = chance <= level && (difference.low > 0 || difference.high < 0);
  return {
    kind: !differs ? 'no difference' : gainOver(difference.mean, 0, direction) > 0 ? 'better' : 'worse',
    difference,
    chance,
    visible: visibleGap(differences),
  };
}

function differenceOf(differences: readonly number[]): MeanDifference {
  return { mean: meanOf(differences), ...intervalOf(differences), pairs: differences.length };
}

/** The least true gap that such starts would show four times out of five, by Student. */
function visibleGap(differences: readonly number[]): number | undefined {
  const n = differences.length;
  if (n < fewestPairs) return undefined;
  const mean = meanOf(differences);
  const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1));
  if (spread === 0) return undefined;
  return ((student(2.326348, n - 1) + student(0.841621, n - 1)) * spread) / Math.sqrt(n);
}

/** Student's quantile from the normal one, by Cornish and Fisher. */
const student = (z: number, freedom: number): number =>
  z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);

type Describer = { readonly name: Described['name']; readonly of: (start: StartResult) => number | undefined };

const describers: readonly Describer[] = [
  { name: 'kept', of: ({ kept }) => kept },
  { name: 'tried', of: ({ tried }) => tried },
  { name: 'completion', of: ({ claimed, done }) => (claimed === 0 ? undefined : done / claimed) },
  { name: 'seconds', of: ({ seconds }) => seconds },
  { name: 'escalations', of: ({ escalations }) => escalations },
  { name: 'usd', of: ({ spent }) => (spent === undefined ? 0 : spent.usd) },
  { name: 'tokens', of: ({ spent }) => (spent === undefined ? 0 : spent.tokensIn + spent.tokensOut) },
];

/** Undefined for what models cost where none was asked. What is unknown of one start is unknown of the mean. */
function describe(name: Described['name'], pairs: readonly PairedStart[], of: Describer['of']): Described | undefined {
  const isCost = name === 'usd' || name === 'tokens';
  if (isCost && pairs.every((pair) => pair.every(({ spent }) => spent === undefined))) return undefined;
  const [a, b] = [pairs.map(([one]) => of(one)), pairs.map(([, other]) => of(other))];
  const differences = b.flatMap((value, index) => {
    const other = a[index];
    return value === undefined || other === undefined ? [] : [value - other];
  });
  const whole = differences.length === pairs.length;
  return { name, a: wholeMean(a), b: wholeMean(b), difference: whole ? differenceOf(differences) : undefined };
}

function wholeMean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? meanOf(known) : undefined;
}

/**
 * How often the mean of paired differences would be at least this far from nothing if A and B were the same: then each
 * difference could as well have had the other sign, so all signs are tried. That holds whatever the scores are distributed
 * like, for few pairs as for many; ties count against a difference.
 */
export function signFlipChance(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const total = sum(sizes);
  // A value as far off as what was seen counts, but for the last bits of a sum.
  const seen = Math.abs(sum(differences)) - total * 1e-12;
  if (seen <= 0) return 1;
  return sizes.length <= mostExact ? exactChance(sizes, seen) : drawnChance(sizes, seen);
}

/** So many pairs make two halves of 16,384 sums. */
const mostExact = 28;

/** Every sum with signs is one of the first half and one of the second: sorted, they are counted without being made. */
function exactChance(sizes: readonly number[], seen: number): number {
  const middle = sizes.length >> 1;
  const [first, second] = [signedSums(sizes.slice(0, middle)), signedSums(sizes.slice(middle))];
  let above = 0;
  let from = second.length;
  for (const one of first) {
    while (from > 0 && one + (second[from - 1] ?? 0) >= seen) from -= 1;
    above += second.length - from;
  }
  return Math.min(1, (2 * above) / (first.length * second.length)); // Below nothing it looks the same as above.
}

/** In order: two sorted halves, with the size taken and with it given, are merged for every size. */
function signedSums(sizes: readonly number[]): Float64Array {
  let sums = new Float64Array([0]);
  for (const size of sizes) {
    const next = new Float64Array(2 * sums.length);
    let [low, high] = [0, 0];
    for (let index = 0; index < next.length; index++) {
      const less = low < sums.length ? (sums[low] ?? 0) - size : Number.POSITIVE_INFINITY;
      const more = (sums[high] ?? 0) + size;
      next[index] = less <= more ? less : more;
      if (less <= more) low += 1;
      else high += 1;
    }
    sums = next;
  }
  return sums;
}

const draws = 19_999;

/** Too many to try them all. What was seen counts as one of the draws, without which a test by lot says yes too often. */
function drawnChance(sizes: readonly number[], seen: number): number {
  const random = randomFrom(`signs ${sizes.length}`);
  let extreme = 1;
  for (let draw = 0; draw < draws; draw++) {
    let total = 0;
    for (const size of sizes) total += random.next() < 0.5 ? size : -size;
    if (Math.abs(total) >= seen) extreme += 1;
  }
  return extreme / (draws + 1);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
