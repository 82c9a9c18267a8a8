import { pace } from '../../process/pace.ts';
import type { Night } from './night.ts';

/**
 * True once nobody who has not begun should wait any longer for a provider or for his turn. Who began before the last attempt
 * that was asked for goes on.
 */
export function isClosing({ ending, now, limits, startedAt, pinned }: Night): boolean {
  if (now.aborted || (ending !== undefined && ending !== 'max')) return true;
  return Date.now() >= Math.min(limits.until ?? Number.POSITIVE_INFINITY, startedAt + pinned.brief.budget.nightMs);
}

/** Does something with a signal that is given when the night is closing, or when `signal` is. */
export async function untilClosing<T>(
  closing: () => boolean,
  signal: AbortSignal,
  work: (open: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setInterval(() => closing() && end(), pace().idleMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(ended.signal);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
  }
}
