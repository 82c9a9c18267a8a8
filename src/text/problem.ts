/** What a person must put right, by its kind: the exit code of that kind, and what of it can be wrong. */
const kinds = {
  usage: { exit: 64, of: ['command', 'option', 'argument'] },
  brief: { exit: 6, of: ['missing', 'syntax', 'key', 'value', 'paths'] },
  spec: { exit: 6, of: ['missing', 'syntax', 'key', 'value', 'id'] },
  script: { exit: 6, of: ['value'] },
  branches: { exit: 6, of: ['contradiction'] },
  org: { exit: 6, of: ['syntax', 'key', 'value', 'structure', 'policy', 'approval'] },
  signers: { exit: 6, of: ['syntax', 'people'] },
  decision: { exit: 1, of: ['missing'] },
  repo: { exit: 6, of: ['none', 'bare', 'empty', 'detached', 'ours', 'git', 'path'] },
  file: { exit: 6, of: ['exists', 'missing', 'outside'] },
  disk: { exit: 1, of: ['write'] },
  harness: { exit: 6, of: ['missing', 'baseline', 'command', 'tests'] },
  person: {
    exit: 3,
    of: ['conflict', 'frozen', 'paused', 'unjailed', 'large', 'approval', 'refused', 'unreviewed', 'work-tree'],
  },
  machine: { exit: 1, of: ['jail'] },
  credentials: { exit: 4, of: ['missing', 'signing', 'refused', 'file', 'exposed'] },
  integrity: { exit: 5, of: ['history', 'harness'] },
  busy: { exit: 75, of: ['run', 'lock'] },
  experiment: { exit: 1, of: ['missing', 'differs', 'worse', 'gate'] },
  offer: { exit: 1, of: ['missing', 'not-yours', 'unclaimed', 'finished', 'no-bench', 'unchanged', 'unfit'] },
  git: { exit: 1, of: ['failed'] },
} as const;

type Kinds = typeof kinds;

/** `brief/value`: the kind, and what of it. */
export type ProblemCode = { [Kind in keyof Kinds]: `${Kind}/${Kinds[Kind]['of'][number]}` }[keyof Kinds];

export interface Place {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Something a person must put right: what and where in the message, what to do in the hint. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly hint: string;
  readonly place: Place | undefined;

  constructor(code: ProblemCode, message: string, hint: string, place?: Place) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.hint = hint;
    this.place = place;
  }
}

export function exitCodeOf({ code }: Problem): number {
  const exits: Readonly<Record<string, { readonly exit: number }>> = kinds;
  return exits[code.slice(0, code.indexOf('/'))]?.exit ?? 1;
}

export const isProblem = (error: unknown): error is Problem => error instanceof Problem;

/** What comes of it; undefined where a Problem does. */
export const unlessProblem = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (isProblem(error)) return undefined;
    throw error;
  });

/** The same, with the Problem itself as a value. */
export const orProblem = <T>(work: Promise<T>): Promise<T | Problem> =>
  work.catch((error) => {
    if (isProblem(error)) return error;
    throw error;
  });

/** The Problem that comes of it, where one does. */
export function problemIn(work: () => unknown): Problem | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** What comes of it, or this where it fails, for whatever reason. */
export function orElse<T, U>(work: () => T, otherwise: U): T | U {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** What is read, or this where nothing is there. */
export function ifThere<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}

/** A Problem that says where it is the way editors can jump to: `program.md:3:9: what is wrong`. */
export function problemAt(code: ProblemCode, place: Place, what: string, hint: string): Problem {
  const parts = [cleanLine(place.file), place.line, place.column].filter((part) => part !== undefined);
  return new Problem(code, `${parts.join(':')}: ${cleanLine(what, 400)}`, hint, place);
}

/** The known name that a person most likely meant, or undefined when none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted.length === 0 || wanted.length > 64) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = distanceBetween(wanted, plain(name));
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && (best === undefined || distance < best.distance)) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** The hint that names it, or another where none is close. */
export function didYouMean(word: string, names: readonly string[], otherwise: string): string {
  const near = nearestName(word, names);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Edits to turn one word into the other; two neighbouring letters changing places count as one. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

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
