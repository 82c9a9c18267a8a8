import { neverStill } from '../../process/pace.ts';
import {
  formNotice,
  formRequest,
  linesFrom,
  mostAnswerBytes,
  mostMessages,
  readRefusal,
  readSaid,
  refusal,
  ServerFault,
  type ServerWire,
  tooMuchFromServer,
} from './mcp-messages.ts';

/** A server at an address: every message is a POST, and the answer comes as JSON or as a stream of events. */
export function httpWire(url: string, key: string | undefined): ServerWire {
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
  // A server that redirects us would pass the key on to another server.
  const send = (method: 'POST' | 'DELETE', signal: AbortSignal, body: string | null = null, more = {}) =>
    fetch(url, { method, headers: { ...headers(), ...more }, body, redirect: 'error', signal });
  /** What nobody waits for an answer to. */
  const tell = async (method: 'POST' | 'DELETE', body?: string): Promise<void> => {
    const response = await send(method, AbortSignal.timeout(farewellMs), body).catch(() => undefined);
    await response?.body?.cancel();
  };

  return {
    isAddress: true,
    request: async (method, params, signal, more = {}) => {
      const id = ++last;
      const asked = session;
      // The newest servers want to be asked by headers too; older ones leave them unread.
      const named = typeof params.name === 'string' ? { 'mcp-name': headerValue(params.name) } : {};
      try {
        const request = formRequest(id, method, params);
        const response = await send('POST', signal, request, { 'mcp-method': method, ...named, ...more });
        const given = response.headers.get('mcp-session-id');
        if (given !== null && /^[\x21-\x7e]{1,256}$/.test(given)) session = given;
        if (response.ok) return await answerIn(response, id, (reply) => tell('POST', reply));
        // By the specification it is 404 that ends a session; servers made from the example of its SDK say 400.
        if (![400, 404].includes(response.status) || asked === undefined) throw await refusalIn(response);
        await response.body?.cancel();
        if (session === asked) session = undefined;
        throw new ServerFault('it has ended the session', '', 'over');
      } catch (error) {
        if (error instanceof ServerFault) throw error;
        throw new ServerFault(signal.aborted ? 'it did not answer in time' : `it cannot be reached: ${causeOf(error)}`);
      }
    },
    notify: (method) => tell('POST', formNotice(method)),
    agree: (agreed) => {
      version = agreed;
    },
    still: neverStill,
    close: async () => {
      if (session !== undefined) await tell('DELETE');
    },
  };
}

/** What nobody waits for an answer to is not waited for. */
const farewellMs = 1_000;

/** A text as a header can carry it, by the rule of the protocol: what is not plain ASCII is marked and encoded. */
export function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** A refusal comes with a status, and where the server says more in its body, that is told. */
async function refusalIn(response: Response): Promise<ServerFault> {
  const pieces: Uint8Array[] = [];
  await readBody(response, async (piece) => {
    pieces.push(piece);
    return false;
  });
  const status = new ServerFault(`it answered with status ${response.status}`, '', 'refused');
  return readRefusal(Buffer.concat(pieces).toString('utf8')) ?? status;
}

/** Reads until `hear` has heard enough: a server may keep a stream open for as long as it likes. */
async function readBody(response: Response, hear: (piece: Uint8Array) => Promise<boolean>): Promise<void> {
  let heard = 0;
  for await (const piece of response.body ?? []) {
    heard += piece.length;
    if (heard > mostAnswerBytes) throw tooMuchFromServer();
    if (await hear(piece)) break;
  }
}

/** The answer among all that comes. What the server asks meanwhile, such as for a sign of life, is replied to. */
async function answerIn(response: Response, id: number, reply: (text: string) => Promise<void>): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let found: { readonly result: unknown } | undefined;
  let messages = 0;
  const replies: string[] = [];
  const take = (text: string): void => {
    if (++messages > mostMessages) throw tooMuchFromServer();
    const said = readSaid(text);
    if (said.kind === 'request') replies.push(said.reply);
    if (said.kind !== 'answer' || said.id !== id) return;
    if (said.error !== undefined) throw refusal(said.error);
    found = { result: said.result };
  };
  const pieces: Uint8Array[] = [];
  const hear = isStream ? eventsFrom(take) : (piece: Uint8Array): void => void pieces.push(piece);
  await readBody(response, async (piece) => {
    hear(piece);
    for (const text of replies.splice(0)) await reply(text); // One after the other: a flood of them is slow.
    return found !== undefined;
  });
  if (!isStream) take(Buffer.concat(pieces).toString('utf8').trim());
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
