import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { ModelAnswer, ModelMessage } from '../models/model-contract.ts';
import { formatTraceLine, leftOut, note, type TraceLine } from './trace-text.ts';

/** What was said and done in one attempt, kept while it goes on. */
export type Trace = ReturnType<typeof openTrace>;

/** How much is kept of the beginning, and as much again of the end: a conversation has no end that memory knows. */
const keptCharacters = 2 * 1024 * 1024;

/** No text of a turn is kept at greater length; what a process printed may be all that there is. */
const longestText = 64 * 1024;
const longestOutput = 1024 * 1024;

export function openTrace() {
  const head: string[] = [];
  const tail: string[] = [];
  let [headSize, tailSize, lostLines, lostSize] = [0, 0, 0, 0];
  const keep = (line: string): void => {
    if (tail.length === 0 && headSize + line.length <= keptCharacters) {
      head.push(line);
      headSize += line.length;
      return;
    }
    tail.push(line);
    tailSize += line.length;
    let dropped = 0;
    while (tailSize > keptCharacters && dropped < tail.length) tailSize -= tail[dropped++]?.length ?? 0;
    for (const lost of tail.splice(0, dropped)) {
      lostLines += 1;
      lostSize += lost.length;
    }
  };
  const add = (line: TraceLine): void =>
    keep(formatTraceLine(line, hideSecrets, line.from === 'process' ? longestOutput : longestText));
  return {
    add,
    /** What orgrepo has to say of it. */
    note: (text: string): void => add(note(text)),
    text: (): string => {
      const gap = lostLines === 0 ? [] : [JSON.stringify(note(leftOut(lostLines, lostSize)))];
      return [...head, ...gap, ...tail].map((line) => `${line}\n`).join('');
    },
  };
}

/** A message of a conversation; an answer says how it stopped, what it cost and who gave it. */
export function messageLine({ from, parts }: ModelMessage, answer?: ModelAnswer): TraceLine {
  const { stop, usage, model } = answer ?? {};
  return {
    from,
    parts: parts.map((part) => {
      if (part.kind === 'text') return { kind: part.kind, text: part.text };
      const { kind, tool } = part;
      if (kind === 'result') return { kind, tool, text: part.text, ...(part.failed ? { failed: true } : {}) };
      return { kind, tool, input: part.input, ...(part.unread === undefined ? {} : { unread: part.unread }) };
    }),
    ...(answer === undefined ? {} : { stop, usage, model }),
  };
}

/**
 * What a process printed. Where its middle was left out before anybody looked for secrets, the edges may hold a part of
 * one, and are left out too.
 */
export function outputLine(stream: 'stdout' | 'stderr', { text, bytes }: Printed): TraceLine {
  const pieces = text.split(/\n… \d+ bytes left out …\n/);
  const whole = pieces.map((piece, index) =>
    piece.slice(index === 0 ? 0 : edge, index === pieces.length - 1 ? undefined : -edge),
  );
  return { from: 'process', stream, text: whole.join('\n… left out …\n'), bytes };
}

/** The trace of an agent that is a process: what it printed, and what stands in its own log. */
export function traceOfProcess(
  { stdout, stderr }: Readonly<Record<'stdout' | 'stderr', Printed>>,
  log?: string,
): string {
  const trace = openTrace();
  trace.add(outputLine('stdout', stdout));
  trace.add(outputLine('stderr', stderr));
  if (log !== undefined) trace.note(log);
  return trace.text();
}

type Printed = { readonly text: string; readonly bytes: number };

/** Longer than any spelling of a secret. */
const edge = 64 * 1024;
