/**
 * Does something with a signal that is given at its deadline, or when `signal` is. By hand, because node 20 forgets a
 * timeout that only AbortSignal.any knows of as soon as it collects its garbage, and an agent would wait for ever.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/**
 * A process that says nothing for so long waits for somebody who will never come. Of a program, which tells each of its steps,
 * half of its deadline is enough; a command need say nothing before its last line.
 */
export const longestSilenceMs = 5 * 60_000;
