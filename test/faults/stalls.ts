/** How long this process heard nothing: in all by the clock, and at the longest by its own work in that time. */
export interface Stalls {
  readonly wallMs: number;
  readonly ownMs: number;
}

/**
 * A machine with other things to do keeps everybody waiting, and nobody ends on time there. What counts against the code is
 * what it did itself: while it is busy no deadline can be heard.
 */
export function watchStalls(everyMs = 20): () => Stalls {
  let [wallMs, ownMs] = [0, 0];
  let [at, own] = [performance.now(), process.cpuUsage()];
  const look = (): void => {
    const { user, system } = process.cpuUsage(own);
    wallMs += Math.max(0, performance.now() - at - 2 * everyMs);
    ownMs = Math.max(ownMs, (user + system) / 1_000);
    [at, own] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(look, everyMs);
  return () => {
    look();
    clearInterval(timer);
    return { wallMs, ownMs };
  };
}
