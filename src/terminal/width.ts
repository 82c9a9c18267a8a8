/** How many terminal columns a text takes, once `visible` has been over it and before it is painted. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
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
    width += widthOfCharacter(character);
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
    if (widthOf(part) + widthOfCharacter(character) > columns) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/\p{M}/u.test(character)) return 0;
  return wideRanges.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274e],
  [0x2753, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1b000, 0x1b2ff],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f19a],
  [0x1f1e6, 0x1f265],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];
