import type { Place, Problem } from '../text/problem.ts';
import { problemAt } from '../text/problem-at.ts';

/** One policy as it stands in a file. */
export interface PolicyStatement {
  readonly file: string;
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly column: number;
}

/**
 * Cuts a Cedar file into its policies, so that each can be named by its line. A semicolon ends one wherever it does not stand
 * in a text or a comment; what is wrong inside of it Cedar will say.
 */
export function statementsIn(file: string, source: string): readonly PolicyStatement[] {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const found: PolicyStatement[] = [];
  let begun: number | undefined;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/\/\/.*|"(?:[^"\\]|\\[\s\S])*"?|[;()[\]{}]|[^\s"/;()[\]{}]+|\//g)) {
    if (token.startsWith('//')) continue;
    begun ??= index;
    if (/^[([{]$/.test(token) && ++depth > maxDepth) throw tooDeep({ file, ...placeIn(text, index) });
    if (/^[)\]}]$/.test(token)) depth = Math.max(0, depth - 1);
    if (token !== ';') continue;
    found.push(statementAt(file, text, begun, index + 1));
    begun = undefined;
    depth = 0;
  }
  if (begun !== undefined) found.push(statementAt(file, text, begun, text.trimEnd().length));
  return found;
}

/** The engine reads brackets by calling itself, and a few hundred of them are more than it survives. */
const maxDepth = 40;

const tooDeep = (place: Place): Problem =>
  problemAt(
    'org/policy',
    place,
    `this bracket is the ${maxDepth + 1}st that is open, and at most ${maxDepth} can be`,
    'Take out brackets that change nothing, or make several policies of it: each forbid counts for itself.',
  );

function statementAt(file: string, text: string, start: number, end: number): PolicyStatement {
  return { file, text: text.slice(start, end), ...placeIn(text, start) };
}

/** The line and column in its file of a byte of a statement, as Cedar counts. */
export function placeInPolicy({ file, text, line, column }: PolicyStatement, byte: number) {
  const at = Buffer.from(text).subarray(0, byte).toString('utf8').length;
  const inside = placeIn(text, at);
  return {
    file,
    line: line + inside.line - 1,
    column: inside.line === 1 ? column + inside.column - 1 : inside.column,
  };
}

function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
