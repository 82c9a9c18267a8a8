import stringWidth from 'string-width';

/** Colour as functions, so that a view never asks whether there is any. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** How a view may look on this terminal. Colour and characters are separate matters. */
export interface Look {
  readonly columns: number;
  /** Where a line is cut: the last of the columns, or Infinity where there is no edge, in a pipe or a file. What wraps does so at the columns. */
  readonly edge: number;
  readonly paint: Paint;
  /** True where the terminal shows nothing but ASCII. */
  readonly ascii: boolean;
  /** Our own words with each command, such as `orgrepo run`, the way this person types it. */
  readonly typed: (words: string) => string;
}

/** How much of a cell is shown: this many columns, and all of it where there is no edge. */
export const mostOf = ({ edge }: Look, columns: number): number => (edge === Number.POSITIVE_INFINITY ? edge : columns);

const asItIs = (text: string): string => text;
const code = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;

export const plainPaint: Paint = { bold: asItIs, dim: asItIs, green: asItIs, red: asItIs, yellow: asItIs };

export const ansiPaint: Paint = {
  bold: code(1, 22),
  dim: code(2, 22),
  green: code(32, 39),
  red: code(31, 39),
  yellow: code(33, 39),
};

/** The last step of every view: where a terminal has only ASCII, each sign becomes one of the same width. */
export const spell = (text: string, look: Look): string => (look.ascii ? toAscii(text) : text);

const toAscii = (text: string): string => text.replace(/[^\x00-\x7f]/gu, (sign) => plain[signs.indexOf(sign)] ?? '?');

/** Each sign, and below it the one that it becomes. */
const signs = '◆○●×·†…–—→─│├┤└╭╮╯╰▴▾▁▂▃▄▅▆▇█';
const plain = '*o@x.+~-->-|+++++++^v_.,-=+*#';

/** How many terminal columns a text takes, once `visible` has been over it and before it is painted. */
export function widthOf(text: string): number {
  let width = text.length;
  for (const [run] of text.matchAll(/[^\x20-\x7e]+/g)) width += widthOfRun(run) - run.length;
  return width;
}

/** The signs of tables and plots come again and again, and looking a width up takes a hundred times as long as remembering it. */
const known = new Map<string, number>();
const mostKnown = 1_000;

function widthOfRun(run: string): number {
  const width = known.get(run) ?? stringWidth(run);
  if (known.size >= mostKnown) known.clear();
  known.set(run, width);
  return width;
}

/** The text in exactly this many columns: cut with an ellipsis, or filled up on the right. */
export function fit(text: string, columns: number): string {
  const short = cut(text, columns);
  return short + ' '.repeat(Math.max(0, columns - widthOf(short)));
}

/** The same for numbers, which stand on the right. */
export function fitRight(text: string, columns: number): string {
  const short = cut(text, columns);
  return ' '.repeat(Math.max(0, columns - widthOf(short))) + short;
}

/** At least this many columns wide: filled up on the right, never cut. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - widthOf(text)));

export function cut(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (widthOf(text) <= columns) return text;
  let width = 1;
  let short = '';
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) break;
    short += character;
  }
  return `${short}…`;
}

/** Words broken into lines of at most this many columns; a word longer than a line is cut into pieces. */
export function wrap(text: string, columns: number): readonly string[] {
  const limit = Math.max(1, columns);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/).flatMap((word) => pieces(word, limit))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > limit) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): readonly string[] {
  if (widthOf(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  for (const character of word) {
    if (widthOf(part) + widthOf(character) > columns) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}
