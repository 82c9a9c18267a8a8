/** One site's text before and after; `place` is which site of its line it is, from 1. */
export interface SiteChange {
  readonly file: string;
  readonly line: number;
  readonly place: number;
  readonly from: string;
  readonly to: string;
}

/** What a junior writes below its title, for the next one to read: how it was made, what was changed, what came out. */
export interface SearchNotes {
  readonly move: string;
  readonly changes: readonly SiteChange[];
  /** The fingerprint of the sandbox's files after the change. */
  readonly result: string;
}

export function formatNotes(notes: SearchNotes): string {
  return [`result: ${notes.result}`, `move: ${notes.move}`, ...notes.changes.map(formatChange)].join('\n');
}

function formatChange(change: SiteChange): string {
  return `${change.file}:${change.line}:${change.place} ${change.from} -> ${change.to}`;
}

/**
 * The changes named in any text, line by line; lines that are something else are passed over. Notes and specs can be
 * anybody's, so only a number, a true or false or an operator is taken: nothing else can get into a file this way.
 */
export function readChanges(text: string): readonly SiteChange[] {
  return text.split('\n').flatMap((line) => {
    const match = line.length > longestLine ? null : aChange.exec(line);
    if (match === null) return [];
    const [, file = '', number, place, from = '', to = ''] = match;
    return [{ file, line: Number(number), place: Number(place), from, to }];
  });
}

const longestLine = 500;
const siteText = String.raw`(-?[\d.][\d._]*(?:[eE][+-]?\d+)?|true|false|True|False|TRUE|FALSE|[<>]=?|[=!]==?|[-+*/])`;
const aChange = new RegExp(String.raw`^(?:[-*>] ?)?\s*(\S.*):(\d+):(\d+) ${siteText} -> ${siteText}\s*$`);

/** The first two lines alone, for reading a thousand notes in one go. */
export function readHead(text: string): Pick<SearchNotes, 'move' | 'result'> | undefined {
  const head = /^result: ([0-9a-f]+)\r?\nmove: ([a-z]+)/.exec(text);
  return head === null ? undefined : { result: head[1] as string, move: head[2] as string };
}
