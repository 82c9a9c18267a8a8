import { problemAt } from '../../text/problem.ts';

const maxHeadings = 10_000;
/** The parser looks at all lines before an underlined heading again. */
const maxUnderlined = 500;
const maxItems = 20_000;
const maxNesting = 10;
/** Lines in a row that belong to a list's item: the parser looks at all of them again for each. */
const maxRun = 300;

/**
 * Refuses what would take the Markdown parser long, in one pass over the lines: it reads lists in lists, and long items, in a
 * time that grows with the square.
 */
export function refuseSlowShapes(source: string, firstLine: number, file: string): void {
  let headings = 0;
  let underlined = 0;
  let previous = '';
  let items = 0;
  let run = -1; // Below zero outside of lists.
  let line = firstLine - 1;
  const wrong = (what: string, hint: string) => problemAt('org/syntax', { file, line, column: 1 }, what, hint);
  for (const text of source.split('\n')) {
    line += 1;
    if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(text)) {
      headings += 1;
      run = -1;
    }
    if (isUnderline(text, previous)) underlined += 1;
    previous = text;
    const markers = markersOf(text);
    if (markers.count > 0) {
      items += 1;
      run = 0;
    } else if (text.trim() === '') run = -1;
    else if (run >= 0) run += 1;
    if (headings > maxHeadings)
      throw wrong(`there are more than ${maxHeadings} headings`, 'An org has a few hundred roles at the most.');
    if (underlined > maxUnderlined)
      throw wrong(
        `there are more than ${maxUnderlined} underlined headings`,
        'Write headings with signs: ## Structure.',
      );
    if (items > maxItems)
      throw wrong(`there are more than ${maxItems} items in lists`, 'Move what is not about the org to other files.');
    if (markers.count > maxNesting || markers.indent > 4 * maxNesting)
      throw wrong(`a list is nested more than ${maxNesting} deep`, 'Write it flat, or as headings.');
    if (run > maxRun)
      throw wrong(`an item of a list goes on for more than ${maxRun} lines`, 'Put an empty line before the prose.');
  }
}

/** Whether a line makes a heading of the one before it. A single dash below an item of a list is the next item. */
function isUnderline(text: string, previous: string): boolean {
  const line = text.trim();
  if (!/^(?:=+|-+)$/.test(line) || previous.trim() === '') return false;
  return line !== '-' || markersOf(previous).count === 0;
}

/** The markers of lists that a line begins with, and the columns before the first of them. */
function markersOf(text: string): { readonly count: number; readonly indent: number } {
  const begin = /^[ \t]{0,400}/.exec(text)?.[0] ?? '';
  const rest = text.slice(begin.length, begin.length + 400);
  const count = [...rest.matchAll(/(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)/gy)].length;
  return { count, indent: count === 0 ? 0 : begin.replace(/\t/g, '    ').length };
}
