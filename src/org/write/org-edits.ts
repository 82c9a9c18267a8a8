import { readFrontMatter } from '../../text/front-matter.ts';
import { type Facts, takeFacts } from '../read/org-metadata.ts';
import { plainTitle, readSections, type Section, withChildren } from '../read/org-sections.ts';
import { headingKeys, roleKeys } from '../read/org-structure.ts';

/** A heading with its lines and what they say. */
export interface PlacedSection {
  readonly section: Section;
  readonly from: number;
  readonly to: number;
  readonly facts: Facts;
}

/** ORG.md with its headings by their lines, and what is to be changed of it. */
export interface OrgPlaces {
  readonly edits: Edits;
  readonly root: Section;
  readonly structure: Section | undefined;
  /** The role or department whose heading is on this line. */
  readonly at: (line: number | undefined) => PlacedSection | undefined;
}

export function placesOf(text: string, file = 'ORG.md'): OrgPlaces {
  const { body, bodyLine } = readFrontMatter(text, file, 'org');
  const root = readSections(body, bodyLine, file);
  const structure = sectionCalled(root, 'structure');
  const sections = structure === undefined ? [] : withChildren(structure).slice(1);
  const at = (line: number | undefined): PlacedSection | undefined => {
    const section = sections.find(({ place }) => place.line === line);
    return section && placed(section, structure?.children.includes(section) ? headingKeys : roleKeys);
  };
  return { edits: editsOf(text), root, structure, at };
}

/** The section of the file that is called so. */
export const sectionCalled = (root: Section, name: string): Section | undefined =>
  withChildren(root).find(({ depth, title }) => depth === 2 && plainTitle(title) === name);

/** A section with what it says of these keys. */
export function placed(section: Section, keys: Parameters<typeof takeFacts>[1]): PlacedSection {
  const { facts } = takeFacts(section, keys);
  return { section, from: section.place.line, to: section.end, facts };
}

/** A file as its lines, each with its own end, and what is to be changed of them. */
export interface Edits {
  readonly lines: readonly string[];
  /** By line, from 1: another text, or undefined for none. The end of the line stays. */
  readonly changed: Map<number, string | undefined>;
  /** By the line that they follow. */
  readonly inserted: Map<number, string[]>;
}

const editsOf = (text: string): Edits => ({
  lines: text.split(/(?<=\n)|(?<=\r)(?!\n)/),
  changed: new Map(),
  inserted: new Map(),
});

/** The file with its changes; every line that nobody touched is as it was, to the byte. */
export function applyEdits({ lines, changed, inserted }: Edits): string {
  if (changed.size === 0 && inserted.size === 0) return lines.join('');
  const ending = /\r\n|\r|\n/.exec(lines.find((line) => /[\r\n]$/.test(line)) ?? '\n')?.[0] ?? '\n';
  const written = lines.flatMap((line, index) => {
    const at = index + 1;
    const { text, end } = partsOf(line);
    const kept = changed.has(at) ? changed.get(at) : text;
    const added = inserted.get(at) ?? [];
    const own = kept === undefined ? [] : [`${kept}${end === '' && added.length > 0 ? ending : end}`];
    return [...own, ...added.map((one) => `${one}${ending}`)];
  });
  return written.join('');
}

export function insertAfter({ inserted }: Edits, line: number, lines: readonly string[]): void {
  inserted.set(line, [...(inserted.get(line) ?? []), ...lines]);
}

export function removeLines({ changed }: Edits, from: number, to: number): void {
  for (let line = from; line <= to; line++) changed.set(line, undefined);
}

/** The last line up to `to` that is neither blank nor taken out; `from` where there is none. */
export function lastWritten({ lines, changed }: Edits, from: number, to: number): number {
  for (let line = to; line > from; line--) {
    const isGone = changed.has(line) && changed.get(line) === undefined;
    if (!isGone && (lines[line - 1] ?? '').trim() !== '') return line;
  }
  return from;
}

/** Gives a fact another value, or adds it below the others, in the way that they are written. */
export function setFact(edits: Edits, section: PlacedSection, label: string, value: string, keepsWhy = false): void {
  const fact = section.facts.get(plainTitle(label).replaceAll(' ', '_'));
  if (fact !== undefined) {
    const { line, column } = fact.place;
    const { text } = partsOf(edits.lines[line - 1] ?? '');
    const [before, said] = [text.slice(0, column - 1), text.slice(column - 1)];
    const why = keepsWhy && said.startsWith(fact.text) ? said.slice(fact.text.length) : '';
    edits.changed.set(line, `${before}${value}${why}`);
    removeLines(edits, line + 1, fact.end);
    return;
  }
  const [last] = [...section.facts.values()].sort((one, other) => other.place.line - one.place.line);
  if (last !== undefined) {
    const marker = /^\s*(?:[-*+]\s+)?/.exec(edits.lines[last.place.line - 1] ?? '')?.[0] ?? '';
    insertAfter(edits, last.end, [`${marker}**${label}:** ${value}`]);
    return;
  }
  insertAfter(edits, lastWritten(edits, section.from, section.to), ['', `- **${label}:** ${value}`]);
}

/** Another count in the place of the one that is there; what stands around it stays. */
export function setCount(edits: Edits, { facts }: PlacedSection, count: number): void {
  const fact = facts.get('count');
  if (fact === undefined) return;
  const { line, column } = fact.place;
  const { text } = partsOf(edits.lines[line - 1] ?? '');
  edits.changed.set(line, text.slice(0, column - 1) + text.slice(column - 1).replace(/[0-9]+/, String(count)));
}

function partsOf(line: string): { readonly text: string; readonly end: string } {
  const end = /(?:\r\n|\r|\n)$/.exec(line)?.[0] ?? '';
  return { text: line.slice(0, line.length - end.length), end };
}
