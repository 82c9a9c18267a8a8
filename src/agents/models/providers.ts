import { setTimeout as wait } from 'node:timers/promises';
import { apiInWords, type ModelApi } from '../../domain/staff/staff.ts';
import { withDeadline } from '../deadline.ts';
import type { ApiChoice } from '../model-access.ts';
import { type Ask, Fault, type ProviderAccess } from './model-contract.ts';
import type { ModelProvider } from './model-turn.ts';

/** How one asks a provider. Nothing of it is loaded before the first question: most runs ask none, or one of them. */
export function askOf(api: ModelApi, access: ProviderAccess): Ask {
  return async (question, signal) => (await load(api)).ask(access)(question, signal);
}

async function load(api: ModelApi): Promise<ModelProvider> {
  switch (api) {
    case 'anthropic':
      return (await import('./anthropic.ts')).anthropic;
    case 'google':
      return (await import('./google.ts')).google;
    case 'responses':
      return (await import('./responses.ts')).responses;
    case 'openai':
      return (await import('./openai.ts')).openai;
  }
}

/**
 * Asks a server in a language, which is `sure` where a person said it. Otherwise a server that has no such place is asked for chat
 * completions, as orgrepo 0.1.0 asked every server of one's own; and where those are not there, below /v1, where most servers have them.
 */
export function askServer(api: ModelApi, access: ProviderAccess, sure: boolean, note: (words: string) => void): Ask {
  const { baseUrl = '' } = access;
  let ask = askOf(api, access);
  const lacks = (of: ModelApi): string => `${baseUrl} does not have ${apiInWords[of]}, so`;
  const chat = apiInWords.openai;
  const elsewhere = [
    ...(sure || api === 'openai'
      ? []
      : [
          {
            access,
            how: (model: string) =>
              `${lacks(api)} ${model} is asked through ${chat}: write speaks: openai beside base_url`,
          },
        ]),
    ...((sure && api !== 'openai') || /\/v\d\w*$/.test(baseUrl)
      ? []
      : [
          {
            access: { ...access, baseUrl: `${baseUrl}/v1` },
            how: () => `${lacks('openai')} ${baseUrl}/v1 is asked: write that as base_url`,
          },
        ]),
  ];
  return async (question, signal) => {
    for (;;)
      try {
        return await ask(question, signal);
      } catch (error) {
        const next = error instanceof Fault && error.nowhere ? elsewhere.shift() : undefined;
        if (next === undefined) throw error;
        note(next.how(question.model));
        ask = askOf('openai', next.access);
      }
  };
}

/** When a model will be gone, as its provider's own package says it. A server of one's own keeps what it likes. */
export const endOfLife = async ({ model, baseUrl }: ApiChoice): Promise<string | undefined> =>
  baseUrl !== undefined || model.provider !== 'anthropic'
    ? undefined
    : (await import('./anthropic.ts')).endOfAnthropic(model.id);

/** What came of it: the model is there for this key; the key is refused; there is no such model; or nobody can tell. */
export type Probed =
  | { readonly kind: 'there' }
  | { readonly kind: 'refused' | 'unknown' | 'unsure'; readonly why: string };

/** Nobody waits for longer before a night begins. */
const mostMs = 5_000;

/**
 * Asks a provider whether it takes a key and has a model, before a night is built on both. A server of one's own is
 * believed only when it refuses the key: many have no such list, or another one than what they answer to.
 */
export async function probeModel(api: ModelApi, id: string, access: ProviderAccess): Promise<Probed> {
  const never = new AbortController().signal;
  try {
    const { find } = await load(api);
    await withDeadline(mostMs, never, (deadline) => find(access)(id, deadline));
    return { kind: 'there' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: kindOf(error, access.baseUrl !== undefined), why: error.message };
  }
}

/** Some keys may ask a model and may not look at the list. */
const mayNotLook = /missing scopes?/i;

function kindOf({ kind, message, nowhere }: Fault, elsewhere: boolean): 'refused' | 'unknown' | 'unsure' {
  if (kind === 'credentials' && !mayNotLook.test(message)) return 'refused';
  // Nothing is asked but whether there is the model, so a refusal is one of the model.
  const isRefused = kind === 'model' || (kind === 'request' && !nowhere);
  return isRefused && !elsewhere ? 'unknown' : 'unsure';
}

/**
 * The way to one provider, for all agents of a night. When it says that too many ask, everybody waits as long as it says;
 * then one goes first, and the others follow when that one was answered: not a storm after every lull.
 */
export type ProviderGate = ReturnType<typeof gateFor>;
export type Passed = Awaited<ReturnType<ProviderGate['pass']>>;

/** The longest time a timer can hold; a longer wait sets another one. */
const longestTimer = 2 ** 31 - 1;

/** No subscription counts over more than a month. */
const longestWindow = 32 * 24 * 3600 * 1000;

export function gateFor() {
  let [closedUntil, probing] = [0, false];
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  const close = (ms: number): void => {
    closedUntil = Math.max(closedUntil, Date.now() + ms);
    probing = false;
    wake();
  };
  /** It was not busy, so the others may follow. */
  const answered = (): void => {
    if (closedUntil > Date.now()) return; // An answer to somebody who asked before it was closed.
    closedUntil = 0;
    probing = false;
    wake();
  };
  /** It said nothing: if this was the one to go first, the next one is. */
  const unanswered = (first: boolean) => (): void => {
    if (!first) return;
    probing = false;
    wake();
  };
  return {
    /** Waits until a request may go out. The caller reports how it went, or closes the gate. */
    pass: async (signal: AbortSignal) => {
      for (;;) {
        signal.throwIfAborted();
        const left = closedUntil - Date.now();
        if (left > 0) await wait(Math.min(left, longestTimer), undefined, { signal });
        else if (closedUntil === 0) return { answered, unanswered: unanswered(false) };
        else if (!probing) {
          probing = true; // The first one after a closing: who comes meanwhile waits for how it ends.
          return { answered, unanswered: unanswered(true) };
        } else await turned(signal);
      }
    },
    /** The provider is busy for so long. */
    close,
    /** It is busy until then, in milliseconds since 1970, and a moment more. A time that nobody can mean is not believed. Gives for how long. */
    closeUntil: (at: number, otherwiseMs: number): number => {
      const left = at - Date.now();
      const ms = left > 0 && left < longestWindow ? left + 1_000 : otherwiseMs;
      close(ms);
      return ms;
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

/** A call is given up after this many tries in a row that came to nothing. */
const mostTries = 5;

/** And so is a conversation in which a provider broke this often, whatever came in between. */
const mostBreaks = 5;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * Asks again where that may help: when the provider was busy, all wait at the gate; when it broke, this one waits a little.
 * Made once for a conversation. Waiting for a turn is not a failure, so only what broke is counted over all of it.
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
        // No wait at all would be a storm of requests: a date in the past comes from a wrong clock.
        const ms = error.retryAfterMs || Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
        if (error.kind === 'busy') gate.close(ms);
        else passed.answered(); // Else the next in line would wait for ever.
        if (error.kind === 'trouble') breaks += 1;
        const mayHelp = error.kind === 'busy' || (error.kind === 'trouble' && breaks <= mostBreaks);
        if (!mayHelp || tries >= mostTries || signal.aborted) throw error;
        onWait(error, ms);
        if (error.kind === 'trouble') await wait(Math.min(ms, longestWaitMs), undefined, { signal });
      }
    }
  };
}
