import { neverStill } from '../../process/alarms.ts';
import {
  formNotice,
  formRequest,
  linesFrom,
  mostAnswerBytes,
  readSaid,
  refusal,
  ServerFault,
  tooMuchFromServer,
  type Wire,
} from './mcp-wire.ts';

/** A server at an address: every message is a POST, and the answer comes as JSON or as a stream of events. */
export function httpWire(url: string, key: string | undefined): Wire {
  let last = 0;
  let session: string | undefined;
  let version: string | undefined;
  const headers = (): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  });
  // Whoever sends us elsewhere would be given the key as well.
  const post = (body: string, signal: AbortSignal): Promise<Response> =>
    fetch(url, { method: 'POST', headers: headers(), body, redirect: 'error', signal });

  return {
    request: async (method, params, signal) => {
      const id = ++last;
      try {
        const response = await post(formRequest(id, method, params), signal);
        const told = response.headers.get('mcp-session-id');
        if (told !== null && /^[\x21-\x7e]{1,256}$/.test(told)) session = told;
        if (!response.ok) {
          await response.body?.cancel();
          throw new ServerFault(`it answered with status ${response.status}`);
        }
        return await answerIn(response, id);
      } catch (error) {
        if (error instanceof ServerFault) throw error;
        throw new ServerFault(signal.aborted ? 'it did not answer in time' : `it cannot be reached: ${causeOf(error)}`);
      }
    },
    notify: async (method) => {
      const response = await post(formNotice(method), AbortSignal.timeout(farewellMs)).catch(() => undefined);
      await response?.body?.cancel();
    },
    agree: (agreed) => {
      version = agreed;
    },
    still: neverStill,
    close: async () => {
      if (session === undefined) return;
      const farewell = {
        method: 'DELETE',
        headers: headers(),
        redirect: 'error',
        signal: AbortSignal.timeout(farewellMs),
      } as const;
      const response = await fetch(url, farewell).catch(() => undefined);
      await response?.body?.cancel();
    },
  };
}

/** What nobody waits for an answer to is not waited for. */
const farewellMs = 1_000;

async function answerIn(response: Response, id: number): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let found: { readonly result: unknown } | undefined;
  const take = (text: string): void => {
    const said = readSaid(text);
    if (said.kind !== 'answer' || said.id !== id) return;
    if (said.error !== undefined) throw refusal(said.error);
    found = { result: said.result };
  };
  const pieces: Uint8Array[] = [];
  const hear = isStream ? eventsFrom(take) : (piece: Uint8Array): void => void pieces.push(piece);
  let heard = 0;
  for await (const piece of response.body ?? []) {
    heard += piece.length;
    if (heard > mostAnswerBytes) throw tooMuchFromServer();
    hear(piece);
    if (found !== undefined) break; // It may keep the stream open for as long as it likes.
  }
  if (!isStream) take(Buffer.concat(pieces).toString('utf8'));
  if (found === undefined) throw new ServerFault('it gave no answer that can be read');
  return found.result;
}

/** The data of each event: its lines until an empty one. */
function eventsFrom(take: (text: string) => void): (chunk: Uint8Array) => void {
  let data: string[] = [];
  return linesFrom((line) => {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '') return;
    if (data.length > 0) take(data.join('\n'));
    data = [];
  });
}

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : { code: '', message: '' };
  return code || message || 'no reason was given';
};
