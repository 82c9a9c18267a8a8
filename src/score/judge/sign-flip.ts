import { randomFrom } from '../../text/random.ts';

/**
 * How often the mean of paired differences would be at least this far from nothing if A and B were the same: then each
 * difference could as well have had the other sign, so all signs are tried. That holds whatever the scores are distributed
 * like, for few pairs as for many; ties count against a difference.
 */
export function signFlipChance(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const total = sum(sizes);
  // Whoever is as far off as what was seen, but for the last bits of a sum, counts.
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
