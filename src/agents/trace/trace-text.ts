import { mapTexts } from '../../domain/rules/plain-arguments.ts';
import type { BookEntry } from '../../records/entry.ts';
import { type Look, spell } from '../../terminal/look.ts';
import { formatJson, visible, visibleLines } from '../../terminal/visible.ts';
import { isMap, parseJson } from '../json-value.ts';

/*
 * The trace of an attempt: what was said and done, one JSON object a line, in the order in which it happened. It was
 * written by models and processes, so nothing in it is believed, and a line that cannot be read is shown as it is.
 */

interface TracePart {
  readonly kind: 'text' | 'call' | 'result';
  readonly tool?: string;
  readonly text?: string;
  readonly input?: unknown;
  /** What the model said where its input could not be read. */
  readonly unread?: string;
  readonly failed?: boolean;
}

export type TraceLine =
  /** What was said to a model and what it answered; `system` is the text it got before anything else. */
  | {
      readonly from: 'system' | 'us' | 'model';
      readonly parts: readonly TracePart[];
      readonly stop?: string | undefined;
      readonly usage?: { readonly tokensIn: number; readonly tokensOut: number } | undefined;
      readonly model?: string | undefined;
    }
  /** What a process printed. */
  | {
      readonly from: 'process';
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
      /** How much it was in all. */
      readonly bytes: number;
    }
  /** What orgrepo has to say of it: how it ended, or how much is left out. */
  | { readonly from: 'orgrepo'; readonly text: string };

/** A line longer than this is made shorter. */
const longestLine = 2 * 1024 * 1024;

/**
 * A line as it is written. Every text in it is cleaned first and made shorter afterwards: half a secret is not known
 * again. Names of a tool's inputs are texts like any other.
 */
export function formatTraceLine(line: TraceLine, clean: (text: string) => string, longestText: number): string {
  const cleaned = mapTexts(line, clean);
  for (let most = longestText; most >= 256; most = Math.floor(most / 4)) {
    const formatted = JSON.stringify(mapTexts(cleaned, (text) => shorten(text, most)));
    if (formatted.length <= longestLine) return formatted;
  }
  return JSON.stringify(note(`a line of ${line.from} was too long to be kept`));
}

export const note = (text: string): TraceLine => ({ from: 'orgrepo', text });

/** The lines of a trace. */
export const parseTrace = (text: string): readonly TraceLine[] =>
  linesIn(text).map((line) => readLine(line) ?? note(line));

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** The same lines with every text in them changed; what is not a line any more stays as it is. */
export function mapTrace(line: string, change: (text: string) => string): string {
  const read = parseJson(line);
  return read === undefined ? change(line) : JSON.stringify(mapTexts(read, change));
}

/** At most so many characters of a trace: its first and its last lines, and between them how much is left out. */
export function cutTrace(text: string, most: number): string {
  if (text.length <= most) return text;
  const lines = linesIn(text);
  const half = Math.max(0, Math.floor((most - 100) / 2));
  const first = countWithin(lines, half);
  const last = countWithin(lines.slice(first).reverse(), half);
  const left = lines.slice(first, lines.length - last);
  const gap = JSON.stringify(note(leftOut(left.length, left.join('\n').length)));
  return `${[...lines.slice(0, first), gap, ...lines.slice(lines.length - last)].join('\n')}\n`;
}

export const leftOut = (lines: number, characters: number): string =>
  `${lines} lines with ${characters} characters left out`;

/** How often each tool was asked for. A model may call for tools that nobody has, by names that are no names. */
export function toolCounts(lines: readonly TraceLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const part of 'parts' in line ? line.parts : []) {
      if (part.kind !== 'call') continue;
      const name = /^[\w.-]{1,64}$/.test(part.tool ?? '') ? (part.tool ?? '') : 'no tool';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  return counts;
}

function countWithin(lines: readonly string[], most: number): number {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > most;
  });
  return end < 0 ? lines.length : end;
}

/** The beginning and the end of a text, and between them how much is left out. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}

function readLine(line: string): TraceLine | undefined {
  const value = parseJson(line);
  if (!isMap(value)) return undefined;
  const { from, text, parts, stream, bytes } = value;
  if (from === 'orgrepo' && typeof text === 'string') return { from, text };
  if (from === 'process' && typeof text === 'string')
    return { from, text, stream: stream === 'stderr' ? 'stderr' : 'stdout', bytes: Number(bytes) || 0 };
  if ((from !== 'system' && from !== 'us' && from !== 'model') || !Array.isArray(parts)) return undefined;
  return {
    from,
    parts: parts.filter(isMap).map(readPart),
    stop: textOf(value.stop),
    model: textOf(value.model),
    usage: isMap(value.usage)
      ? { tokensIn: Number(value.usage.tokensIn) || 0, tokensOut: Number(value.usage.tokensOut) || 0 }
      : undefined,
  };
}

function readPart({ kind, tool, text, input, unread, failed }: Readonly<Record<string, unknown>>): TracePart {
  return {
    kind: kind === 'call' || kind === 'result' ? kind : 'text',
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof unread === 'string' ? { unread } : {}),
    ...(input === undefined ? {} : { input }),
    ...(failed === true ? { failed } : {}),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What was said and done, for reading: what a model said in full, what it got and what its tools did in a few lines. */
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

/** The text before it begins is the same each time, and long. */
const mostQuoted = 12;
const mostResult = 6;

function linesOf(line: TraceLine, index: number, { paint }: Look): readonly string[] {
  if (line.from === 'orgrepo') return [paint.dim(visible(line.text))];
  if (line.from === 'process')
    return [paint.bold(`${line.stream}, ${line.bytes} bytes`), ...indented(line.text, Number.POSITIVE_INFINITY)];
  if (line.from === 'system') return [paint.bold('system'), ...indented(textOfParts(line.parts), 2)];
  if (line.from === 'us')
    return [paint.bold('us'), ...line.parts.flatMap((part) => partLines(part, index < 2 ? mostQuoted : mostResult))];
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

const textOfParts = (parts: readonly TracePart[]): string => parts.map(({ text }) => text ?? '').join('\n');

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
export function traceJson(text: string): string {
  const lines = linesIn(text).map((line) => formatJson(parseJson(line) ?? note(line)));
  return lines.map((line) => `${line}\n`).join('');
}
