import { setTimeout as wait } from 'node:timers/promises';

/** Waits for something to become true, and fails with its name when it does not in time. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>, mostMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + mostMs;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${mostMs} ms in vain for: ${what}`);
    await wait(20);
  }
}
