import { comparableWords, headingsIn, lineEndOf, linesWithEnds } from '../../text/markdown-lines.ts';

/** Where what a night has taught is written down: under a heading of its own it is part of no section that is enforced. */
const heading = 'What was learned';

/** A brief with one line more for agents to read, and every other byte as it was. */
export function addBriefLine(text: string, line: string): string {
  const end = lineEndOf(text);
  const lines = linesWithEnds(text);
  const headings = headingsIn(lines);
  const own = headings.find(({ title }) => comparableWords(title) === comparableWords(heading));
  const next = headings.find(({ index }) => own !== undefined && index > own.index);
  let at = next?.index ?? lines.length;
  while (at > 0 && (lines[at - 1] ?? '').trim() === '') at -= 1;
  const before = lines.slice(0, at).join('');
  const open = before.endsWith('\n') ? '' : end;
  const under = own === undefined ? `${end}## ${heading}${end}${end}` : own.index === at - 1 ? end : '';
  return `${before}${open}${under}- ${line}${end}${lines.slice(at).join('')}`;
}
