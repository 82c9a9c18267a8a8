import matter from 'gray-matter';
import { quoted, shown } from './clean.ts';
import type { Fields, FileFamily } from './field.ts';
import { problemAt } from './problem.ts';
import { formatFields, parseFields } from './yaml-fields.ts';

const maxBytes = 1024 * 1024;
/** gray-matter looks for comments in a time that grows with the square of the blank lines. */
const maxMatter = 16 * 1024;

interface FrontMatter {
  /** Undefined when the file has no front matter at all. */
  readonly fields: Fields | undefined;
  /** What follows, with line feeds only, without empty lines before and blanks after. */
  readonly body: string;
  /** The line of the file that the body begins on. */
  readonly bodyLine: number;
}

/** Whether a file begins as one with front matter does. */
export const hasFrontMatter = (text: string): boolean => /^\ufeff?---(?!-)/.test(text);

/** Splits a file into its front matter and its body. Only YAML is read, and nothing in it is ever run. */
export function readFrontMatter(text: string, file: string, family: FileFamily): FrontMatter {
  const size = Buffer.byteLength(text);
  if (size > maxBytes) {
    const what = `the file has ${size} bytes, expected at most ${maxBytes}`;
    throw problemAt(`${family}/syntax`, { file, line: 1, column: 1 }, what, 'Move what is not needed to other files.');
  }
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (!/^---(?!-)/.test(source)) {
    refuseLateStart(source, file, family);
    return { fields: undefined, ...bodyFrom(source, 1) };
  }
  checkFence(source, file, family);
  const parsed = matter(source, { language: 'yaml', engines: enginesFor(file, family) });
  const { fields } = parsed.data as { fields?: Fields };
  return {
    fields: fields ?? new Map(),
    ...bodyFrom(parsed.content, 1 + lineCount(source) - lineCount(parsed.content)),
  };
}

/** A file of keys and text; readFrontMatter is its inverse. Undefined values are left out. */
export function formatFrontMatter(fields: Readonly<Record<string, unknown>>, body: string): string {
  const trimmed = bodyFrom(body, 1).body;
  return `---\n${formatFields(fields)}\n---\n${trimmed === '' ? '' : `\n${trimmed}\n`}`;
}

function bodyFrom(content: string, firstLine: number): { readonly body: string; readonly bodyLine: number } {
  const lines = content.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const skipped = Math.max(first, 0);
  return { body: lines.slice(skipped).join('\n').trimEnd(), bodyLine: firstLine + skipped };
}

function refuseLateStart(source: string, file: string, family: FileFamily): void {
  const fence = source.search(/\S/);
  if (fence <= 0 || !/^---[ \t]*\n[ \t]*[\w-]+[ \t]*:/.test(source.slice(fence, fence + 200))) return;
  const line = lineCount(source.slice(0, fence));
  const what = `the front matter begins on line ${line}, expected line 1`;
  throw problemAt(`${family}/syntax`, { file, line, column: 1 }, what, 'Take out what stands before the first ---.');
}

/** Looks at both fences before gray-matter does, which takes `---js` for a program to run and `---x` for an end. */
function checkFence(source: string, file: string, family: FileFamily): void {
  const wrong = (line: number, what: string, hint: string) =>
    problemAt(`${family}/syntax`, { file, line, column: 1 }, what, hint);
  const [opening = ''] = source.split('\n', 1);
  const language = opening.slice(3).trim();
  if (!/^(?:ya?ml)?$/i.test(language)) {
    const what = `the front matter is in ${shown(language)}, only YAML front matter is read`;
    throw wrong(1, what, 'Begin the file with a line that is just ---.');
  }
  const ending = 'Put --- on a line of its own after the last key.';
  const end = source.indexOf('\n---', 3);
  if (end === -1) throw wrong(1, 'the front matter has no end, expected a second line that is just ---', ending);
  const line = lineCount(source.slice(0, end + 1));
  const [closing = ''] = source.slice(end + 1, end + 200).split('\n', 1);
  if (closing.trimEnd() !== '---')
    throw wrong(line, `the front matter ends in ${quoted(closing)}, expected ---`, ending);
  if (end > maxMatter) {
    const what = `the front matter has ${end} characters, expected at most ${maxMatter}`;
    throw wrong(1, what, 'Keep the keys short; prose goes below the second ---.');
  }
}

const lineCount = (text: string): number => text.split('\n').length;

function enginesFor(file: string, family: FileFamily) {
  const refuse = (): never => {
    throw new Error('an engine other than YAML was asked to read front matter');
  };
  const yaml = (source: string) => ({ fields: parseFields(source, file, family) });
  // The built-in javascript engine evaluates what it is given; every way to it is closed by name.
  return {
    yaml,
    yml: yaml,
    json: refuse,
    javascript: refuse,
    js: refuse,
    coffee: refuse,
    coffeescript: refuse,
    cson: refuse,
  };
}
