import { cleanLine } from '../../text/clean.ts';
import { Fault, type FaultKind } from './model-contract.ts';
import { retryAfterOf } from './retry-after.ts';
import { codesOf, field, readSaying, sayingOf, wordsOf } from './saying.ts';

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
  /** The first part of an answer that is none. */
  readonly body: string | undefined;
}

/**
 * The one place where what an SDK throws becomes a Fault; `error` is undefined when it threw nothing and yet there is no
 * answer. What was seen on the line goes first, because every SDK dresses the same trouble differently.
 */
export function faultFrom(error: unknown, seen: Seen, stopped: boolean, now: number): Fault {
  // A provider that is working on it when we hang up may charge for that, although nothing has come yet.
  if (stopped) return new Fault('stopped', `${seen.provider}: stopped by us`, { begun: seen.begun || seen.unanswered });
  const said = seen.body === undefined ? sayingOf(error) : readSaying(seen.body);
  const status = seen.begun ? streamStatus(error) : seen.status;
  return new Fault(kindOf(status, codesOf(said)), secretless(tell(error, said, status, seen), seen.key), {
    retryAfterMs: retryAfterOf(seen.headers, said, now),
    // A line that is cut while the question is out may have brought it there, unless there never was a line.
    begun: seen.begun || (seen.unanswered && !neverConnected(error)),
  });
}

/** No name, no way, no listener, or nobody to trust: nothing was sent. Whatever else it is called, it may have been. */
const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|EPROTO|ERR_(TLS|SSL)_\w+|(\w+_)?CERT(_\w+)?|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$|before secure TLS connection/;

const neverConnected = (error: unknown): boolean =>
  unconnected.test(causeOf(error)) || unconnected.test(wordsIn(error));

/** The message of the innermost reason. */
function wordsIn(error: unknown): string {
  const inner = field(error, 'cause');
  return inner !== undefined && inner !== null ? wordsIn(inner) : error instanceof Error ? error.message : '';
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
  if (!seen.begun) return `${who}: something else than an answer`;
  if (error === undefined) return `${who}: the stream ended before the answer did`;
  return `${who}: the stream broke (${causeOf(error)})`;
}

/** The innermost reason has the word to look for: ECONNREFUSED, not `fetch failed`. */
function causeOf(error: unknown): string {
  const inner = field(error, 'cause');
  if (inner !== undefined && inner !== null) return causeOf(inner);
  const code = field(error, 'code');
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

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
