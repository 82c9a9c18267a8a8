import { percentChange } from '../../domain/words/score.ts';

/** A score for people: `14.435`, `0.6812`, `412`. What is not known is a dash, never 0. */
export function scoreWord(score: number | undefined): string {
  if (score === undefined) return '–';
  const size = Math.abs(score);
  if (Number.isInteger(score) && size < 1e9) return String(score);
  if (size >= 1e6 || size < 1e-4) return score.toExponential(3);
  if (size >= 1000) return score.toFixed(1);
  return size >= 1 ? score.toFixed(3) : score.toFixed(size >= 0.1 ? 4 : 6);
}

/** A number for a log that a program may read: six digits, and no more than it has. */
export const plainNumber = (value: number | undefined): string =>
  value === undefined ? '-' : String(Number(value.toPrecision(6)));

/** A value beside an axis: as many decimals as it takes to tell two places on that axis apart. */
export function axisWord(value: number, span: number): string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(span)) + 2);
  return decimals > 8 || Math.abs(value) >= 1e7 ? value.toPrecision(4) : value.toFixed(decimals);
}

/** The change from one score to another: `-73.3 %`, or the difference where a percentage has no meaning. */
export function changeWord(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined) return '–';
  const percent = percentChange(from, to);
  return percent === undefined ? signed(to - from, scoreWord(Math.abs(to - from))) : percentWord(percent);
}

function percentWord(percent: number): string {
  const size = Math.abs(percent);
  if (size >= 1e5) return `${signed(percent, '>99999')} %`;
  const decimals = size >= 100 ? 0 : size >= 0.1 || size === 0 ? 1 : size >= 0.01 ? 2 : 3;
  return `${signed(percent, size.toFixed(decimals))} %`;
}

function signed(value: number, size: string): string {
  if (value === 0) return size;
  return value < 0 ? `-${size}` : `+${size}`;
}

/** What a night was worth: `gain +0.931, between +0.712 and +1.12 (95 %, 10 fresh pairs)`. */
export function gainWords({ mean, low, high, pairs }: { mean: number; low: number; high: number; pairs: number }) {
  const word = (value: number): string => signed(value, scoreWord(Math.abs(value)));
  if (pairs === 1) return `gain ${word(mean)}, measured once more`;
  const doubt = low <= 0 && high >= 0 ? ': it may be none' : '';
  return `gain ${word(mean)}, between ${word(low)} and ${word(high)} (95 %, ${pairs} fresh pairs)${doubt}`;
}

/** `1 experiment`, `12 experiments`, `3 tries`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `#4 #6 #13`, and how many more there are. */
export function citations(numbers: readonly number[], most = 6): string {
  const shown = numbers.slice(0, most).map((n) => `#${n}`);
  return numbers.length > most ? `${shown.join(' ')} and ${numbers.length - most} more` : shown.join(' ');
}

/** The first seven digits of a commit, as git abbreviates it. */
export const shortCommit = (commit: string): string => commit.slice(0, 7);
