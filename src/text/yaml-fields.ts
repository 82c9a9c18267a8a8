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
import { shown } from './clean.ts';
import type { Field, Fields, FileFamily, Value } from './field.ts';
import { type Place, problemAt } from './problem.ts';

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
    throw syntax(reader, contents.range?.[0] ?? 0, what, keyHint[family]);
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

const keyHint: Readonly<Record<FileFamily, string>> = {
  brief: 'Write one key and its value on each line, such as metric: waste_pct.',
  spec: 'Write one key and its value on each line, such as title: leave less room.',
  org: 'Write one key and its value on each line, such as name: acme.',
};

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
      throw syntax(reader, offset, 'a key is not a word', keyHint[reader.family]);
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
  const offset = node.range?.[0] ?? 0;
  if (isAlias(node)) {
    const what = `*${shown(node.source)} is an alias, which is not read here`;
    throw syntax(reader, offset, what, `If it is a pattern, put it in quotes: "*${shown(node.source)}".`);
  }
  if (node.tag !== undefined) {
    const what = `${shown(node.tag.replace(/^tag:yaml\.org,2002:/, '!!'))} is a tag, which is not read here`;
    throw syntax(reader, offset, what, 'Take the tag out; a value that begins with ! needs quotes.');
  }
  if ('anchor' in node && node.anchor !== undefined) {
    const what = `&${shown(node.anchor)} is an anchor, which is not read here`;
    throw syntax(reader, offset, what, 'Take the anchor out; a value that begins with & needs quotes.');
  }
}

const syntax = (reader: Reader, offset: number, what: string, hint: string) =>
  problemAt(`${reader.family}/syntax`, placeOf(reader, offset), what, hint);

function placeOf(reader: Reader, offset: number): Place {
  const { line, col } = reader.lines.linePos(offset);
  return { file: reader.file, line: Math.max(line, 1), column: Math.max(col, 1) };
}
