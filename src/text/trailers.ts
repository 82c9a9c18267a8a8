import { cleanLine, cleanText } from './problem.ts';

interface CommitMessage {
  readonly title: string;
  readonly body: string;
  readonly trailers: readonly (readonly [key: string, value: string])[];
}

const maxTitle = 200;
const maxBody = 8 * 1024;
const maxValue = 8 * 1024;
const trailerKey = /^Org-[A-Za-z]+(?:-[A-Za-z]+)*$/;
const trailerLine = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/;

/**
 * A commit message. Title and body may come from an agent: the trailers always stand below them in a paragraph of
 * their own, so nothing written above can pass for one. A trailer whose value is empty is left out: it is not known.
 */
export function formatMessage(message: CommitMessage): string {
  const trailers = message.trailers
    .map(([key, value]) => [key, cleanLine(value, maxValue)] as const)
    .filter(([, value]) => value !== '');
  const wrong = trailers.find(([key]) => !trailerKey.test(key));
  if (wrong !== undefined) throw new Error(`${wrong[0]} is not the name of a trailer`);
  if (trailers.length === 0) throw new Error('a message without trailers would let its body pass for them');
  const title = cleanLine(message.title, maxTitle) || '(no title)';
  const body = cleanBody(message.body);
  const paragraphs = [title, body, trailers.map(([key, value]) => `${key}: ${value}`).join('\n')];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/** A body as a message holds it. */
export const cleanBody = (text: string): string => cleanText(text, maxBody);

interface ParsedMessage {
  readonly title: string;
  readonly body: string;
  /** Only `Org-` keys, and only when the last paragraph is nothing but trailers; the first of two with one key counts. */
  readonly trailers: ReadonlyMap<string, string>;
}

export function parseMessage(text: string): ParsedMessage {
  const message = (text.includes('\r') ? text.replace(/\r\n/g, '\n') : text).trimEnd();
  const titleEnd = message.indexOf('\n');
  if (titleEnd === -1) return { title: message, body: '', trailers: new Map() };
  const title = message.slice(0, titleEnd);
  const lastBreak = message.lastIndexOf('\n\n');
  const trailers = lastBreak === -1 ? undefined : parseTrailers(message.slice(lastBreak + 2));
  const body = message.slice(titleEnd, trailers === undefined ? undefined : Math.max(lastBreak, titleEnd));
  return { title, body: body.replace(/^\n+/, '').trimEnd(), trailers: trailers ?? new Map() };
}

function parseTrailers(paragraph: string): ReadonlyMap<string, string> | undefined {
  const trailers = new Map<string, string>();
  for (const line of paragraph.split('\n')) {
    const [, key, value] = trailerLine.exec(line) ?? [];
    if (key === undefined || value === undefined) return undefined;
    if (trailerKey.test(key) && !trailers.has(key)) trailers.set(key, value.trim());
  }
  return trailers;
}
