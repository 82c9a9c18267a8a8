import { pace } from '../../process/pace.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import type { NightInForce } from './night-in-force.ts';
import type { RunConstants } from './run-constants.ts';

/** What it takes to tell that a night is closing. */
interface Closable {
  readonly run: RunConstants;
  readonly inForce: Pick<NightInForce, 'pinned'>;
  readonly standing: Pick<NightStanding, 'ending'>;
}

/**
 * True once nobody who has not begun should wait any longer for a provider or for his turn. Who began before the last attempt
 * that was asked for goes on.
 */
export function isClosing({
  run: { limits, startedAt, signal },
  inForce: { pinned },
  standing: { ending },
}: Closable): boolean {
  if (signal.aborted || (ending !== undefined && ending !== 'max')) return true;
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
