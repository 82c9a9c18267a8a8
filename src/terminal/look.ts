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

function toAscii(text: string): string {
  return text.replace(/[^\x00-\x7f]/gu, (sign) => asciiSigns[sign] ?? '?');
}

const asciiSigns: Readonly<Record<string, string>> = {
  '◆': '*',
  '○': 'o',
  '●': '@',
  '×': 'x',
  '·': '.',
  '†': '+',
  '…': '~',
  '–': '-',
  '—': '-',
  '→': '>',
  '─': '-',
  '│': '|',
  '├': '+',
  '┤': '+',
  '└': '+',
  '╭': '+',
  '╮': '+',
  '╯': '+',
  '╰': '+',
  '▴': '^',
  '▾': 'v',
  '▁': '_',
  '▂': '.',
  '▃': ',',
  '▄': '-',
  '▅': '=',
  '▆': '+',
  '▇': '*',
  '█': '#',
};
