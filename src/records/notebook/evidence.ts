import type { Noise } from '../../domain/rules/contest.ts';
import type { Numbers } from '../../domain/words/guard.ts';
import type { Gain } from '../../domain/words/score.ts';

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
