import { keyFor, readKey, scriptAt, standInWords, whoAnswers } from '../../agents/keys.ts';
import { type ModelAccess, openModelAccess } from '../../agents/model-access.ts';
import type { Charter } from '../../domain/staff/charter.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { type Amount, add, noSum, type Payer, type Refused, type Sum, sumOf } from '../../domain/words/spending.ts';
import { type Spent, spentOf } from '../../domain/words/spent.ts';
import type { PolicyDecider } from '../../policy/policy-decider.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { openSpendBook, type PaidCall, type Reservation, type SpendBook } from '../../spend/books/spend-book.ts';
import { spentEarlier } from '../../spend/books/spent-so-far.ts';
import { capsOf } from '../../spend/rules/call-amounts.ts';
import { Problem } from '../../text/problem.ts';
import { openAllowance, openToolPurse, type WantedAmount } from './agent-allowance.ts';
import { untilClosing, warn } from './night-basics.ts';

export interface NightModels extends ModelAccess {
  /** When this returns, what was spent is on the books. */
  written(): Promise<void>;
  /** What the night has spent; undefined while no model was asked. */
  spent(): Spent | undefined;
  /** Why an agent that is paid need not begin anything: a limit of the org's is used up. */
  usedUp(agent: string): Promise<Refused | undefined>;
}

export interface NightModelsOptions {
  readonly run: string;
  readonly startedAt: number;
  /** The trunk's tree, for scripted models. */
  readonly tree: string;
  readonly brief: () => Brief;
  readonly charter?: () => Charter | undefined;
  readonly say: (fact: Fact) => void;
  readonly isClosing: () => boolean;
  readonly policies?: Pick<PolicyDecider, 'refuses'>;
}

/** How the models of a night are asked, with this org's keys and on its books. */
export function openNightModels(org: Org, options: NightModelsOptions): NightModels {
  const { run, startedAt, tree, brief, say, isClosing, policies, charter } = options;
  let opened: Promise<SpendBook> | undefined;
  let tonight: Sum = noSum;
  const earlier = new Map<string, Sum>();
  const open = async (): Promise<SpendBook> => {
    const book = await openSpendBook(org, run, ({ spec }) => capsOf(brief(), earlier.get(spec ?? '')));
    tonight = book.begun;
    return book;
  };
  const told = new Set<string>();
  /** True once a night for each thing that is said. */
  const noteFirst = (what: string): boolean => {
    const before = told.size;
    return told.add(what).size > before;
  };
  /** Once a night for each model: the provider's bill may be another one than our books. */
  const warnOfLie = (model: string, used: Counted, counted: Counted): void => {
    if (!noteFirst(`lie of ${model}`)) return;
    const words = ({ tokensIn, tokensOut }: Counted): string => `${tokensIn} tokens in and ${tokensOut} out`;
    warn(
      { say },
      `${model} says that a call used ${words(used)}, which cannot be; counted are ${words(counted)}, the most that it was given. Look at your bill, and at git log refs/orgrepo/spend/${org.host}`,
    );
  };
  const turns = takeTurns();
  const allowance = openAllowance(org, run, () => charter?.(), say);
  /** The book, once it knows what earlier nights have spent on a spec. */
  const bookFor = async (spec: string | undefined): Promise<SpendBook> => {
    opened ??= open();
    if (spec !== undefined && brief().caps.spec !== undefined && !earlier.has(spec))
      earlier.set(spec, await spentEarlier(org, run, startedAt / 1000, spec));
    return opened;
  };
  const telling = (held: Reservation | Refused, agent: string, model: string): Reservation | Refused => {
    if (held.kind === 'refused') return held;
    const settle: typeof held.settle = (used, usd) => {
      const settled = held.settle(used, usd);
      const { usd: paid, tokensIn, tokensOut } = settled.counted;
      tonight = add(tonight, sumOf({ usd: paid, tokensIn, tokensOut }));
      const night = spentOf(tonight);
      say({ kind: 'spent', at: nowInSeconds(), agent, model, usd: paid, tokensIn, tokensOut, night });
      if (settled.disbelieved && used !== undefined) warnOfLie(model, used, settled.counted);
      return settled;
    };
    return { ...held, settle };
  };
  const reserve = (
    payer: Payer,
    { provider, model }: Pick<PaidCall, 'provider' | 'model'>,
    wanted: WantedAmount,
    signal: AbortSignal,
  ) => {
    const { least } = wanted;
    const ask = async (): Promise<Reservation | Refused> => {
      const book = await bookFor(payer.spec);
      const held = await allowance.under({ ...payer, ...wanted }, (most) => {
        const call = { ...payer, provider, model, most };
        return least === undefined ? book.reserve(call) : book.reserveRest(call, least);
      });
      return telling(held, payer.agent, `${provider}/${model}`);
    };
    return turns.take(least !== undefined, ask, signal);
  };
  const office = openModelAccess({
    reserve: (payer, model, most, signal) => reserve(payer, model, { most }, signal),
    reserveRest: (payer, model, most, least, signal) => reserve(payer, model, { most, least }, signal),
    ...(policies === undefined ? {} : { refuses: policies.refuses }),
    pays: openToolPurse(org, () => charter?.(), say),
    whoAnswers: async (choice) => {
      const answers = await whoAnswers(org, tree, choice);
      if (answers !== choice && !told.has(choice.model.id)) warn({ say }, standInWords(choice, answers));
      told.add(choice.model.id);
      return answers;
    },
    access: async (choice) => ({ key: await keyFor(org, choice), baseUrl: choice.baseUrl }),
    script: (file) => readScript(org, tree, file),
    prices: () => brief().prices,
    onWait: (provider, fault, ms) =>
      warn({ say }, `${provider}: ${fault.message}; asked again in ${(ms / 1000).toFixed(0)} s`),
    // Who has not asked need not wait beyond the night.
    whileOpen: (signal, waiting) => untilClosing(isClosing, signal, waiting),
    key: (variable) => readKey(org, [variable]),
    onTool: (use) => {
      if (brief().logEveryToolCall) say({ kind: 'tool', at: nowInSeconds(), ...use });
    },
    onOddity: (words) => {
      if (noteFirst(words)) warn({ say }, words);
    },
    onMissing: (agent, why) => {
      if (noteFirst(why)) warn({ say }, `${agent}: ${why}`); // Once a night: every attempt meets it again.
    },
  });
  return {
    ...office,
    // Who has not begun need not wait beyond the night.
    allow: (choice, tellsMoney, payer, patienceMs, signal) =>
      untilClosing(isClosing, signal, (open) => office.allow(choice, tellsMoney, payer, patienceMs, open)),
    written: async () => (opened === undefined ? undefined : (await opened).written()),
    spent: () => (opened === undefined ? undefined : spentOf(tonight)),
    usedUp: allowance.usedUp,
  };
}

type Counted = Pick<Amount, 'tokensIn' | 'tokensOut'>;

async function readScript(org: Org, tree: string, file: string): Promise<string> {
  const text = await scriptAt(org, tree, file);
  if (text !== undefined) return text;
  throw new Problem('script/value', `there is no ${file} in the last commit`, `Write ${file} and commit it.`, { file });
}

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
