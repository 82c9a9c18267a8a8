import { errorIn, field } from './saying.ts';

/** How long a provider says to wait, in whichever way it says so; undefined when it does not, or says nonsense. */
export function retryAfterOf(headers: Headers | undefined, said: unknown, now: number): number | undefined {
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
  const details = field(errorIn(said), 'details');
  if (!Array.isArray(details)) return undefined;
  const info = details.find((detail) => String(field(detail, '@type')).endsWith('google.rpc.RetryInfo'));
  const delay = field(info, 'retryDelay');
  return typeof delay === 'string' && delay.endsWith('s') ? waitOf(delay.slice(0, -1), 1000) : undefined;
}
