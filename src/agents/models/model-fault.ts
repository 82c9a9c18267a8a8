import { cleanLine } from '../../text/problem.ts';
import { parseJson } from '../json-value.ts';
import { Fault, type FaultKind } from './model-contract.ts';

/** What our side of the line knows of a turn, whatever the SDK makes of it. */
export interface Seen {
  readonly provider: string;
  readonly key: string;
  /** The question is out and nothing has come back. */
  readonly unanswered: boolean;
  /** A stream was promised. From then on somebody may ask for money. */
  readonly begun: boolean;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** The beginning of an answer that could not be used. */
  readonly body: string | undefined;
}

/**
 * The one place where what an SDK throws becomes a Fault; `error` is undefined when it threw nothing and yet there is no
 * answer. What was seen on the line goes first, because every SDK dresses the same trouble differently.
 */
export function faultFrom(error: unknown, seen: Seen, stopped: boolean, now: number): Fault {
  // A provider that is working on it when we hang up may charge for that, although nothing has come yet.
  if (stopped) return new Fault('stopped', `${seen.provider}: stopped by us`, { begun: seen.begun || seen.unanswered });
  const said = seen.body === undefined ? sayingOf(error) : parseJson(seen.body);
  const status = seen.begun ? streamStatus(error) : seen.status;
  const codes = codesOf(said);
  const fix = unable.find(([words]) => words.test(wordsOf(said) ?? ''))?.[1];
  const words = secretless(tell(error, said, status, seen), seen.key);
  return new Fault(
    fix === undefined ? kindOf(status, codes) : 'model',
    fix === undefined ? words : `${words}. ${fix}`,
    {
      nowhere: (status === 404 || status === 405) && codes.length === 0,
      retryAfterMs: retryAfterOf(seen.headers, said, now),
      // A line that is cut while the question is out may have brought it there, unless there never was a line.
      begun: seen.begun || (seen.unanswered && !neverConnected(error)),
    },
  );
}

/** What is said of a model that cannot use tools, think, or say as much as it is asked for, whatever the number for it, and what helps. */
const unable: readonly (readonly [RegExp, string])[] = [
  [/does not support tools/, 'Take a model whose tools Ollama knows: ollama show <model> lists "tools".'],
  [
    /--enable-auto-tool-choice/,
    'Start vLLM with --enable-auto-tool-choice --tool-call-parser <the parser of the model>.',
  ],
  [/requires --jinja/, 'Start llama-server with --jinja.'],
  [
    /maximum allowed number of output tokens|supports at most \d+ (completion|output) tokens|maxOutputTokens value of/,
    'Write caps: { call: { tokens_out: 4k } } into the brief, or as much as the model can say.',
  ],
  [
    /reasoning[._]effort|not support thinking|[Tt]hinking( level| budget)? is not (enabled|supported)/,
    'Take effort out of the brief, or name a model that thinks.',
  ],
];

/** No name, no way, no listener, or nobody to trust: nothing was sent. Whatever else it is called, it may have been. */
const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|EPROTO|ERR_(TLS|SSL)_\w+|(\w+_)?CERT(_\w+)?|UNABLE_TO_\w+|HOSTNAME_MISMATCH|bad port)$|before secure TLS connection/;

function neverConnected(error: unknown): boolean {
  const inner = innermost(error);
  return unconnected.test(causeOf(error)) || (inner instanceof Error && unconnected.test(inner.message));
}

/** What they call it goes before the number: a key without money and a wrong model come under many. */
const kindOfCode: Readonly<Record<string, FaultKind>> = {
  authentication_error: 'credentials',
  permission_error: 'credentials',
  billing_error: 'credentials',
  invalid_api_key: 'credentials',
  insufficient_quota: 'credentials',
  API_KEY_INVALID: 'credentials',
  UNAUTHENTICATED: 'credentials',
  model_not_found: 'model',
  rate_limit_error: 'busy',
  rate_limit_exceeded: 'busy',
  overloaded_error: 'busy',
  RESOURCE_EXHAUSTED: 'busy',
  UNAVAILABLE: 'busy',
  server_is_overloaded: 'busy',
  slow_down: 'busy',
  context_length_exceeded: 'request',
};

function kindOf(status: number | undefined, codes: readonly string[]): FaultKind {
  const named = codes.map((code) => kindOfCode[code]).find((kind) => kind !== undefined);
  if (named !== undefined) return named;
  if (status === undefined) return codes.includes('invalid_request_error') ? 'request' : 'trouble';
  if (status === 401 || status === 402 || status === 403) return 'credentials';
  // Without an error of the provider's own it is the place that is not there, and no other model would be.
  if (status === 404) return codes.length > 0 ? 'model' : 'request';
  if (status === 429 || status === 503 || status === 529) return 'busy';
  if (status < 300 || status === 408 || status === 409 || status === 425 || status >= 500) return 'trouble';
  return 'request';
}

function tell(error: unknown, said: unknown, status: number | undefined, seen: Seen): string {
  const number = status ?? seen.status;
  const who = number === undefined ? seen.provider : `${seen.provider} ${number}`;
  const words = wordsOf(said);
  if (words !== undefined) return `${who}: ${words}`;
  if (seen.status === undefined) return `${who}: cannot be reached (${causeOf(error)})`;
  if (!seen.begun)
    return `${who}: ${number === 404 || number === 405 ? 'the server has no such path' : 'something else than an answer'}`;
  if (error === undefined) return `${who}: the stream ended before the answer did`;
  return `${who}: the stream broke (${causeOf(error)})`;
}

/** The innermost reason has the word to look for: ECONNREFUSED, not `fetch failed`. */
function causeOf(error: unknown): string {
  const inner = innermost(error);
  const code = field(inner, 'code');
  if (typeof code === 'string') return code;
  return inner instanceof Error ? inner.message : String(inner);
}

const innermost = (error: unknown): unknown => {
  const inner = field(error, 'cause');
  return inner === undefined || inner === null ? error : innermost(inner);
};

/** The number that Google gives an error in the middle of a stream, whose own status is 200. */
function streamStatus(error: unknown): number | undefined {
  const status = field(error, 'status');
  return typeof status === 'number' ? status : undefined;
}

/** Some providers quote the key that they refuse, whole or with stars in the middle, and fetch quotes addresses. */
function secretless(message: string, key: string): string {
  const start = key.length >= 12 ? key.slice(0, 6) : key;
  const words = message
    .replace(/\/\/[^/@\s]*@/g, '//')
    .split(/\s+/)
    .map((word) => (key !== '' && word.includes(start) ? '[key]' : word));
  return cleanLine(words.join(' '), 300);
}

/**
 * What a provider says when it does not answer. Nobody promises its form, so every field is looked for and none is
 * counted on.
 */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** An error in the middle of a stream: two SDKs carry what was said as an object, the third inside its message. */
function sayingOf(error: unknown): unknown {
  const carried = field(error, 'error');
  if (carried !== undefined) return carried;
  const message = field(error, 'message');
  return typeof message === 'string' ? parseJson(message.slice(Math.max(0, message.indexOf('{')))) : undefined;
}

/** The object that tells what is wrong: most wrap it in `error`, Google may put it into a list, one SDK unwraps it. */
function errorIn(said: unknown): unknown {
  const one = Array.isArray(said) ? said[0] : said;
  const inner = field(one, 'error');
  return typeof inner === 'object' && inner !== null ? inner : one;
}

/** Every name that the provider has for what is wrong. */
function codesOf(said: unknown): readonly string[] {
  const error = errorIn(said);
  const reasons = detailsIn(said).map((detail) => field(detail, 'reason'));
  return [field(error, 'code'), field(error, 'type'), field(error, 'status'), ...reasons].filter(
    (code) => typeof code === 'string',
  );
}

function detailsIn(said: unknown): readonly unknown[] {
  const details = field(errorIn(said), 'details');
  return Array.isArray(details) ? details : [];
}

/** What it says to people; some servers of one's own say `{"error": "…"}` and no more. */
function wordsOf(said: unknown): string | undefined {
  const words = [field(errorIn(said), 'message'), field(said, 'error'), field(said, 'message')];
  return words.find((each) => typeof each === 'string' && each !== '') as string | undefined;
}

/** How long a provider says to wait, in whichever way it says so; undefined when it does not, or says nonsense. */
function retryAfterOf(headers: Headers | undefined, said: unknown, now: number): number | undefined {
  const plain = headers?.get('retry-after');
  return waitOf(headers?.get('retry-after-ms'), 1) ?? waitOf(plain, 1000) ?? waitUntil(plain, now) ?? retryInfo(said);
}

function waitOf(text: unknown, ms: number): number | undefined {
  return typeof text === 'string' && /^\d{1,9}(\.\d+)?$/.test(text) ? Math.ceil(Number(text) * ms) : undefined;
}

/** `Mon, 16 Nov 2026 10:00:00 GMT`; what has no zone would be read in ours. */
function waitUntil(text: string | null | undefined, now: number): number | undefined {
  const at = text?.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Google's way: a detail of the error, `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
function retryInfo(said: unknown): number | undefined {
  const info = detailsIn(said).find((detail) => String(field(detail, '@type')).endsWith('google.rpc.RetryInfo'));
  const delay = field(info, 'retryDelay');
  return typeof delay === 'string' && delay.endsWith('s') ? waitOf(delay.slice(0, -1), 1000) : undefined;
}
