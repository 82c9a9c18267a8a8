import { type Ask, Fault, type ModelAnswer, type ProviderAccess, type Question } from './model-contract.ts';
import { faultFrom, type Seen } from './model-fault.ts';
import { isDeeper, mostDepth } from './provider-form.ts';

/** What an SDK gets from us instead of what it would find for itself. */
export interface ProviderLine {
  /** Never empty, because an SDK that misses a key looks for another. */
  readonly key: string;
  readonly fetch: typeof fetch;
}

/** A provider by its SDK: where its requests go, how one is asked, and how what it says is understood. */
interface ProviderForm<Client> {
  readonly provider: string;
  /** The headers that hold the key. */
  readonly keyed: (key: string) => Readonly<Record<string, string>>;
  /** What else its requests need, besides the usual. */
  readonly needed: readonly string[];
  connect(access: ProviderAccess, line: ProviderLine): Promise<Client>;
  /** Undefined when the stream ended before the answer did: SDKs say nothing of that, nor of being hung up on in the middle. */
  turn(client: Client, question: Question, access: ProviderAccess): Promise<ModelAnswer | undefined>;
  find(client: Client, model: string): Promise<unknown>;
}

type ProviderPlace = Pick<ProviderForm<unknown>, 'provider' | 'keyed' | 'needed'>;

/** What all agents know of a provider. */
export interface ModelProvider {
  ask(access: ProviderAccess): Ask;
  /** Whether it has a model for this key: an answer, or a Fault. It costs nothing. */
  find(access: ProviderAccess): (model: string, signal: AbortSignal) => Promise<true>;
}

export const bearer: ProviderForm<unknown>['keyed'] = (key) => ({ authorization: `Bearer ${key}` });

export const providerBy = <Client>(form: ProviderForm<Client>): ModelProvider => ({
  ask: (access) => (question, signal) =>
    overLine(form, access, signal, async (client) => {
      const answer = await form.turn(client, question, access);
      // What is given back as it was, without a look at it, must be something that can be given back.
      if (isDeeper(answer?.message.native, 2 * mostDepth)) throw new Error('it is nested too deeply');
      return answer;
    }),
  // Nothing matters but that it is answered at all.
  find: (access) => (model, signal) =>
    overLine<Client, true>(form, access, signal, (client) => form.find(client, model).then(() => true)),
});

/**
 * The SDK builds the request and reads the answer; when to hang up, what goes out and what is remembered for a Fault is
 * decided here, once for all of them.
 */
async function overLine<Client, Said>(
  form: ProviderForm<Client>,
  access: ProviderAccess,
  signal: AbortSignal,
  talk: (client: Client) => Promise<Said | undefined>,
): Promise<Said> {
  const key = access.key.trim();
  if (!/^[\x21-\x7e]*$/.test(key)) throw new Fault('credentials', `${form.provider}: the key is not one word of ASCII`);
  const line = openLine(form, key);
  signal.addEventListener('abort', line.hangUp, { once: true });
  if (signal.aborted) line.hangUp();
  try {
    const answer = await talk(await form.connect(access, { key: key === '' ? 'none' : key, fetch: line.fetch }));
    if (answer !== undefined) return answer;
  } catch (error) {
    throw faultFrom(error, line.seen(), signal.aborted, Date.now());
  } finally {
    signal.removeEventListener('abort', line.hangUp);
    line.hangUp(); // A stream that nobody reads any more would keep its socket.
  }
  throw faultFrom(undefined, line.seen(), signal.aborted, Date.now());
}

/** A fetch for one request, that remembers what came of it. */
function openLine(place: ProviderPlace, key: string): { fetch: typeof fetch; seen: () => Seen; hangUp: () => void } {
  // Of our own, because SDKs leave their listeners on a signal, and the caller's lives as long as a night.
  const ended = new AbortController();
  let seen: Seen = { ...unseen, provider: place.provider, key };
  const ask: typeof fetch = async (input, init) => {
    seen = { ...seen, unanswered: !ended.signal.aborted };
    const response = await fetch(input, {
      ...init,
      headers: chosenHeaders(place, key, init?.headers),
      redirect: 'manual', // The key is for this place and no other.
      signal: ended.signal,
      ...patience(),
    });
    const { ok, status, headers } = response;
    const begun = ok && !/^text\/html\b/i.test(headers.get('content-type') ?? '');
    seen = { ...seen, unanswered: false, begun, status, headers };
    if (ok) return bounded(response);
    seen = { ...seen, body: await firstPart(response) };
    return new Response(seen.body ?? '', { status: status < 400 ? 400 : status });
  };
  return { fetch: ask, seen: () => seen, hangUp: () => ended.abort() };
}

const unseen = { unanswered: false, begun: false, status: undefined, headers: undefined, body: undefined };

/**
 * Those that the request needs. The others tell what machine this is, or come from an environment variable, out of which
 * some SDKs would even take another key.
 */
function chosenHeaders(place: ProviderPlace, key: string, given: ConstructorParameters<typeof Headers>[0]): Headers {
  const all = new Headers(given);
  const chosen = new Headers({ 'user-agent': 'orgrepo', ...(key === '' ? {} : place.keyed(key)) });
  for (const name of ['accept', 'content-type', ...place.needed]) {
    const value = all.get(name);
    if (value !== null) chosen.set(name, value);
  }
  return chosen;
}

/** An error needs few words; a server that says more is not listened to, and one that breaks off has said what it has. */
async function firstPart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > 64 * 1024) break;
    }
  } catch {} // It broke off.
  return text;
}

/**
 * Node's fetch gives up after five minutes without a byte, and a model that thinks may say nothing for longer. How long
 * a turn may take is for the signal to say.
 */
function patience(): object {
  const held = globalThis as unknown as Record<symbol, { dispatch?: (request: object, ears: object) => boolean }>;
  const node = held[Symbol.for('undici.globalDispatcher.1')];
  if (node?.dispatch === undefined) return {};
  const dispatch = (request: object, ears: object): boolean | undefined =>
    node.dispatch?.({ ...request, headersTimeout: 0, bodyTimeout: 0 }, ears);
  return { dispatcher: { dispatch } };
}

/** More than any answer that we ask for, whatever its provider wraps around each word. */
const mostBytes = 8 * 1024 * 1024;
const longestLine = 1024 * 1024;

/**
 * The same answer, which breaks off where none of ours would go on. With each piece that they hear SDKs look for the end of
 * a line in all of it: a line of ten megabytes takes them minutes, in which nothing else happens, not even a deadline.
 */
function bounded(response: Response): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  let [bytes, line] = [0, 0];
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, onwards) => {
      const end = chunk.lastIndexOf(lineFeed);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      bytes += chunk.length;
      if (bytes > mostBytes || line > longestLine) onwards.error(new Error(`it has no end after ${bytes} bytes`));
      else onwards.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(watch), { status, headers });
}

const lineFeed = 10;
