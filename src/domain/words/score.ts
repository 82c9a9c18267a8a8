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
