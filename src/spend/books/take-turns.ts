import type { Payer, Refused, Scope } from '../../domain/words/spending.ts';
import type { Reservation } from './spend-book.ts';

/** Somebody who asks for money, or holds some. */
interface Working {
  readonly payer: Payer;
  readonly left: Promise<void>;
}

/**
 * A call has the most that it can use set aside while it is answered, a program all that a cap leaves, and both give most of it
 * back. A refusal meanwhile is not final: the call waits until one of the others has ended, and asks again.
 */
export function takeTurns() {
  const working = new Set<Working>();
  let givenBack = 0;
  const enter = (payer: Payer): (() => void) => {
    let end = (): void => {};
    const left = new Promise<void>((done) => {
      end = done;
    });
    const entry = { payer, left };
    working.add(entry);
    return () => {
      working.delete(entry);
      end();
    };
  };
  /** Whether others have given something back since `before`. Waits while they may. */
  const othersGiveBack = async (scope: Scope, payer: Payer, before: number, signal: AbortSignal): Promise<boolean> => {
    while (givenBack === before) {
      const others = [...working].filter((one) => sharesCap(scope, one.payer, payer));
      if (others.length === 0) return false;
      await firstOf(others, signal);
      signal.throwIfAborted();
    }
    return true;
  };
  return {
    /**
     * Asks until it is reserved, or refused while nobody else holds a part of the cap that stands against it. `isAlone` is true
     * when it was refused before and nobody holds any: then it may ask for less.
     */
    take: async (
      payer: Payer,
      ask: (isAlone: boolean) => Promise<Reservation | Refused>,
      signal: AbortSignal,
    ): Promise<Reservation | Refused> => {
      for (let isAlone = false; ; ) {
        signal.throwIfAborted();
        const before = givenBack;
        const leave = enter(payer); // Before it is answered: a call that is refused in the same breath must know of it.
        const said = await ask(isAlone).catch((error) => {
          leave();
          throw error;
        });
        const giveBack = (): void => {
          givenBack += 1;
          leave();
        };
        if (said.kind === 'reserved') return atEnd(said, giveBack);
        leave();
        const again = await othersGiveBack(said.scope, payer, before, signal);
        if (!again && isAlone) return said;
        isAlone = !again;
      }
    },
  };
}

/** Whether what one of them gives back makes room for the other under a cap of this scope. */
function sharesCap(scope: Scope, one: Payer, other: Payer): boolean {
  if (scope === 'agent') return one.agent === other.agent;
  if (scope === 'spec') return one.spec === other.spec;
  if (scope === 'attempt') return one.spec === other.spec && one.attempt === other.attempt;
  return scope !== 'call';
}

/** When one of them has left, or the signal is given. */
function firstOf(others: readonly Working[], signal: AbortSignal): Promise<void> {
  let given = (): void => {};
  const called = new Promise<void>((done) => {
    given = done;
  });
  signal.addEventListener('abort', given, { once: true });
  const left = others.map((one) => one.left);
  return Promise.race([...left, called]).finally(() => signal.removeEventListener('abort', given));
}

const atEnd = (said: Reservation, giveBack: () => void): Reservation => ({
  ...said,
  settle: (used, usd) => {
    const settled = said.settle(used, usd);
    giveBack(); // Not sooner: the next who asks has to find it on the book.
    return settled;
  },
  release: () => {
    said.release();
    giveBack();
  },
  keep: () => {
    said.keep();
    giveBack();
  },
});
