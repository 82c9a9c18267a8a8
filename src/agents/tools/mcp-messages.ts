import type { StandingStill } from '../../process/pace.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/problem.ts';
import { isMap, parseJson } from '../json-value.ts';

/*
 * The Model Context Protocol as far as an agent needs it: JSON-RPC messages, what goes out and what comes in. What a
 * server says is hostile: it is read as data, within limits, and what cannot be read is a fault of that server alone.
 */

/** A way to one server. */
export interface Wire {
  /** Asks, and gives the result. Throws a ServerFault; the signal ends the waiting. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  notify(method: string): Promise<void>;
  /** From now on this is how the server wants to be spoken to. */
  agree(version: string): void;
  /** Nothing of it is left afterwards. */
  /** How long the server was stopped by us. */
  readonly still: StandingStill;
  close(): Promise<void>;
}

/** A server that did not answer, or not as it should: news for a model, and nobody's crash. */
export class ServerFault extends Error {
  /** The server's own words, where it has some: not ours, and not to be mixed with ours. */
  readonly said: string;

  constructor(message: string, said = '') {
    super(message);
    this.name = 'ServerFault';
    this.said = said;
  }
}

/** More than this in one answer, or beside it, is no answer. */
export const mostAnswerBytes = 16 * 1024 * 1024;

/** And more messages than this while one is waited for are noise. */
export const mostMessages = 10_000;

export const tooMuchFromServer = (): ServerFault => new ServerFault('it said more than anybody can read');

/** It answered, and that it will not. */
export const refusal = (said: string): ServerFault => new ServerFault('it answered with an error', said);

export const formRequest = (id: number, method: string, params: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export const formNotice = (method: string, params: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });

type ServerMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown; readonly error: string | undefined }
  /** It wants something of us. There is nothing for it to have but a sign of life. */
  | { readonly kind: 'request'; readonly reply: string }
  | { readonly kind: 'other' };

export function readSaid(text: string): ServerMessage {
  // An exception is dear: whoever prints what is no message at all must not be given one for every line.
  const message = text.startsWith('{') ? parseJson(text) : undefined;
  if (!isMap(message)) return { kind: 'other' };
  const { id, method, result, error } = message;
  if (typeof method === 'string') {
    if (typeof id !== 'number' && typeof id !== 'string') return { kind: 'other' };
    const refusal = { error: { code: -32601, message: 'there is nothing of this kind here' } };
    return {
      kind: 'request',
      reply: JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'ping' ? { result: {} } : refusal) }),
    };
  }
  if (typeof id !== 'number') return { kind: 'other' };
  if (error === undefined) return { kind: 'answer', id, result, error: undefined };
  const why = isMap(error) && typeof error.message === 'string' ? error.message : '';
  return { kind: 'answer', id, result: undefined, error: why };
}

/** Takes bytes apart into what stands between line breaks. A line without an end is an attack on memory. */
export function linesFrom(take: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    if (rest.length + text.length > mostAnswerBytes) throw tooMuchFromServer();
    rest += text;
    if (!text.includes('\n')) return; // A long line comes in many pieces, and is looked through once.
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) take(line.endsWith('\r') ? line.slice(0, -1) : line);
  };
}

/** How much of a schema is taken over. What is more was not written for anybody to read. */
const mostDepth = 5;
const mostProperties = 64;
const mostChoices = 64;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/**
 * What a tool takes, from what its server says of it: an object, with the few words that every provider understands. A
 * server may say anything, and a provider that is given what it does not understand refuses the whole question.
 */
export function inputSchema(said: unknown): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = isMap(said) && said.type === 'object' ? schemaOf(said, 0) : {};
  return { type: 'object', properties, required, additionalProperties: true };
}

function schemaOf(said: unknown, depth: number): Readonly<Record<string, unknown>> {
  if (!isMap(said) || depth > mostDepth) return {};
  const named = Array.isArray(said.type) ? said.type.find((one) => one !== 'null') : said.type;
  const type = types.find((one) => one === named);
  const choices = Array.isArray(said.enum) ? said.enum.filter((one) => typeof one === 'string') : [];
  return {
    ...(type === undefined ? {} : { type }),
    ...(typeof said.description === 'string' ? { description: clean(said.description) } : {}),
    ...(choices.length === 0 ? {} : { enum: choices.slice(0, mostChoices).map(clean) }),
    ...(type === 'array' ? { items: schemaOf(said.items, depth + 1) } : {}),
    ...(type === 'object' ? propertiesOf(said, depth) : {}),
  };
}

function propertiesOf(said: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(isMap(said.properties) ? said.properties : {})
    .filter(([name]) => /^[\w.-]{1,64}$/.test(name) && name !== '__proto__')
    .slice(0, mostProperties)
    .map(([name, property]) => [name, schemaOf(property, depth + 1)] as const);
  const names = entries.map(([name]) => name);
  const required = Array.isArray(said.required)
    ? names.filter((name) => (said.required as unknown[]).includes(name))
    : [];
  return { properties: Object.fromEntries(entries), required };
}

const clean = (text: string): string => cleanLine(hideSecrets(text), 300);
