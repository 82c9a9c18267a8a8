/**
 * Text that agents wrote ends up in terminals, tables and commit messages. Control characters can move a cursor,
 * bidirectional ones can make a line read as another, and a lone surrogate cannot be written as UTF-8 at all.
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;
const lineBreaks = /[\n\r\u0085\u2028\u2029]/;
const loneSurrogate = /\p{Surrogate}/gu;

/** Nearly every line: nothing in it that has to be looked for. */
const plainLine = /^[\x20-\x7e]{0,4096}$/;

export const isClean = (text: string): boolean => text.search(unsafe) === -1 && text.search(loneSurrogate) === -1;

/** The first character that is not clean, as people name it: `U+202E`. */
export function firstUnclean(text: string): string | undefined {
  const at = [text.search(unsafe), text.search(loneSurrogate)].filter((index) => index !== -1);
  if (at.length === 0) return undefined;
  return `U+${text
    .charCodeAt(Math.min(...at))
    .toString(16)
    .toUpperCase()
    .padStart(4, '0')}`;
}

/** The first line that says something, at most `max` characters of it, with nothing in it that a terminal obeys. */
export function cleanLine(text: string, max = 200): string {
  if (plainLine.test(text)) return text.trim().slice(0, max).trimEnd();
  const lines = text.slice(0, 64 * 1024).split(lineBreaks);
  const line = lines.map((each) => cleanCharacters(each).trim()).find((each) => each !== '') ?? '';
  return cut(line, max).trimEnd();
}

/** Several lines, at most `maxBytes` of them: no line ends in blanks, and no two empty ones follow each other. */
export function cleanText(text: string, maxBytes: number): string {
  const lines = text
    .slice(0, maxBytes * 2)
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => cleanCharacters(line).trimEnd());
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return cutBytes(kept.join('\n').trimEnd(), maxBytes).trimEnd();
}

/** Found text as a message shows it: short, on one line, in quotes when it would be hard to see where it ends. */
export function shown(text: string): string {
  const short = text.length > 60 ? `${cut(text, 57)}...` : text;
  return /^[\x21-\x7e\u00a1-\uffff]+$/.test(short) && isClean(short) ? short : quoted(short);
}

/** The same, in quotes whatever it holds. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${cut(text, 57)}...` : text).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const cleanCharacters = (line: string): string =>
  line.replace(/\t/g, '  ').replace(unsafe, '').replace(loneSurrogate, '\ufffd');

/** Counted in code points, so that no emoji is cut in half. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, max * 2)].slice(0, max).join('');
}

function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
