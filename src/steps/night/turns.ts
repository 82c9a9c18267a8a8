import type { Refused } from '../../domain/words/spending.ts';
import type { Reservation } from '../../spend/books/spend-book.ts';

/**
 * A program has all that a cap leaves set aside while it works, and gives most of it back. Who is refused meanwhile is not
 * refused for good: he waits until one of them has ended, and asks again.
 */
export interface Turns {
  /** `all` when it asks for all that is left: then others wait until it is settled or released, or their signal is given. */
  take(all: boolean, ask: () => Promise<Reservation | Refused>, signal: AbortSignal): Promise<Reservation | Refused>;
}

export function takeTurns(): Turns {
  const working = new Set<Promise<void>>();
  const enter = (): (() => void) => {
    let end = (): void => {};
    const ended = new Promise<void>((done) => {
      end = done;
    });
    working.add(ended);
    return () => {
      working.delete(ended);
      end();
    };
  };
  return {
    take: async (all, ask, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const leave = all ? enter() : () => {}; // Before it is answered: who is refused in the same breath must know of it.
        const said = await ask().catch((error) => {
          leave();
          throw error;
        });
        if (said.kind === 'reserved') return leaveAtEnd(said, leave);
        leave();
        if (working.size === 0) return said;
        await firstOf(working, signal);
      }
    },
  };
}

/** When one of them has ended, or the signal is given. */
function firstOf(working: ReadonlySet<Promise<void>>, signal: AbortSignal): Promise<void> {
  let given = (): void => {};
  const called = new Promise<void>((done) => {
    given = done;
  });
  signal.addEventListener('abort', given, { once: true });
  return Promise.race([...working, called]).finally(() => signal.removeEventListener('abort', given));
}

const leaveAtEnd = (said: Reservation, leave: () => void): Reservation => ({
  ...said,
  settle: (used, usd) => {
    const settled = said.settle(used, usd);
    leave(); // Not sooner: who asks next has to find it on the book.
    return settled;
  },
  release: () => {
    said.release();
    leave();
  },
});
