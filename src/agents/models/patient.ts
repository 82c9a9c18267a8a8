import { setTimeout as wait } from 'node:timers/promises';
import { type Ask, Fault } from './model-contract.ts';
import type { ProviderGate } from './provider-gate.ts';

/** A call is given up after this many tries in a row that came to nothing. */
const mostTries = 5;

/** And so is a conversation in which a provider broke this often, whatever came in between. */
const mostBreaks = 5;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * Asks again where that may help: when the provider was busy, all wait at the gate; when it broke, this one waits a little.
 * Made once for a conversation. Waiting for one's turn is no failure, so only what broke is counted over all of it.
 */
export function patient(ask: Ask, gate: ProviderGate, onWait: (fault: Fault, ms: number) => void = () => {}): Ask {
  let breaks = 0;
  return async (question, signal) => {
    for (let tries = 1; ; tries++) {
      const passed = await gate.pass(signal);
      try {
        const answer = await ask(question, signal);
        passed.answered();
        return answer;
      } catch (error) {
        // A cap of ours, a book that cannot be written, or we hung up: the provider has not said whether it is busy.
        if (!(error instanceof Fault) || error.kind === 'cap' || error.kind === 'stopped') {
          passed.unanswered();
          throw error;
        }
        // No wait at all would be a storm, whoever asked for it: a date that is over is a clock that is wrong.
        const ms = error.retryAfterMs || Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
        if (error.kind === 'busy') gate.close(ms);
        else passed.answered(); // Whoever waits behind this one must not wait for ever.
        if (error.kind === 'trouble') breaks += 1;
        const mayHelp = error.kind === 'busy' || (error.kind === 'trouble' && breaks <= mostBreaks);
        if (!mayHelp || tries >= mostTries || signal.aborted) throw error;
        onWait(error, ms);
        if (error.kind === 'trouble') await wait(Math.min(ms, longestWaitMs), undefined, { signal });
      }
    }
  };
}
