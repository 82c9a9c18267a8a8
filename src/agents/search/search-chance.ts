import type { Random } from '../../text/random.ts';

/** One of the items, each as likely as its weight; undefined when nothing has a weight. */
export function pickWeighted<T>(random: Random, items: readonly T[], weightOf: (item: T) => number): T | undefined {
  const weights = items.map((item) => Math.max(0, weightOf(item)));
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return items[index];
  }
  return undefined;
}
