import { didYouMean, type Problem, problemAt, shown } from '../../text/problem.ts';
import { parseDuration, parseWhole } from '../../text/quantity.ts';
import type { PlacedText } from './org-metadata.ts';
import { plainWords } from './org-sections.ts';

/** A Problem about a value of the file: what it is, and what was expected. */
export function wrongSaid(label: string, said: PlacedText, expected: string, hint: string): Problem {
  const found = said.text === '' ? 'empty' : shown(said.text);
  return problemAt('org/value', said.place, `${said.key ?? label} is ${found}, expected ${expected}`, hint);
}

/** What to write instead, in the language that the value stands in. */
export const lineFor = ({ key }: PlacedText, label: string, value: string): string =>
  key === undefined ? `Write - **${label}:** ${value}` : `Write ${key}: ${value}`;

/** One of several words, in any spelling that `spellings` knows; the first word of a longer value counts where it is one. */
export const choice = <Word extends string>(spellings: Readonly<Record<Word, RegExp>>) => ({
  read: (said: PlacedText, label: string): Word => {
    const words = Object.keys(spellings) as Word[];
    const text = plainWords(said.text).toLowerCase();
    const found = words.find((word) => spellings[word].test(text));
    if (found !== undefined) return found;
    const hint = didYouMean(text, words, lineFor(said, label, words[0] ?? ''));
    throw wrongSaid(label, said, words.join(' or '), hint);
  },
  write: (value: Word): string => value,
});

const yes = /^(?:yes|true|on|required|always|mandatory|allowed)\b/i;
const no = /^(?:no|not|false|off|never|none|optional|forbidden|disallowed)\b/i;

export function readYesNo(said: PlacedText, label: string): boolean {
  const text = plainWords(said.text);
  if (yes.test(text)) return true;
  if (no.test(text)) return false;
  throw wrongSaid(label, said, 'yes or no', lineFor(said, label, 'yes'));
}

/** A line of yes or no, with the words that the file has for it. */
export const yesNo = (ifYes: string, ifNo: string) => ({
  read: readYesNo,
  write: (value: boolean): string => (value ? ifYes : ifNo),
  show: (value: boolean): string => (value ? 'yes' : 'no'),
});

/** A whole number at the beginning of the value, words after it allowed: `3`, `3 agents`. */
export function readWholeSaid(said: PlacedText, label: string, min: number, max: number): number {
  const text = plainWords(said.text);
  const value = parseWhole(/^([0-9]{1,17})(?:\s+[\p{L}\s()]*)?$/u.exec(text)?.[1] ?? '');
  if (value !== undefined && value >= min && value <= max) return value;
  const expected = `a whole number from ${min} to ${max}`;
  throw wrongSaid(label, said, expected, lineFor(said, label, String(Math.max(min, Math.min(max, 2)))));
}

/** `7`, `L7`, `level 7`. */
export function readLevel(said: PlacedText): number {
  const value = parseWhole(/^(?:l|level\s*)?([0-9]{1,3})$/i.exec(plainWords(said.text))?.[1] ?? '');
  if (value !== undefined && value >= 1 && value <= 10) return value;
  throw wrongSaid('Level', said, 'a level from 1 to 10', lineFor(said, 'Level', '7'));
}

/** `80%` or `0.8`, as a part of 1. */
export function readShare(said: PlacedText, label: string): number {
  const [, figure = '', sign] =
    /^(?:at\s+)?([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%|per ?cent|)$/i.exec(plainWords(said.text)) ?? [];
  const value = Number(figure) / (sign === '' ? 1 : 100);
  if (figure !== '' && value > 0 && value <= 1) return value;
  throw wrongSaid(label, said, 'a share such as 80%', `Write - **${label}:** 80%`);
}

/** `5-8 levels`, `shallow (3 levels max)`, `4`, `flat`, `strict chain`. */
export function readLevels(said: PlacedText): { readonly min: number; readonly max: number } {
  const text = plainWords(said.text).toLowerCase();
  const two = /(?:^|\D)([0-9]{1,3})\s*(?:-|–|to)\s*([0-9]{1,3})(?:\D|$)/.exec(text);
  const [, low, high] = two ?? /(?:^|\D)()([0-9]{1,3})(?:\D|$)/.exec(text) ?? [];
  const inWords = /^flat\b/.test(text) ? 2 : /^strict\b/.test(text) ? 10 : Number.NaN;
  const [min, max] = [Number(low || 1), Number(high ?? inWords)];
  if (min >= 1 && max >= min && max <= 10) return { min, max };
  const expected = 'levels from 1 to 10, such as 2-3 levels';
  throw wrongSaid('Hierarchy depth', said, expected, 'Write - **Hierarchy depth:** 3 levels max');
}

/** `10m`, `within 10 minutes`, `1 hour`. */
export function readTime(said: PlacedText, label: string): number {
  const text = plainWords(said.text).toLowerCase();
  const [, figure = '', unit = ''] =
    /^(?:within\s+)?([0-9]{1,6})\s*(seconds?|minutes?|hours?|days?|[smhd])$/.exec(text) ?? [];
  const ms =
    parseDuration(text) ??
    (figure === '' ? undefined : Number(figure) * ({ s: 1e3, m: 6e4, h: 36e5, d: 864e5 }[unit.charAt(0)] ?? 0));
  if (ms !== undefined && ms > 0 && ms <= 7 * 864e5) return ms;
  throw wrongSaid(label, said, 'a time such as 10 minutes, up to 7 days', `Write - **${label}:** 10 minutes`);
}

/** Parts between commas that stand in neither parentheses nor backticks. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let inCode = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '`') inCode = !inCode;
    else if (inCode) continue;
    else if (letter === '(') depth += 1;
    else if (letter === ')') depth = Math.max(0, depth - 1);
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '');
}
