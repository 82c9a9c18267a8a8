import type { StandingStill } from '../../process/pace.ts';
import { isMap, parseJson } from '../json-value.ts';

/*
 * The Model Context Protocol as far as an agent needs it: JSON-RPC messages, what goes out and what comes in. What a
 * server says is hostile: it is read as data, within limits, and what cannot be read is a fault of that server alone.
 */

export type Params = Readonly<Record<string, unknown>>;

/** A way to one server. */
export interface ServerWire {
  /** An address, which is asked by HTTP; otherwise a process of ours. */
  readonly isAddress: boolean;
  /** Asks, and gives the result. Throws a ServerFault; the signal ends the waiting. `headers` are for an address only. */
  request(
    method: string,
    params: Params,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  notify(method: string): Promise<void>;
  /** From now on this version of the protocol is spoken; undefined before one is agreed on. */
  agree(version: string | undefined): void;
  /** How long the server was stopped by us. */
  readonly still: StandingStill;
  /** Nothing of it is left afterwards. */
  close(): Promise<void>;
}

/** `refused`: it answered that it will not. `over`: it has forgotten the session. `broken`: there is no answer to be had. */
type FaultOfServer = 'refused' | 'over' | 'broken';

/** A server that did not answer, or not as it should: news for a model, and nobody's crash. */
export class ServerFault extends Error {
  /** The server's own words, where it has some: not ours, and not to be mixed with ours. */
  readonly said: string;
  readonly kind: FaultOfServer;

  constructor(message: string, said = '', kind: FaultOfServer = 'broken') {
    super(message);
    this.name = 'ServerFault';
    this.said = said;
    this.kind = kind;
  }
}

/** A longer answer, or more text beside it, is refused. */
export const mostAnswerBytes = 16 * 1024 * 1024;

/** And more messages than this while one is waited for are noise. */
export const mostMessages = 10_000;

export const tooMuchFromServer = (): ServerFault => new ServerFault('it said more than anybody can read');

/** It answered, and that it will not. */
export const refusal = (said: string): ServerFault => new ServerFault('it answered with an error', said, 'refused');

export const formRequest = (id: number, method: string, params: Params): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export const formNotice = (method: string, params: Params = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });

type ServerMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown; readonly error: string | undefined }
  /** It wants something of us. There is nothing for it to have but a sign of life. */
  | { readonly kind: 'request'; readonly reply: string }
  | { readonly kind: 'other' };

export function readSaid(text: string): ServerMessage {
  // An exception takes time: a server that prints lines that are not messages must not cost one for each.
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
  return { kind: 'answer', id, result: undefined, error: wordsOf(error) };
}

const wordsOf = (error: unknown): string => (isMap(error) && typeof error.message === 'string' ? error.message : '');

/** What stands in the body of an HTTP error, which need not name the request; undefined if that is not a message. */
export function readRefusal(text: string): ServerFault | undefined {
  const message = parseJson(text);
  return isMap(message) && isMap(message.error) ? refusal(wordsOf(message.error)) : undefined;
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
