import type { Facts } from '../read/org-metadata.ts';

/** A file as its lines, each with its own end, and what is to be changed of them. */
export interface Edits {
  readonly lines: readonly string[];
  /** By line, from 1: another text, or undefined for none. The end of the line stays. */
  readonly changed: Map<number, string | undefined>;
  /** By the line that they follow. */
  readonly inserted: Map<number, string[]>;
}

export const editsOf = (text: string): Edits => ({
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
export function setFact(
  edits: Edits,
  section: { readonly from: number; readonly to: number; readonly facts: Facts },
  key: string,
  label: string,
  value: string,
): void {
  const fact = section.facts.get(key);
  if (fact !== undefined) {
    const { text } = partsOf(edits.lines[fact.line - 1] ?? '');
    edits.changed.set(fact.line, `${text.slice(0, (fact.place.column ?? 1) - 1)}${value}`);
    removeLines(edits, fact.line + 1, fact.end);
    return;
  }
  const [last] = [...section.facts.values()].sort((one, other) => other.line - one.line);
  if (last !== undefined) {
    const marker = /^\s*(?:[-*+]\s+)?/.exec(edits.lines[last.line - 1] ?? '')?.[0] ?? '';
    insertAfter(edits, last.end, [`${marker}**${label}:** ${value}`]);
    return;
  }
  insertAfter(edits, lastWritten(edits, section.from, section.to), ['', `- **${label}:** ${value}`]);
}

function partsOf(line: string): { readonly text: string; readonly end: string } {
  const end = /(?:\r\n|\r|\n)$/.exec(line)?.[0] ?? '';
  return { text: line.slice(0, line.length - end.length), end };
}
