import type { Numbers } from '../../domain/words/score.ts';
import { quoted, shown } from '../../text/problem.ts';
import { parseDecimal } from '../../text/quantity.ts';

type Reading =
  | { readonly kind: 'numbers'; readonly score: number; readonly numbers: Numbers }
  | { readonly kind: 'crash'; readonly reason: string };

/**
 * What the harness printed: the metric's line `name: number` exactly once, and other such lines for the guards.
 * Read strictly, because a number that is guessed at is worse than a crash.
 */
export function readNumbers(stdout: string, metric: string): Reading {
  const scores: string[] = [];
  const others = new Map<string, number>();
  for (const { name, value: said } of linesIn(stdout)) {
    if (name === metric) {
      scores.push(said);
      continue;
    }
    const value = parseDecimal(said);
    if (value === undefined) continue;
    if (others.has(name)) return crash(`the harness printed ${name} twice, expected one line of it`);
    others.set(name, value);
  }
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

/** The names of all lines `name: number` in a text, for a message that says what there was instead. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(linesIn(text).flatMap(({ name, value }) => (parseDecimal(value) === undefined ? [] : [name]))),
];

const linesIn = (text: string) => text.split(/\r\n|[\n\r]/).flatMap((line) => splitLine(line) ?? []);

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
