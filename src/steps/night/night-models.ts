import { accessTo, scriptAt, standInWords, whoAnswers } from '../../agents/keys.ts';
import { readKey } from '../../agents/keys-file.ts';
import { type ModelAccess, openModelAccess } from '../../agents/model-access.ts';
import type { WantedCall } from '../../agents/models/prices.ts';
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
import { takeTurns } from '../../spend/books/take-turns.ts';
import { capsOf } from '../../spend/rules/call-amounts.ts';
import { isoTime, spanWord } from '../../terminal/visible.ts';
import { Problem } from '../../text/problem.ts';
import { openAllowance, openToolSpending, type WantedAmount } from './agent-allowance.ts';
import { untilClosing, warn } from './night-basics.ts';

export interface NightModels extends ModelAccess {
  /** When this returns, what was spent is on the books. */
  written(): Promise<void>;
  /** What the night has spent, and what stays set aside because its use is not known; undefined while no model was asked. */
  spent(): Spent | undefined;
  reserved(): Spent | undefined;
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
  let [tonight, kept]: [Sum, Sum] = [noSum, noSum];
  const earlier = new Map<string, Sum>();
  const open = async (): Promise<SpendBook> => {
    const book = await openSpendBook(org, run, ({ spec }) => capsOf(brief(), earlier.get(spec ?? '')));
    [tonight, kept] = [book.begun, book.kept];
    return book;
  };
  const said = new Set<string>();
  /** True once a night for each thing that is said. */
  const noteFirst = (what: string): boolean => {
    const before = said.size;
    return said.add(what).size > before;
  };
  /** Once a night for each model: the provider's bill may be another one than our books. */
  const warnOfLie = (model: string, used: Counted, counted: Amount): void => {
    if (!noteFirst(`lie of ${model}`)) return;
    const words = ({ tokensIn, tokensOut }: Counted): string => `${tokensIn} tokens in and ${tokensOut} out`;
    const lie = `says that a call used ${words(used)}, which cannot be; counted are ${words(counted)}, the most that it was given`;
    const silence = `does not say what a call cost; counted are ${counted.usd} dollars, all that was set aside`;
    const what = words(used) === words(counted) ? silence : lie;
    warn({ say }, `${model} ${what}. Look at your bill, and at git log refs/orgrepo/spend/${org.host}`);
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
      tonight = add(tonight, sumOf(settled.counted));
      say({ kind: 'spent', at: nowInSeconds(), agent, model, ...settled.counted, night: spentOf(tonight) });
      if (settled.disbelieved && used !== undefined) warnOfLie(model, used, settled.counted);
      return settled;
    };
    const keep: typeof held.keep = () => {
      held.keep();
      kept = add(kept, sumOf(held.most));
      say({ kind: 'reserved', at: nowInSeconds(), agent, model, ...held.most, night: spentOf(kept) });
    };
    return { ...held, settle, keep };
  };
  const reserve = (
    payer: Payer,
    { provider, model }: Pick<PaidCall, 'provider' | 'model'>,
    { enough, least, ...wanted }: WantedAmount & WantedCall,
    signal: AbortSignal,
  ) => {
    const ask = async (isAlone: boolean): Promise<Reservation | Refused> => {
      const book = await bookFor(payer.spec);
      const given = isAlone ? least : enough;
      const asked = { ...payer, ...wanted, least: given, isEarly: !isAlone };
      const held = await allowance.under(asked, (most) => {
        const call = { ...payer, provider, model, most };
        return wanted.all ? book.reserveRest(call, given) : book.reserveShorter(call, given);
      });
      return telling(held, payer.agent, `${provider}/${model}`);
    };
    return turns.take(payer, ask, signal);
  };
  const models = openModelAccess({
    reserve,
    reserveRest: (payer, model, most, least, signal) =>
      reserve(payer, model, { most, enough: least, least, all: true }, signal),
    ...(policies === undefined ? {} : { refuses: policies.refuses }),
    pays: openToolSpending(org, () => charter?.(), say),
    whoAnswers: async (choice) => {
      const answers = await whoAnswers(org, tree, choice);
      if (answers !== choice && !said.has(choice.model.id)) warn({ say }, standInWords(choice, answers));
      said.add(choice.model.id);
      return answers;
    },
    left: async (payer) => (isCapped(brief()) ? (await bookFor(payer.spec)).left(payer) : {}),
    access: (choice) => accessTo(org, choice),
    script: (file) => readScript(org, tree, file),
    prices: () => brief().prices,
    // A message names the provider whose language is spoken, also where a server of one's own was asked.
    onWait: (place, { message }, ms) =>
      warn(
        { say },
        `${message.replace(/^(anthropic|openai|google)\b/, () => place)}; asked again ${inWords(ms / 1000)}`,
      ),
    // An agent that has not asked yet does not wait beyond the night.
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
    ...models,
    // A program that has not begun does not wait beyond the night.
    allow: (choice, tellsMoney, payer, patienceMs, signal) =>
      untilClosing(isClosing, signal, (open) => models.allow(choice, tellsMoney, payer, patienceMs, open)),
    written: async () => (opened === undefined ? undefined : (await opened).written()),
    spent: () => (opened === undefined ? undefined : spentOf(tonight)),
    reserved: () => (Object.values(kept).every((value) => value === 0) ? undefined : spentOf(kept)),
    usedUp: allowance.usedUp,
  };
}

const isCapped = (brief: Brief): boolean =>
  Object.values(capsOf(brief)).some(({ usd, tokensIn, tokensOut }) => (usd ?? tokensIn ?? tokensOut) !== undefined);

/** `in 60 s`; with the time of day where it is long. */
function inWords(seconds: number): string {
  if (seconds < 600) return `in ${seconds.toFixed(0)} s`;
  return `at ${isoTime(Math.ceil(nowInSeconds() + seconds))}, in ${spanWord(seconds)}`;
}

type Counted = Pick<Amount, 'tokensIn' | 'tokensOut'>;

async function readScript(org: Org, tree: string, file: string): Promise<string> {
  const text = await scriptAt(org, tree, file);
  if (text !== undefined) return text;
  throw new Problem('script/value', `there is no ${file} in the last commit`, `Write ${file} and commit it.`, { file });
}
