import { type Place, problemAt } from '../../text/problem.ts';

/** A brief in plain sections as lines that know their section. */
export interface PlainPage {
  readonly file: string;
  readonly lines: readonly PlainLine[];
}

/** A line of a section, without its bullet. */
export interface PlainLine {
  readonly section: string;
  readonly place: Place;
  readonly text: string;
}

/** Longer lines are prose: none of what is looked for here needs as much. */
const maxLine = 1000;

const example =
  'Begin program.md with front matter: ---, then metric, direction, sandbox and score, each on its line, then --- again.';

export function readPlainPage(body: string, bodyLine: number, file: string): PlainPage {
  let section = '';
  const lines = body.split('\n').map((line, index) => {
    const text = line.length > maxLine ? '' : line.replace(/^\s*(?:[-*+]\s+)?/, '').trimEnd();
    const heading = /^#{1,6}\s+(\S.*)$/.exec(text)?.[1];
    if (heading !== undefined) section = heading.toLowerCase();
    const place = { file, line: bodyLine + index, column: 1 };
    return { section: heading === undefined ? section : '', place, text };
  });
  return { file, lines };
}

export const linesBeginning = (page: PlainPage, section: string, begins: RegExp): readonly PlainLine[] =>
  page.lines.filter((line) => line.section.startsWith(section) && begins.test(line.text));

export function requireLine(page: PlainPage, section: string, begins: RegExp, expected: string): PlainLine {
  const [line] = linesBeginning(page, section, begins);
  if (line !== undefined) return line;
  const what = `there is no front matter, and no ${expected} under ## ${section.charAt(0).toUpperCase()}${section.slice(1)}`;
  throw problemAt('brief/missing', { file: page.file, line: 1, column: 1 }, what, example);
}

/** What stands behind the colon of a line. */
export const valueAfterColon = ({ text }: PlainLine): string => text.slice(text.indexOf(':') + 1).trim();

/** Paths among words: they begin with a slash (the repository's root), stand in backticks, or end in `.ext` or `/`. */
export function pathsIn(text: string): readonly string[] {
  const words = text.slice(text.indexOf(':') + 1).match(/`[^`]+`|[^\s,;]+/g) ?? [];
  return words.flatMap((word) => {
    const ticked = /^`(.*)`$/.exec(word)?.[1];
    const path = (ticked ?? word.replace(/[.:)\]"']+$/, '').replace(/^[("'[]+/, '')).trim();
    const isPath =
      ticked !== undefined ||
      /^\/[^/]|^(?!e\.g$|i\.e$)[^:]*[^:/.]\.[A-Za-z][A-Za-z0-9]{0,7}$|[^:/]\/(?:\*\*)?$/.test(path);
    const bare = path.replace(/^\//, '').replace(dates, '*');
    return isPath ? [bare.replace(/<[^<>/]*>|\{[^{}/]*\}/g, '*')] : [];
  });
}

/** `YYYY-WW`, `YYYY-MM-DD`: a file for each date. */
const dates = /(?:YYYY|YY|MM|DD|WW|HH)(?:[-_.]?(?:YYYY|YY|MM|DD|WW|HH))*/g;
