import { neverStill, type StandingStill, setAlarm } from '../process/pace.ts';

/**
 * Does something with a signal that is given at its deadline, or when `signal` is. By hand, because node 20 forgets a
 * timeout that only AbortSignal.any knows of as soon as it collects its garbage, and an agent would wait for ever. The time in
 * which an agent's processes are stopped does not count.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (deadline: AbortSignal) => Promise<T>,
  still: StandingStill = neverStill,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const turnOff = setAlarm(ms, still, end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(ended.signal);
  } finally {
    turnOff();
    signal.removeEventListener('abort', end);
  }
}

/**
 * A process that says nothing for so long waits for somebody who will never come. Of a program, which tells each of its steps,
 * half of its deadline is enough; a command need say nothing before its last line.
 */
export const longestSilenceMs = 5 * 60_000;
