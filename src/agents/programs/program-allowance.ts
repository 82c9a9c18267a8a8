import { type Act, type PolicyRefusal, type Principal, spendAct } from '../../domain/rules/act.ts';
import { type ProgramChoice, programIn, providerOf } from '../../domain/staff/staff.ts';
import type { OwnPrice } from '../../domain/words/brief.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import type { Amount, Refused } from '../../domain/words/spending.ts';
import type { TaskSpending } from '../agent-contract.ts';
import { withDeadline } from '../deadline.ts';
import type { ModelPayer } from '../model-access.ts';
import { Fault, type ProviderAccess } from '../models/model-contract.ts';
import { capRefusalInWords, knowsPrice, pricesFor, type ReservedCall } from '../models/prices.ts';
import { unversioned } from '../models/provider-form.ts';
import type { Passed, ProviderGate } from '../models/providers.ts';
import { endOfWindow } from '../models/usage-window.ts';
import type { ProgramReport } from './program-contract.ts';

/** What a program gets for one attempt: a key, and money that is set aside for it. */
export type ProgramAllowance = Awaited<ReturnType<typeof allow>>;

interface Kept {
  readonly most: Amount;
  /** Nobody will say what was used: it stays set aside. */
  keep(): void;
}

export interface ProgramRules {
  access(choice: ProgramChoice): Promise<ProviderAccess>;
  reserveRest(
    payer: ModelPayer,
    model: { readonly provider: string; readonly model: string },
    usual: Amount,
    least: Amount,
    signal: AbortSignal,
  ): Promise<(ReservedCall & Kept) | Refused>;
  /**
   * What a policy has against an act of an agent; undefined when it may. A person's yes to one act of an errand is one to
   * all of its kind. Left out, there are no policies.
   */
  refuses?(agent: string, act: (principal: Principal) => Act, errand?: string): Promise<PolicyRefusal | undefined>;
  prices(): ReadonlyMap<string, OwnPrice>;
  /** Something that a person should know; said again with every attempt that meets it. */
  onOddity(words: string): void;
  onWait(place: string, fault: Fault, ms: number): void;
}

/** More than an attempt of some minutes can use: set aside where no cap leaves less. */
const usual = { usd: 20, tokensIn: 50_000_000, tokensOut: 2_000_000 };

/** With less than this no program need be started. */
export const leastAllowance = { usd: 0.01, tokensIn: 10_000, tokensOut: 500 };

const busyMs = 60_000;

interface WantedAllowance {
  readonly choice: ProgramChoice;
  readonly tellsMoney: boolean;
  readonly payer: ModelPayer;
  /** The way to its provider. What one of them allows a subscription is not what it allows a key. */
  readonly gateTo: (provider: string) => ProviderGate;
  readonly patienceMs: number;
}

/** Sets aside what a program may use: nobody can stop it between two of its calls, so that is what the caps have left. */
export async function allow(rules: ProgramRules, wanted: WantedAllowance, signal: AbortSignal) {
  const { choice, tellsMoney, payer, gateTo, patienceMs } = wanted;
  const { model } = choice;
  const [program, provider] = [programIn(choice), providerOf(choice)];
  const prices = model && (await pricesFor({ model, baseUrl: choice.baseUrl }, rules.prices()));
  const { key, baseUrl, login } = await rules.access(choice);
  const isSubscribed = login !== undefined;
  const knowsMoney = !isSubscribed && (tellsMoney || (prices !== undefined && knowsPrice(prices)));
  const access = { key, baseUrl: provider === 'openai' ? baseUrl : unversioned(baseUrl), login };
  const gate = gateTo(isSubscribed ? `${program} by subscription` : (baseUrl ?? provider ?? program));
  const passed = await passWithin(patienceMs, gate, program, signal);
  const known = knowsMoney ? {} : { usd: undefined, ...(isSubscribed && { subscription: true as const }) };
  const named = { provider: provider ?? choice.kind, model: model?.id ?? program };
  const asked = rules.reserveRest(payer, named, { ...usual, ...known }, { ...leastAllowance, ...known }, signal);
  const reserved = await asked.catch((error) => {
    passed.unanswered(); // Else the next in line would wait for ever.
    throw error;
  });
  if (reserved.kind === 'refused') {
    passed.unanswered();
    throw new Fault('cap', capRefusalInWords(reserved), { refused: reserved });
  }
  // Only now it is known what it may use at most.
  const act = (who: Principal) => spendAct(who, { ...named, spec: payer.spec }, reserved.most);
  const refusal = await rules.refuses?.(payer.agent, act, payer.errand);
  if (refusal !== undefined) {
    reserved.release();
    passed.unanswered();
    throw new Fault('cap', refusal.words, { request: refusal.request });
  }
  let open = true;
  const close = (): void => {
    open = false;
    passed.answered();
  };
  return {
    access,
    mostUsd: reserved.most.usd,
    /** What it used, as it tells. */
    settle: (report: ProgramReport): TaskSpending | undefined => {
      close();
      const ofTokens = report.usage && prices?.costOf(report.usage);
      // A cost of 0 is a price that it does not know, but of a program that knows them all.
      const usd = tellsMoney ? (report.usd ?? ofTokens) : report.usd || ofTokens;
      const { counted } = reserved.settle(report.usage, usd); // A subscription has no dollars, whatever it tells.
      if (isSubscribed && report.isExtra) rules.onOddity(extraInWords(program));
      const [named] = report.models;
      const used = named === undefined || provider === undefined ? model : { provider, id: plain(named) };
      const cached = Math.min(report.usage?.cacheRead ?? 0, counted.tokensIn);
      return used && { model: used, ...counted, ...(cached > 0 && { cached }) };
    },
    /** It told nothing: all that was set aside stays so and counts against the caps, but no commit says that it was used. */
    keep: (): void => {
      close();
      reserved.keep();
    },
    /** It was never started. */
    release: (): void => {
      close();
      reserved.release();
    },
    /** Nobody will settle or release it any more. */
    abandon: (): void => {
      if (!open) return;
      close();
      reserved.keep();
    },
    /** Its provider is busy, or what its subscription allows is used up: other agents that ask the same one wait too. */
    busy: (report: Pick<ProgramReport, 'resetsAt'> & { readonly complaint?: string | undefined } = {}): void => {
      const end = report.resetsAt === undefined ? endOfWindow(report.complaint ?? '') : report.resetsAt * 1000;
      const isWindow = isSubscribed && end !== undefined;
      const ms = gate.closeUntil(isWindow ? end : 0, busyMs);
      const words = isWindow ? `${program}: ${usedUp}` : `${program} says that its provider is busy`;
      rules.onWait(isWindow ? program : (provider ?? program), new Fault('busy', words), ms);
    },
  };
}

const usedUp = 'your subscription is used up for now';

const extraInWords = (program: string): string =>
  `${program}: ${usedUp}, and extra usage is on. What it does now is billed, and orgrepo does not see the bill`;

/** Nobody waits longer for a busy provider than he would work. */
const passWithin = (ms: number, gate: ProviderGate, program: string, signal: AbortSignal): Promise<Passed> =>
  withDeadline(ms, signal, (deadline) =>
    gate.pass(deadline).catch((error) => {
      if (!deadline.aborted || signal.aborted) throw error;
      throw new Fault('busy', `${program} was not started: its provider was busy for ${Math.round(ms / 1000)} s`);
    }),
  );

const plain = (model: string): string => model.replace(/^models\//, '');

/** A night's results are those of one model: an answer of another model is refused. */
export function anotherModel({ model }: Pick<ProgramChoice, 'model'>, { models }: ProgramReport): string | undefined {
  const other = model && models.map(plain).find((used) => used !== model.id);
  return other && model && `asked for ${formatModelId(model)}, and ${other} answered`;
}
