import { randomFrom } from '../../text/random.ts';
import type { Direction } from './brief.ts';

/** How much better `score` is than `than`, positive when it is an improvement. */
export const gainOver = (score: number, than: number, direction: Direction): number =>
  direction === 'minimize' ? than - score : score - than;

export const reaches = (score: number, target: number, direction: Direction): boolean =>
  gainOver(score, target, direction) >= 0;

/** The change from one score to another as a signed percentage of the first, or undefined where that has no meaning. */
export function percentChange(from: number, to: number): number | undefined {
  return from === 0 || !Number.isFinite(from) ? undefined : ((to - from) / Math.abs(from)) * 100;
}

/** The mean of some values; where they are all the same it is that value, to the last bit. */
export function meanOf(values: readonly number[]): number {
  const first = values[0] ?? Number.NaN;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

/** Two scores as people write them: with as many digits as it takes to tell them apart. */
export function moveInWords(before: number, after: number): string {
  if (before === after) return `stays ${after}`;
  for (let digits = 4; digits < 17; digits++) {
    const [from, to] = [before, after].map((score) => Number(score.toPrecision(digits)));
    if (from !== to && Math.abs((from ?? 0) - (to ?? 0)) >= Math.abs(before - after) / 2) return `${from} -> ${to}`;
  }
  return `${before} -> ${after}`;
}

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
