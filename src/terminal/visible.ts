import type { Place, Problem } from '../text/problem.ts';
import { cut, type Paint } from './look.ts';

/**
 * Text that somebody else wrote, made harmless for a terminal and kept on one line. Colours are dropped; every other
 * control, escape, bidirectional or invisible character is spelt out, so that a reader sees that it was there.
 */
export function visible(text: string): string {
  return spellOut(text.replace(/[\r\n\t]+/g, ' ')).trim();
}

/** The same for text of several lines, such as a diff or the output of a harness. */
export function visibleLines(text: string): string {
  return spellOut(text.replace(/\r\n/g, '\n').replaceAll('\t', '    '));
}

const colour = /\u001b\[[0-9;:]*m/g;
// The fillers look like nothing at all, and a variation selector changes a character's width from one terminal to the next.
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\ufffe\uffff]/gu;
const selectors = /[\ufe00-\ufe0f]/g;
const piledMarks = /(\p{M}{2})\p{M}+/gu;

function spellOut(text: string): string {
  return text.replace(colour, '').replace(selectors, '').replace(piledMarks, '$1').replace(unseen, escapeOf);
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Anybody's text as the content of an element or an attribute. `visible` has already spelt out what XML forbids. */
export const escapeXml = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** JSON on one line that is safe to print: what a terminal obeys or hides is written as an escape, the value is the same. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Anybody's text as plain words inside Markdown. A character reference can never open a link, a tag, a table cell or a
 * list. Mentions, addresses and numbers of issues are looked for in the finished text too, so a space of no width
 * breaks them.
 */
export function escapeMarkdown(text: string, most = 300): string {
  return cut(visible(text), most)
    .replace(/[&<\\`*[\]|~$]|^[-+>#=]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, reference)
    .replace(/^(\d+)(?=[.)])/, `$1${noWidth}`)
    .replace(/@|:(?=\/\/|[\w+-]+:)|www(?=\.)|(?:(?<!&)#|gh-)(?=\d)/gi, (found) => found + noWidth);
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;
const noWidth = '&#8203;';

/** A command to type, in a code span; what could end the span is left out. */
export const codeSpan = (text: string): string => `\`${visible(text).replaceAll('`', "'")}\``;

export const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** `22:41`, where the reader is. */
export function clockWord(at: number): string {
  const date = dateOf(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `22:41:58`, where the reader is. */
export const timeWord = (at: number): string => `${clockWord(at)}:${two(dateOf(at).getSeconds())}`;

/** `15 Nov`, where the reader is. */
export function dayWord(at: number): string {
  const date = dateOf(at);
  return `${date.getDate()} ${months[date.getMonth()]}`;
}

/** `2026-11-15T22:41:58Z`; a part of a second is kept only where there is one. */
export const isoTime = (at: number): string => dateOf(at).toISOString().replace('.000Z', 'Z');

/** Roughly, for what a reader only glances at: `3 s`, `41 min`, `7 h 31 m`, `3 d 4 h`. */
export function spanWord(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} m`;
  return hours % 24 === 0 ? `${Math.floor(hours / 24)} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `0:00:41`, for something that is still going on. */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number): string => String(value).padStart(2, '0');

/** A commit can claim any time at all, also one that no calendar has. */
function dateOf(at: number): Date {
  const most = 8.64e12;
  return new Date(Math.min(most, Math.max(-most, Number.isFinite(at) ? at : 0)) * 1000);
}

/** What is wrong, where, and what to type. */
export function formatProblem(problem: Problem, paint: Paint): string {
  const [what = '', ...more] = visibleLines(problem.message).split('\n');
  const where = problem.place === undefined ? '' : placeWords(problem.place);
  const hints = visibleLines(problem.hint).split('\n');
  const lines = [
    `${paint.red('error')}  ${paint.bold(what)}  ${paint.dim(problem.code)}`,
    ...more.map((line) => `  ${line}`),
    ...(where === '' || problem.message.includes(where) ? [] : [`  ${where}`]),
    ...(problem.hint === '' ? [] : hints.map((hint, index) => `  ${index === 0 ? paint.bold('try') : '   '}  ${hint}`)),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** The same for a program; what is not known is left out. */
export function problemJson({ code, message, hint, place }: Problem): Record<string, unknown> {
  return {
    error: {
      code,
      message,
      ...(place === undefined ? {} : { file: place.file }),
      ...(place?.line === undefined ? {} : { line: place.line }),
      ...(place?.column === undefined ? {} : { column: place.column }),
      hint,
    },
  };
}

function placeWords({ file, line, column }: Place): string {
  return [visible(file), ...[line, column].filter((part) => part !== undefined)].join(':');
}
