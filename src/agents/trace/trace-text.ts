import { isMap, parseJson } from '../json-value.ts';

/*
 * The trace of an attempt: what was said and done, one JSON object a line, in the order in which it happened. It was
 * written by models and processes, so nothing in it is believed, and a line that cannot be read is shown as it is.
 */

export interface TracePart {
  readonly kind: 'text' | 'call' | 'result';
  readonly tool?: string;
  readonly text?: string;
  readonly input?: unknown;
  /** What the model said where its input could not be read. */
  readonly unread?: string;
  readonly failed?: boolean;
}

export type TraceLine =
  /** What was said to a model and what it answered; `system` is what it was told of its work before anything else. */
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
export function parseTrace(text: string): readonly TraceLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => readLine(line) ?? note(line));
}

/** The same lines with every text in them changed; what is no line any more stays as it is. */
export function mapTrace(line: string, change: (text: string) => string): string {
  const read = parseJson(line);
  return read === undefined ? change(line) : JSON.stringify(mapTexts(read, change));
}

/** At most so many characters of a trace: its first and its last lines, and between them how much is left out. */
export function cutTrace(text: string, most: number): string {
  if (text.length <= most) return text;
  const lines = text.split('\n').filter((line) => line !== '');
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

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]));
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
