import { randomFrom } from '../../text/random.ts';
import type { Noise } from '../rules/contest.ts';
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

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
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

/** What is not a list of finite numbers is not read as a list. */
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

/** Another number the harness prints that must not grow: `lines: "<= +40"`. */
export interface Guard {
  readonly name: string;
  readonly strict: boolean;
  /** `x`: a multiple of the baseline's value; `+`: the baseline's value plus this; `=`: an absolute bound. */
  readonly kind: 'x' | '+' | '=';
  readonly amount: number;
  /** The bound is on what the candidate was built on, not on the baseline. */
  readonly of?: 'best';
}

export type Numbers = Readonly<Record<string, number>>;

/** Why this candidate's numbers break a guard, or undefined when they hold all of them. */
export function brokenGuard(guards: readonly Guard[], numbers: Numbers, baseline: Numbers, best: Numbers) {
  for (const guard of guards) {
    const value = numbers[guard.name];
    if (value === undefined) return `the harness printed no ${guard.name}, which a guard names`;
    const from = (guard.of === 'best' ? best : baseline)[guard.name];
    if (guard.kind !== '=' && from === undefined) continue; // It printed none: nothing to compare with.
    const bound = boundOf(guard, from ?? 0);
    if (guard.strict ? value >= bound : value > bound) {
      return `${guard.name} is ${value}, the guard allows ${guard.strict ? 'less than' : 'at most'} ${bound}`;
    }
  }
  return undefined;
}

function boundOf(guard: Guard, from: number): number {
  if (guard.kind === 'x') return from * guard.amount;
  return guard.kind === '+' ? from + guard.amount : guard.amount;
}

/** The guard as the brief spells it. */
export function formatGuard(guard: Guard): string {
  const amount = { x: `${guard.amount}x`, '+': `+${guard.amount}`, '=': `${guard.amount}` }[guard.kind];
  return `${guard.strict ? '<' : '<='} ${amount}${guard.of === 'best' ? ' best' : ''}`;
}

/** The middle of each number over several measurements; what one of them did not print is left out. */
export function middleNumbers(measured: readonly Numbers[]): Numbers {
  const [first = {}, ...others] = measured;
  const names = Object.keys(first).filter((name) => others.every((numbers) => numbers[name] !== undefined));
  return Object.fromEntries(names.map((name) => [name, medianOf(measured.map((numbers) => numbers[name] ?? 0))]));
}
