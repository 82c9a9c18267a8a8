import { setTimeout as wait } from 'node:timers/promises';
import { type Ask, Fault } from './contract.ts';
import type { Gate } from './gate.ts';

/** A task is cut after this many turns in a row that came to nothing. */
const mostTries = 5;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/** Asks again where that may help: when the provider was busy, all wait at the gate; when it broke, this one waits a little. */
export function patient(ask: Ask, gate: Gate, onWait: (fault: Fault, ms: number) => void = () => {}): Ask {
  return async (question, signal) => {
    for (let tries = 1; ; tries++) {
      await gate.pass(signal);
      try {
        const answer = await ask(question, signal);
        gate.open();
        return answer;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const mayHelp = error.kind === 'busy' || error.kind === 'trouble';
        if (error.kind !== 'busy') gate.open(); // Whoever waits behind this one must not wait for ever.
        if (!mayHelp || tries >= mostTries || signal.aborted) throw error;
        const ms = error.retryAfterMs ?? Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
        onWait(error, ms);
        if (error.kind === 'busy') gate.close(ms);
        else await wait(ms, undefined, { signal });
      }
    }
  };
}
