import { setTimeout as wait } from 'node:timers/promises';

/**
 * The way to one provider, for all agents of a night. When it says that too many ask, everybody waits as long as it says;
 * then one goes first, and the others follow when that one was answered: not a storm after every lull.
 */
export interface ProviderGate {
  /** Waits until one may ask. Whoever passes says how it went, or closes the gate. */
  pass(signal: AbortSignal): Promise<Passed>;
  /** The provider is busy for so long. */
  close(ms: number): void;
}

export interface Passed {
  /** It was not busy, so the others may follow. */
  answered(): void;
  /** It said nothing: if this was the one to go first, the next one is. */
  unanswered(): void;
}

/** What a timer can hold; whoever has to wait longer looks again. */
const longestTimer = 2 ** 31 - 1;

export function gateFor(now: () => number = Date.now): ProviderGate {
  let [closedUntil, probing] = [0, false];
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  const answered = (): void => {
    if (closedUntil > now()) return; // An answer to somebody who asked before it was closed.
    closedUntil = 0;
    probing = false;
    wake();
  };
  const unanswered = (first: boolean) => (): void => {
    if (!first) return;
    probing = false;
    wake();
  };
  return {
    pass: async (signal) => {
      for (;;) {
        signal.throwIfAborted();
        const left = closedUntil - now();
        if (left > 0) await wait(Math.min(left, longestTimer), undefined, { signal });
        else if (closedUntil === 0) return { answered, unanswered: unanswered(false) };
        else if (!probing) {
          probing = true; // The first one after a closing: who comes meanwhile waits for how it ends.
          return { answered, unanswered: unanswered(true) };
        } else await turned(signal);
      }
    },
    close: (ms) => {
      closedUntil = Math.max(closedUntil, now() + ms);
      probing = false;
      wake();
    },
  };

  function turned(signal: AbortSignal): Promise<void> {
    return new Promise((go, stop) => {
      const abort = (): void => stop(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      waiting.push(() => {
        signal.removeEventListener('abort', abort);
        go();
      });
    });
  }
}
