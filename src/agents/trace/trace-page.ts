import type { BookEntry } from '../../records/entry.ts';
import { type Look, spell } from '../../terminal/look.ts';
import { formatJson, visible, visibleLines } from '../../terminal/visible.ts';
import { parseJson } from '../json-value.ts';
import type { TraceLine, TracePart } from './trace-text.ts';

/** What was said and done, for reading: what a model said in full, what it was told and what its tools did in a few lines. */
export function formatTrace(name: string, { get }: BookEntry, lines: readonly TraceLine[], look: Look): string {
  const words = [visible(get('Agent') ?? ''), visible(get('Model') ?? ''), countWords(lines)];
  const leftOut = get('Reason');
  const shown = [
    look.paint.bold(`${name}  trace   ${words.filter((word) => word !== '').join('   ')}`),
    ...(leftOut === undefined ? [] : [look.paint.dim(visible(leftOut))]),
    ...lines.flatMap((line, index) => ['', ...linesOf(line, index, look)]),
    '',
  ];
  return spell(shown.join('\n'), look);
}

export const noTrace = (name: string, agent: string): string =>
  `${name} has no trace: ${visible(agent)} keeps none (the search agents say what they did in the title), or the run was killed before it was written\n`;

function countWords(lines: readonly TraceLine[]): string {
  const answers = lines.filter((line) => line.from === 'model');
  if (answers.length === 0) return '';
  const sum = (key: 'tokensIn' | 'tokensOut'): number =>
    answers.reduce((total, line) => total + (line.from === 'model' ? (line.usage?.[key] ?? 0) : 0), 0);
  return `${answers.length} answers, ${sum('tokensIn')} tokens in, ${sum('tokensOut')} out`;
}

/** What it is told before it begins is the same each time, and long. */
const mostTold = 12;
const mostResult = 6;

function linesOf(line: TraceLine, index: number, { paint }: Look): readonly string[] {
  if (line.from === 'orgrepo') return [paint.dim(visible(line.text))];
  if (line.from === 'process')
    return [paint.bold(`${line.stream}, ${line.bytes} bytes`), ...indented(line.text, Number.POSITIVE_INFINITY)];
  if (line.from === 'system') return [paint.bold('system'), ...indented(textOf(line.parts), 2)];
  if (line.from === 'us')
    return [paint.bold('us'), ...line.parts.flatMap((part) => partLines(part, index < 2 ? mostTold : mostResult))];
  const { tokensIn, tokensOut } = line.usage ?? {};
  const cost = tokensIn === undefined ? '' : `   ${tokensIn} in, ${tokensOut} out`;
  const stop = line.stop === undefined || line.stop === 'calls' ? '' : `   ${visible(line.stop)}`;
  return [
    `${paint.bold('model')}${paint.dim(cost + stop)}`,
    ...line.parts.flatMap((part) => partLines(part, Number.POSITIVE_INFINITY)),
  ];
}

function partLines(part: TracePart, most: number): readonly string[] {
  const tool = visible(part.tool ?? '');
  if (part.kind === 'call') return [`  > ${tool} ${short(part.unread ?? formatJson(part.input ?? {}))}`];
  if (part.kind === 'text') return indented(part.text ?? '', most);
  const [first = '', ...rest] = indented(part.text ?? '', mostResult);
  return [`  < ${tool}${part.failed === true ? ' failed' : ''}: ${first.trim()}`, ...rest.map((line) => `  ${line}`)];
}

const textOf = (parts: readonly TracePart[]): string => parts.map(({ text }) => text ?? '').join('\n');

function short(text: string): string {
  const line = visible(text);
  return line.length <= 120 ? line : `${[...line].slice(0, 117).join('')}...`;
}

function indented(text: string, most: number): readonly string[] {
  const lines = visibleLines(text).trimEnd().split('\n');
  const shown = lines.slice(0, most).map((line) => `  ${line}`);
  return lines.length <= most ? shown : [...shown, `  ... ${lines.length - most} more lines (--json has them)`];
}

/** The lines as they are stored, safe to print. */
export const traceJson = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${safeJson(line)}\n`)
    .join('');

const safeJson = (line: string): string => formatJson(parseJson(line) ?? { from: 'orgrepo', text: line });
