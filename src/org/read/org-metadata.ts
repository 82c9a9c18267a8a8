import { type Place, type Problem, problemAt, shown } from '../../text/problem.ts';
import { type Item, oneLine, plainTitle, type Section, type Spot, trimBlanks } from './org-sections.ts';

/** `- **Key:** value — why`, or a line `key: value`. */
export interface OrgFact extends PlacedText {
  /** As people know it: `Reports to`. */
  readonly label: string;
  readonly place: Spot;
  /** Its last line, where it goes on. */
  readonly end: number;
}

/** Facts by their canonical key. */
export type Facts = ReadonlyMap<string, OrgFact>;

interface Metadata {
  readonly facts: Facts;
  /** Items of lists that are not facts, in their order. */
  readonly items: readonly Item[];
  /** Lines with a key that is not known here, in their order. */
  readonly unknown: readonly UnknownLine[];
  /** All that is not a fact, as it was written: context for agents. */
  readonly rest: string;
}

/** A line with a key that its section does not know: context for agents, unless it looks like a limit. */
export interface UnknownLine extends KeyLine {
  readonly place: Spot;
  /** Whether it stands in a list. */
  readonly isItem: boolean;
}

/** What a kind of section may say: each key, normalised, and the one it stands for. */
export type Known = ReadonlyMap<string, string>;

/** The canonical key of what is known here and left to agents: no fact, and no slip of the hand either. */
export const leftAlone = '';

export const knownKeys = (keys: Readonly<Record<string, readonly string[]>>): Known =>
  new Map(Object.entries(keys).flatMap(([key, others]) => [key, ...others].map((one) => [one, key] as const)));

/** `Ack required` as `ack_required`. */
export const keyOf = (label: string): string => plainTitle(label).replaceAll(' ', '_');

/** Takes the known facts out of a section; what is left is prose. `understood` tells items that somebody else has read. */
export function takeFacts(section: Section, known: Known, understood: (item: Item) => boolean = () => false): Metadata {
  const facts = new Map<string, OrgFact>();
  const items: Item[] = [];
  const unknown: UnknownLine[] = [];
  const rest: Left[] = [];
  const take = (line: KeyLine, place: Spot, height: number): boolean => {
    const key = known.get(line.key);
    if (key === undefined || key === leftAlone) return false;
    refuseSecond(facts.get(key), line.label, place);
    const { value, why } = splitWhy(line.value);
    const at = { ...place, column: place.column + line.offset };
    const reason = why === undefined ? {} : { why };
    facts.set(key, { label: line.label, text: value, ...reason, place: at, end: at.line + height - 1 });
    return true;
  };
  for (const block of section.blocks) {
    if (block.kind === 'list') {
      const left = block.items.filter((item) => {
        const line = keyLineOf(item);
        const height = item.text.split('\n').length;
        if (line !== undefined && take(line, item.place, height)) return false;
        items.push(item);
        if (understood(item)) return false;
        if (line !== undefined && !known.has(line.key)) unknown.push({ ...line, place: item.place, isItem: true });
        return true;
      });
      rest.push({ text: left.map(formatItem).join('\n'), list: left[0]?.marker.at(-1) });
    } else if (block.kind === 'prose') {
      const lines = block.text.split('\n').map((text, index) => ({ text, index, found: readKeyLine(text.trim()) }));
      const bare = lines.every(({ found }) => found !== undefined && known.has(found.key));
      const left = lines.filter(({ text, index, found }) => {
        if (found === undefined) return true;
        const column = (index === 0 ? block.place.column : 1) + text.length - text.trimStart().length;
        const place = { ...block.place, line: block.place.line + index, column };
        if (!known.has(found.key)) unknown.push({ ...found, place, isItem: false });
        if (!(found.bold || bare || found.key === 'preset')) return true;
        return !take(found, place, 1);
      });
      rest.push({ text: trimBlanks(left.map(({ text }) => text).join('\n')), list: undefined });
    } else rest.push({ text: block.text, list: undefined });
  }
  return { facts, items, unknown, rest: joinLeft(rest) };
}

/** What is left of a block; of a list, what its markers end in. */
interface Left {
  readonly text: string;
  readonly list: string | undefined;
}

/** Two lists that nothing is left between are one, as they would be when they are read again. */
function joinLeft(parts: readonly Left[]): string {
  let text = '';
  let last: string | undefined;
  for (const part of parts.filter((one) => one.text.trim() !== '')) {
    const between = text === '' ? '' : part.list !== undefined && part.list === last ? '\n' : '\n\n';
    text += between + part.text;
    last = part.list;
  }
  return text;
}

/** The facts of a section and those below it, where each may be set once. */
export function mergeFacts(parts: readonly { readonly facts: Facts }[]): Facts {
  const all = new Map<string, OrgFact>();
  for (const [key, fact] of parts.flatMap(({ facts }) => [...facts])) {
    refuseSecond(all.get(key), fact.label, fact.place);
    all.set(key, fact);
  }
  return all;
}

/** All of a section as it was written, without those below it. */
export const asWritten = (section: Section): string => takeFacts(section, knownKeys({})).rest;

/** Parts with an empty line between them; empty ones are left out. */
export const paragraphs = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** What stands under a section and those below it and was not understood, each with its heading. */
export function contextOf(parts: readonly { readonly section: Section; readonly rest: string }[]): string {
  const [own, ...below] = parts;
  const headed = below
    .filter(({ rest }) => rest !== '')
    .map(({ section, rest }) => `${'#'.repeat(section.depth)} ${section.title}\n\n${rest}`);
  return paragraphs(own?.rest ?? '', ...headed);
}

/** An H3 with its lines and the context beside them: below it, except where it has headings, which would take the lines in. */
export const withContext = (title: string, lines: string, context: string): string =>
  paragraphs(`### ${title}`, ...(/(?:^|\n)#{1,6} /.test(context) ? [lines, context] : [context, lines]));

/** An item as it stands in a list, on as many lines as it had. */
const formatItem = ({ marker, text }: Item): string =>
  `${marker} ${text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length + 1)}`)}`.trimEnd();

/** A key and its value, as they stand at the beginning of a line. */
interface KeyLine {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /** Whether it was bold: then it is meant as a key, known or not. */
  readonly bold: boolean;
  /** Characters before the value. */
  readonly offset: number;
}

/** The key of an item; a value on the lines below it is a list of values. */
export function keyLineOf(item: Item): KeyLine | undefined {
  const line = readKeyLine(item.head);
  return line?.value === '' ? { ...line, value: item.nested.join(', ') } : line;
}

function readKeyLine(text: string): KeyLine | undefined {
  const line = text.slice(0, maxLine);
  const match =
    /^(\*\*|__)([^*:]{1,80}?)[ ]*:[ ]*\1[ ]*()/.exec(line) ??
    /^(\*\*|__)([^*:]{1,80}?)\1[ ]*:[ ]*()/.exec(line) ??
    /^()(\p{L}[^:*`]{0,60}?)[ ]*:(?: +|$)/u.exec(line);
  if (match === null) return undefined;
  const [prefix, bold, label = ''] = match;
  const key = keyOf(label);
  if (key === '') return undefined;
  return {
    key,
    label: label.trim(),
    value: text.slice(prefix.length).trim(),
    bold: bold !== '',
    offset: prefix.length,
  };
}

/** Longer lines are prose. */
const maxLine = 4_000;

/** `yes — if you get a task, confirm it` as its value and its reason. A dash in backticks is part of a command. */
export function splitWhy(text: string): { readonly value: string; readonly why: string | undefined } {
  let inCode = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '`') inCode = !inCode;
    if (inCode || (letter !== '—' && letter !== '–' && letter !== '-')) continue;
    const width = letter === '-' ? 2 : 1;
    const before = at === 0 || text[at - 1] === ' ';
    if (!before || (width === 2 && text[at + 1] !== '-') || text[at + width] !== ' ') continue;
    return { value: text.slice(0, at).trim(), why: oneLine(text.slice(at + width)) || undefined };
  }
  return { value: text.trim(), why: undefined };
}

/** Refuses what is there a second time. */
export function refuseTwin(what: string, first: Place | undefined, place: Place, hint: string): void {
  if (first === undefined) return;
  throw problemAt('org/structure', place, `${what} is there twice, first on line ${first.line ?? 1}`, hint);
}

/** Refuses two sections of the same name beside each other: both would count, and nobody could say which. */
export function refuseTwins(what: string, sections: readonly Section[], hint: string): void {
  const first = new Map<string, Place>();
  for (const { title, place } of sections) {
    refuseTwin(`${what} ${shown(title)}`, first.get(plainTitle(title)), place, hint);
    first.set(plainTitle(title), place);
  }
}

function refuseSecond(first: OrgFact | undefined, label: string, place: Place): void {
  if (first === undefined) return;
  const what = `${shown(label)} is set twice, first on line ${first.place.line}`;
  throw problemAt('org/key', place, what, 'Keep one of the two.');
}

/** Takes what is noticed while a file is read, and does not keep it from being read. */
export interface OrgNotes {
  readonly file: string;
  /** Should not be passed over. Of warnings about the same key, only the first is told. */
  readonly warn: (problem: Problem, key?: string) => void;
  /** A limit that would be ignored: nothing begins until it is put right. History that has it can still be read. */
  readonly refuse: (problem: Problem) => void;
}

/** A text of the file's, and where it stands. */
export interface PlacedText {
  readonly text: string;
  readonly why?: string | undefined;
  readonly place: Place;
  /** Its key as it is spelt there, where it stands in YAML. */
  readonly key?: string | undefined;
}

export const inYaml = ({ file }: Place): boolean => file.endsWith('.yaml');

/** `ORG.md:12`: where a value was said. */
export const fromPlace = ({ file, line }: Place): string => (line === undefined ? file : `${file}:${line}`);
