import { compilePattern, type LinearPattern } from '../../text/linear-pattern.ts';
import { findIn } from '../../text/pattern-search.ts';
import { quoted, shown } from '../../text/problem.ts';
import { parseDecimal } from '../../text/quantity.ts';
import type { Numbers } from './score.ts';

type Reading =
  | { readonly kind: 'numbers'; readonly score: number; readonly numbers: Numbers }
  | { readonly kind: 'crash'; readonly reason: string };

/**
 * What the harness printed: the metric's line `name: number` exactly once, or one match of its pattern; and other such lines for the
 * guards. Read strictly, because a number that is guessed at is worse than a crash.
 */
export function readNumbers(stdout: string, metric: string, pattern?: string): Reading {
  const found = pattern === undefined ? undefined : readByPattern(stdout, metric, pattern);
  if (found?.kind === 'crash') return found;
  const scores: string[] = [];
  const others = new Map<string, number>();
  for (const { name, value: said } of linesIn(stdout)) {
    if (name === metric) {
      if (found === undefined) scores.push(said);
      continue;
    }
    const value = parseDecimal(said);
    if (value === undefined) continue;
    if (others.has(name)) return crash(`the harness printed ${name} twice, expected one line of it`);
    others.set(name, value);
  }
  if (found !== undefined) return { ...found, numbers: Object.fromEntries(others) };
  const [text] = scores;
  if (text === undefined) return crash(`the harness printed no line "${metric}: number"; ${lastLine(stdout)}`);
  if (scores.length > 1) {
    const values = scores.slice(0, 3).map(shown).join(', ');
    return crash(`the harness printed ${metric} ${scores.length} times (${values}), expected one line of it`);
  }
  const score = parseDecimal(text);
  if (score === undefined) return crash(`${metric} is ${whatIs(text)}, expected a finite number such as 0.99`);
  return { kind: 'numbers', score, numbers: Object.fromEntries(others) };
}

/** How far the search of one output goes: a second at most, whatever is in it. */
const mostSteps = 20_000_000;

/** As many matches as a message names. */
const mostNamed = 3;

function readByPattern(stdout: string, metric: string, source: string): Reading {
  const pattern = compiled(source);
  const patience = { steps: mostSteps };
  const matches: (string | undefined)[] = [];
  for (const line of stdout.split(lineEnd)) {
    matches.push(...findIn(pattern, line, patience, mostNamed - matches.length));
    if (matches.length === mostNamed || patience.steps <= 0) break;
  }
  if (patience.steps <= 0)
    return crash('there is too much output for metric.pattern: print less, or write a stricter one');
  if (matches.length === 0)
    return crash(`the harness printed nothing that metric.pattern matches, ${source}; ${lastLine(stdout)}`);
  if (matches.length > 1) {
    const values = matches.map((value) => shown(value ?? '')).join(', ');
    return crash(`metric.pattern matches more than once (${values}), expected one match`);
  }
  const [text = ''] = matches;
  const score = parseGrouped(text);
  if (score !== undefined) return { kind: 'numbers', score, numbers: {} };
  return crash(`${metric} is ${whatIs(text)}, expected a finite number such as 0.99 or 100,512`);
}

/** `100,512.5`. A comma that does not stand between thousands may mean a fraction, so it is not a number. */
function parseGrouped(text: string): number | undefined {
  const isGrouped = /^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?$/.test(text);
  return parseDecimal(isGrouped ? text.replaceAll(',', '') : text);
}

/** What is wrong with a pattern for the metric; undefined where it can be used. */
export function whyNoMetricPattern(source: string): string | undefined {
  const pattern = compilePattern(source);
  if ('fault' in pattern) return `a regular expression; at character ${pattern.at}, ${pattern.fault}`;
  if (pattern.captures === 0) return 'one pair of ( ) around the number, and it has none';
  if (pattern.captures > 1) return `one pair of ( ), and it has ${pattern.captures}: write (?: ) for the others`;
  return pattern.matchesNothing ? 'a pattern that does not match an empty line' : undefined;
}

function compiled(source: string): LinearPattern {
  const pattern = compilePattern(source);
  if ('fault' in pattern) throw new Error(`${source} was accepted as a pattern: ${pattern.fault}`);
  return pattern;
}

/** The names of all lines `name: number` in a text, for a message that says what there was instead. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(linesIn(text).flatMap(({ name, value }) => (parseDecimal(value) === undefined ? [] : [name]))),
];

const lineEnd = /\r\n|[\n\r]/;

const linesIn = (text: string) => text.split(lineEnd).flatMap((line) => splitLine(line) ?? []);

function splitLine(line: string): { readonly name: string; readonly value: string } | undefined {
  const colon = line.indexOf(':');
  if (colon === -1) return undefined;
  const name = line.slice(0, colon).trim();
  return isMetricName(name) ? { name, value: line.slice(colon + 1).trim() } : undefined;
}

const crash = (reason: string): Reading => ({ kind: 'crash', reason });

const whatIs = (text: string): string => (text === '' ? 'empty' : shown(text));

function lastLine(stdout: string): string {
  const last =
    stdout
      .trimEnd()
      .split(/[\n\r]/)
      .at(-1) ?? '';
  return last.trim() === '' ? 'it printed nothing' : `its last line is ${quoted(last.trim())}`;
}

/** A name that the harness prints and records hold as a key; names that every object has already are refused. */
export const isMetricName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name) && !(name in Object.prototype);
