import { randomFrom } from '../../text/random.ts';
import type { Noise } from '../rules/contest.ts';
import type { Direction } from './brief.ts';
import type { Numbers } from './guard.ts';

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

/** `9.25,9.5`: numbers as one trailer, in JavaScript's shortest decimals that read back as the same number. */
export const formatList = (values: readonly number[]): string | undefined =>
  values.length === 0 ? undefined : values.join(',');

/** What is no list of finite numbers is no list at all. */
export function parseList(text: string | undefined): readonly number[] {
  const values = (text ?? '').split(',').map((part) => (part === '' ? Number.NaN : Number(part)));
  return values.every(Number.isFinite) ? values : [];
}

/** `0.0123/8`: the sum of squared differences and their count; `0/3` says that three measurements were equal. */
export const formatNoise = (noise: Noise | undefined): string =>
  noise === undefined ? '0/3' : `${noise.squares}/${noise.count}`;

/** Undefined where there is no noise: the metric is deterministic. */
export function parseNoise(text: string | undefined): Noise | undefined {
  const [squares = Number.NaN, count = Number.NaN] = (text ?? '').split('/').map(Number);
  return squares > 0 && count > 0 && Number.isFinite(squares / count) ? { squares, count } : undefined;
}

/** The trailers of a night's end: `9.1/10,9.2/10.1`, best first; `0.95`; `0.8..1.1`. */
export function formatGain(gain: Gain): Readonly<Record<'Pairs' | 'Gain' | 'Interval', string>> {
  return {
    Pairs: gain.pairs.map(([best, start]) => `${best}/${start}`).join(','),
    Gain: String(gain.mean),
    Interval: `${gain.low}..${gain.high}`,
  };
}

export function parseGain(get: (key: 'Pairs' | 'Gain' | 'Interval') => string | undefined): Gain | undefined {
  const pairs = (get('Pairs') ?? '').split(',').map((pair) => pair.split('/').map(Number) as [number, number]);
  const mean = Number(get('Gain') ?? Number.NaN);
  const [low = Number.NaN, high = Number.NaN] = (get('Interval') ?? '').split('..').map(Number);
  const sound = [mean, low, high, ...pairs.flat()].every(Number.isFinite) && pairs.every((pair) => pair.length === 2);
  return sound ? { pairs, mean, low, high } : undefined;
}

/** `holdout_waste_pct=0.81 lines=40`: the other numbers of a measurement as one trailer. */
export function formatNumbers(numbers: Numbers): string | undefined {
  const parts = Object.entries(numbers).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? undefined : parts.join(' ');
}

export function parseNumbers(text: string | undefined): Numbers {
  const pairs = (text ?? '').split(' ').flatMap((part) => {
    const at = part.indexOf('=');
    const value = Number(part.slice(at + 1));
    return at > 0 && Number.isFinite(value) ? [[part.slice(0, at), value] as const] : [];
  });
  return Object.fromEntries(pairs);
}
