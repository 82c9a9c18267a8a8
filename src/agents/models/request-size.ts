import type { Fault, ModelMessage, Part, Question } from './model-contract.ts';

type Frame = Pick<Question, 'system' | 'tools'>;

/** What a request takes in bytes, at least as many as in any provider's form. */
export const requestBytes = ({ system, tools }: Frame, messages: readonly ModelMessage[]): number =>
  bytesOf([system]) +
  tools.reduce((sum, tool) => sum + bytesOf(tool) + framing, framing) +
  messages.reduce((sum, message) => sum + messageBytes(message), 0);

/** Names of fields and roles around each piece. */
const framing = 128;

/** Some providers take the input of a call as a text, in which every quotation mark and line is escaped once more. */
function messageBytes({ parts, native }: ModelMessage): number {
  const plain = parts.map((part) => {
    if (part.kind === 'call') return { ...part, input: JSON.stringify(part.input) };
    return part.kind === 'result' ? { ...part, images: part.images?.length } : part; // Providers count images by their own rules.
  });
  return Math.max(bytesOf(plain), bytesOf(native)) + framing * (1 + parts.length);
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * The same conversation in half of so many bytes, so that it is not cut again at once and a provider's cache can hold it. Old results
 * of tools go first, then whole turns, and results of the last turn only where it alone is too long. What a turn says is never
 * changed by itself: providers want it back as it was.
 */
export function shortenTalk(frame: Frame, messages: readonly ModelMessage[], most: number): ModelMessage[] {
  const short = [...messages];
  const isLongerThan = (bytes: number): boolean => requestBytes(frame, short) > bytes;
  for (let at = 2; at < short.length - 1 && isLongerThan(most / 2); at += 2) short[at] = withoutResults(short[at]);
  if (isLongerThan(most)) while (short.length > 3 && isLongerThan(most / 2)) short.splice(1, 2);
  const last = short.at(-1);
  for (const at of (short.length > 1 ? last?.parts : undefined)?.keys() ?? [])
    if (isLongerThan(most)) short[short.length - 1] = withoutResults(short.at(-1), at);
  const [opening] = short;
  if (short.length < messages.length && opening !== undefined)
    short[0] = { ...opening, parts: [...opening.parts.filter((part) => part !== leftOut), leftOut] };
  return short;
}

const leftOut: Part = {
  kind: 'text',
  text: '[Your first turns are left out here, to keep the request short. What you changed is changed.]',
};

/** Of one part, or of all. */
function withoutResults(message: ModelMessage | undefined, at?: number): ModelMessage {
  const parts = (message?.parts ?? []).map((part, index) => {
    const bytes = part.kind === 'result' ? Buffer.byteLength(part.text) : 0;
    if (part.kind !== 'result' || bytes < shortest || (at !== undefined && index !== at)) return part;
    const { images: _, ...rest } = part;
    return { ...rest, text: `[${bytes} bytes are left out here: read again if needed, a part at a time]` };
  });
  return { from: 'us', parts };
}

/** It would not become shorter. */
const shortest = 200;

/** Whether a provider refused a request for its length: each says it in words of its own. */
export const isTooLong = ({ kind, message }: Fault): boolean =>
  kind === 'request' &&
  /too long|context.{0,10}(length|window|size|limit)|(maximum|max) context|too many (input )?tokens|token count|exceeds?.{0,40}tokens|request_too_large|\b413\b/i.test(
    message,
  );
