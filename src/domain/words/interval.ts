import { randomFrom } from '../../text/random.ts';
import { meanOf } from './score.ts';

/** How much better the night's best is than what the night began with, on pairs that nobody chose by. */
export interface Gain {
  /** `[best's score, the start's score]` with one seed each. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Positive when it is an improvement. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const draws = 2_000;
const level = 0.95;

/**
 * The interval that holds the true mean in 95 of 100 nights, by the bootstrap: means of the values drawn again and again
 * from themselves. The draws are a function of nothing, so the same values always give the same interval.
 */
export function intervalOf(values: readonly number[]): { readonly low: number; readonly high: number } {
  const random = randomFrom(`bootstrap ${values.length}`);
  const means = Array.from({ length: draws }, () => meanOf(values.map(() => random.pick(values)))).sort(
    (a, b) => a - b,
  );
  const at = (share: number): number => means[Math.round(share * (draws - 1))] ?? Number.NaN;
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}
