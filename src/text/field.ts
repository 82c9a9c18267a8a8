import {
  didYouMean,
  isClean,
  type Place,
  type Problem,
  type ProblemCode,
  problemAt,
  quoted,
  shown,
} from './problem.ts';
import { formatCount, formatDuration, parseCount, parseDecimal, parseDuration, parseWhole } from './quantity.ts';
/** The kind of the file: the first half of the code of every Problem found in it. */
export type FileFamily = 'brief' | 'spec' | 'org';

/** One value of the front matter. Scalars stay the text that was typed: what they mean is for the key to say. */
export type Value =
  | { readonly kind: 'scalar'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'list'; readonly items: readonly Field[] }
  | { readonly kind: 'map'; readonly fields: Fields }
  | { readonly kind: 'nothing' };

/** A value with the name people know it by (`budget.experiment`) and where it stands. */
export interface Field {
  readonly family: FileFamily;
  readonly name: string;
  readonly keyPlace: Place;
  readonly place: Place;
  readonly value: Value;
}

export type Fields = ReadonlyMap<string, Field>;

/** A Problem about this value: what it is, and what was expected. */
export function wrongValue(field: Field, expected: string, hint: string, code?: ProblemCode): Problem {
  const what = `${shown(field.name)} is ${describe(field.value)}, expected ${expected}`;
  return problemAt(code ?? `${field.family}/value`, field.place, what, hint);
}

/** A Problem about a key: that it stands there at all, or beside others. */
export const wrongKey = (field: Field, what: string, hint: string, part: 'key' | 'value' = 'key'): Problem =>
  problemAt(`${field.family}/${part}`, field.keyPlace, what, hint);

/** Refuses every key that is not known, with the nearest one that is. */
export function refuseUnknownKeys(fields: Fields, known: readonly string[]): void {
  for (const [key, field] of fields) {
    if (known.includes(key)) continue;
    const hint = didYouMean(key, known, `The keys here are ${known.join(', ')}.`);
    throw wrongKey(field, `${shown(field.name)} is not a known key`, hint);
  }
}

/** A value's text without blanks around it: one line, at most 1,000 characters, none of them invisible. */
export function readLine(field: Field, expected: string, hint: string): string {
  const { value } = field;
  if (value.kind !== 'scalar') throw wrongValue(field, expected, hint);
  const text = value.text.trim();
  if (text === '') throw wrongValue(field, expected, hint);
  if (!isClean(text)) throw wrongValue(field, `${expected}, on one line and without control characters`, hint);
  if ([...text].length > 1000) throw wrongValue(field, `${expected} of at most 1000 characters`, hint);
  return text;
}

export function readWord<Word extends string>(field: Field, words: readonly Word[]): Word {
  const expected = words.join(' or ');
  const text = readLine(field, expected, `Write ${field.name}: ${words[0]}.`);
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw wrongValue(field, expected, didYouMean(text, words, `Write ${field.name}: ${words[0]}.`));
}

export function readNumber(field: Field, range: { readonly min?: number; readonly example: string }): number {
  const expected = range.min === undefined ? 'a finite number' : `a finite number of at least ${range.min}`;
  const hint = `Write it with a decimal point, such as ${field.name}: ${range.example}.`;
  const text = readLine(field, expected, hint);
  const value = /^[+-]?0[0-9]/.test(text) ? undefined : parseDecimal(text);
  if (value === undefined || (range.min !== undefined && value < range.min)) throw wrongValue(field, expected, hint);
  return value;
}

export function readWhole(field: Field, min: number, max: number): number {
  const expected = `a whole number from ${min} to ${max}`;
  const hint = `Write digits only, such as ${field.name}: ${min}.`;
  const value = parseWhole(readLine(field, expected, hint));
  if (value === undefined || value < min || value > max) throw wrongValue(field, expected, hint);
  return value;
}

export function readCount(field: Field, max: number): number {
  const expected = `a whole number up to ${formatCount(max)}`;
  const hint = `Write ${field.name}: 200k, 1.5M or 20000.`;
  const value = parseCount(readLine(field, expected, hint));
  if (value === undefined || value > max) throw wrongValue(field, expected, hint);
  return value;
}

export function readDuration(field: Field, min: number, max: number): number {
  const expected = 'a time with its unit, such as 5m';
  const hint = `Write ${field.name}: 30s, 10m, 8h or 1h30m.`;
  const text = readLine(field, expected, hint);
  const value = parseDuration(text);
  if (value === undefined) {
    const bare = /^[0-9]{1,9}$/.test(text);
    throw wrongValue(field, expected, bare ? `Name the unit: ${text}s, ${text}m or ${text}h.` : hint);
  }
  if (value < min || value > max) {
    throw wrongValue(field, `a time from ${formatDuration(min)} to ${formatDuration(max)}`, hint);
  }
  return value;
}

/** The items of a list; a single value stands for a list of one. */
export function readList(field: Field, expected: string, hint: string): readonly Field[] {
  if (field.value.kind === 'list') return field.value.items;
  if (field.value.kind === 'scalar') return [field];
  throw wrongValue(field, expected, hint);
}

/** The keys of a map: any, or only those that are `known`. */
export function readMap(field: Field, expected: string, hint: string, known?: readonly string[]): Fields {
  if (field.value.kind !== 'map') throw wrongValue(field, expected, hint);
  if (known !== undefined) refuseUnknownKeys(field.value.fields, known);
  return field.value.fields;
}

/** Reads a key of some fields, or gives what counts where it is left out. */
export const readerOf =
  (fields: Fields) =>
  <T>(key: string, read: (field: Field) => T, otherwise: T): T => {
    const field = fields.get(key);
    return field === undefined ? otherwise : read(field);
  };

export const readYes = (field: Field): boolean => readWord(field, ['true', 'false']) === 'true';

function describe(value: Value): string {
  if (value.kind === 'nothing') return 'empty';
  if (value.kind === 'list') return value.items.length === 0 ? 'an empty list' : 'a list';
  if (value.kind === 'map') return 'a map of keys';
  return value.quoted ? quoted(value.text) : shown(value.text);
}

const expected = 'an address that begins with http:// or https://';

/** The address of a server. What may be a key in it is not shown. */
export function readAddress(field: Field, hint: string): string {
  const text = readLine(field, expected, hint);
  if (!/^https?:\/\//i.test(text)) throw wrongAddress(field, text, `expected ${expected}`, hint);
  if (!URL.canParse(text))
    throw wrongAddress(
      field,
      text,
      'which is not an address that can be read',
      `Look at its host and its port. ${hint}`,
    );
  const { username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw wrongAddress(field, text, `expected ${expected}, without a password in it`, keyHint);
  return text;
}

/** The same for one that paths are put behind: after a query or a fragment they would be lost. */
export function readBaseAddress(field: Field, hint: string): string {
  const text = readAddress(field, hint);
  if (/[?#]/.test(text))
    throw wrongAddress(field, text, `and more behind ? or #, expected ${expected}, without either`, keyHint);
  return text.replace(/\/+$/, '');
}

const keyHint = 'Keys come from the environment, never from a file.';

function wrongAddress(field: Field, text: string, what: string, hint: string): Problem {
  const bare = text.replace(/^([a-z]+:\/\/)?[^/?#]*@/i, '$1').replace(/[?#].*$/, '');
  return problemAt('brief/value', field.place, `${shown(field.name)} is ${shown(bare)}, ${what}`, hint);
}
