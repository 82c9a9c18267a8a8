/** One site's text before and after; `place` is which site of its line it is, from 1. */
export interface Change {
  readonly file: string;
  readonly line: number;
  readonly place: number;
  readonly from: string;
  readonly to: string;
}

/** What a junior writes below its title, for the next one to read: how it was made, what was changed, what came out. */
export interface Notes {
  readonly move: string;
  readonly changes: readonly Change[];
  /** The fingerprint of the sandbox's files after the change. */
  readonly result: string;
}

export function formatNotes(notes: Notes): string {
  return [`result: ${notes.result}`, `move: ${notes.move}`, ...notes.changes.map(formatChange)].join('\n');
}

function formatChange(change: Change): string {
  return `${change.file}:${change.line}:${change.place} ${change.from} -> ${change.to}`;
}

/** The changes named in any text, line by line; lines that are something else are passed over. */
export function readChanges(text: string): readonly Change[] {
  return Array.from(text.matchAll(/^[ \t>*-]*(\S.*?):(\d+):(\d+) (\S+) -> (\S+)[ \t]*\r?$/gm), (match) => ({
    file: match[1] as string,
    line: Number(match[2]),
    place: Number(match[3]),
    from: match[4] as string,
    to: match[5] as string,
  }));
}

/** The first two lines alone, for reading a thousand notes in one go. */
export function readHead(text: string): Pick<Notes, 'move' | 'result'> | undefined {
  const head = /^result: ([0-9a-f]+)\r?\nmove: ([a-z]+)/.exec(text);
  return head === null ? undefined : { result: head[1] as string, move: head[2] as string };
}
