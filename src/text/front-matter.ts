import matter from 'gray-matter';
import {
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  stringify,
} from 'yaml';
import type { Field, Fields, FileFamily, Value } from './field.ts';
import { type Place, problemAt, quoted, shown } from './problem.ts';

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
  if (!hasFrontMatter(source)) {
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
  const closed = ['json', 'javascript', 'js', 'coffee', 'coffeescript', 'cson'].map((name) => [name, refuse] as const);
  return { yaml, yml: yaml, ...Object.fromEntries(closed) };
}

/**
 * The keys and values of YAML, each with its place. Nothing but plain maps, lists and text is read.
 * `source` begins at the end of the opening fence's line, so its lines are the file's lines.
 */
export function parseFields(source: string, file: string, family: FileFamily): Fields {
  const reader: Reader = { file, family, lines: new LineCounter() };
  // With the failsafe schema every scalar is a string: no key's value is a date, an octal or a truth by accident.
  const document = parseDocument(source, {
    schema: 'failsafe',
    lineCounter: reader.lines,
    prettyErrors: false,
    uniqueKeys: false, // Checked below, with the place of the first one.
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const what = reasons[error.code] ?? `this is not YAML: ${error.message}`;
    const hint = 'Write plain keys and values, with quotes round a value that holds any of : # { } [ ] & * ! | > @ `.';
    throw syntax(reader, error.pos[0], what, hint);
  }
  const { contents } = document;
  if (contents === null) return new Map();
  refuseSpecials(reader, contents);
  if (!isMap(contents)) {
    if (isScalar(contents) && contents.source === '') return new Map();
    const where = family === 'org' && !/\.md$/i.test(file) ? 'the file' : 'the front matter';
    const what = `${where} is ${isSeq(contents) ? 'a list' : 'text'}, expected keys and values`;
    throw syntax(reader, contents.range?.[0] ?? 0, what, keyHint(family));
  }
  return fieldsOf(reader, contents.items as readonly Pair<Node | null, Node | null>[], '');
}

/** One key on each line; parseFields is its inverse. Undefined values are left out. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => stringify({ [key]: value }, { lineWidth: 0, collectionStyle: 'flow' }))
    .map((flow) => flow.slice(1, -2).trim()) // A map in braces, without the braces.
    .join('\n');
}

interface Reader {
  readonly file: string;
  readonly family: FileFamily;
  readonly lines: LineCounter;
}

const keyExample = { brief: 'metric: waste_pct', spec: 'title: leave less room', org: 'name: acme' };
const keyHint = (family: FileFamily): string =>
  `Write one key and its value on each line, such as ${keyExample[family]}.`;

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  MULTIPLE_DOCS: 'a second document begins here, expected one',
  RESOURCE_EXHAUSTION: 'lists are nested too deeply here',
};

function fieldsOf(reader: Reader, pairs: readonly Pair<Node | null, Node | null>[], prefix: string): Fields {
  const fields = new Map<string, Field>();
  for (const { key, value } of pairs) {
    const offset = key?.range?.[0] ?? 0;
    if (key !== null) refuseSpecials(reader, key);
    if (!isScalar(key) || key.source === undefined || key.source === '') {
      throw syntax(reader, offset, 'a key is not a word', keyHint(reader.family));
    }
    const name = key.source;
    const keyPlace = placeOf(reader, offset);
    if (name === '<<' || name in Object.prototype) {
      const what = `${shown(name)} cannot be a key`;
      throw problemAt(`${reader.family}/key`, keyPlace, what, 'Take the line out, or give it another name.');
    }
    const first = fields.get(name);
    if (first !== undefined) {
      const what = `${shown(prefix + name)} is set twice, first on line ${first.keyPlace.line}`;
      throw problemAt(`${reader.family}/key`, keyPlace, what, 'Keep one of the two.');
    }
    fields.set(name, fieldOf(reader, prefix + name, keyPlace, value));
  }
  return fields;
}

function fieldOf(reader: Reader, name: string, keyPlace: Place, node: Node | null): Field {
  if (node !== null) refuseSpecials(reader, node);
  const place = node?.range ? placeOf(reader, node.range[0]) : keyPlace;
  return { family: reader.family, name, keyPlace, place, value: readValue(reader, name, place, node) };
}

function readValue(reader: Reader, name: string, place: Place, node: Node | null): Value {
  if (isMap(node)) {
    const pairs = node.items as readonly Pair<Node | null, Node | null>[];
    return { kind: 'map', fields: fieldsOf(reader, pairs, `${name}.`) };
  }
  if (isSeq(node)) {
    const items = node.items as readonly (Node | null)[];
    return { kind: 'list', items: items.map((item) => fieldOf(reader, name, place, item)) };
  }
  if (!isScalar(node) || node.source === undefined) return { kind: 'nothing' };
  const plain = node.type === 'PLAIN';
  if (plain && /^(?:|~|null)$/i.test(node.source)) return { kind: 'nothing' };
  return { kind: 'scalar', text: node.source, quoted: node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' };
}

/** Aliases, anchors and tags: what makes YAML grow without end or build things, and is never needed here. */
function refuseSpecials(reader: Reader, node: Node): void {
  const special = (what: string, hint: string) =>
    syntax(reader, node.range?.[0] ?? 0, `${what}, which is not read here`, hint);
  if (isAlias(node)) {
    const name = shown(node.source);
    throw special(`*${name} is an alias`, `If it is a pattern, put it in quotes: "*${name}".`);
  }
  if (node.tag !== undefined) {
    const tag = shown(node.tag.replace(/^tag:yaml\.org,2002:/, '!!'));
    throw special(`${tag} is a tag`, 'Take the tag out; a value that begins with ! needs quotes.');
  }
  if ('anchor' in node && node.anchor !== undefined)
    throw special(
      `&${shown(node.anchor)} is an anchor`,
      'Take the anchor out; a value that begins with & needs quotes.',
    );
}

const syntax = (reader: Reader, offset: number, what: string, hint: string) =>
  problemAt(`${reader.family}/syntax`, placeOf(reader, offset), what, hint);

function placeOf(reader: Reader, offset: number): Place {
  const { line, col } = reader.lines.linePos(offset);
  return { file: reader.file, line: Math.max(line, 1), column: Math.max(col, 1) };
}
