import { type Principal, spendAct } from '../domain/rules/act.ts';
import { type AgentChoice, apiOf, type ProgramChoice } from '../domain/staff/staff.ts';
import type { OwnPrice } from '../domain/words/brief.ts';
import { formatModelId } from '../domain/words/model-id.ts';
import type { Amount, Payer, Refused } from '../domain/words/spending.ts';
import type { AgentTask, AgentWork, TaskSpending } from './agent-contract.ts';
import type { Called, Tool } from './models/conversation.ts';
import { type Ask, Fault, type ModelAnswer, type ProviderAccess } from './models/model-contract.ts';
import {
  believed,
  knowsPrice,
  type Prices,
  paid,
  pricesFor,
  type ReservedCall,
  type WantedCall,
} from './models/prices.ts';
import { askOf, askServer, gateFor, type ProviderGate, patient } from './models/providers.ts';
import { askScripted } from './models/scripted.ts';
import { allow, type ProgramAllowance, type ProgramRules } from './programs/program-allowance.ts';

export type ApiChoice = Extract<AgentChoice, { kind: 'api' }>;

/** On whose behalf a model is asked. */
export interface ModelPayer extends Payer {
  /** What it is asked for: an attempt, a plan, a review, a round of specs. A person's yes is for one of them. */
  readonly errand: string;
}

/** What the models of a night share: the way to each provider, what they cost, and who pays. */
export interface ModelAccess extends Pick<ModelAccessRules, 'key' | 'onTool' | 'onMissing' | 'refuses' | 'pays'> {
  askFor(choice: ApiChoice, payer: ModelPayer): Promise<ModelLine>;
  /** What a program may use for one attempt. A cap that stands against it, or a provider that is busy for so long, is thrown as a Fault. */
  allow(
    choice: ProgramChoice,
    tellsMoney: boolean,
    payer: ModelPayer,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<ProgramAllowance>;
}

/** A line to a model: how it is asked, and what has been spent on it so far. */
export interface ModelLine {
  readonly ask: Ask;
  spent(): TaskSpending;
  /** What the caps leave, of each kind that is capped, as of the last answer. */
  left(): Partial<Amount>;
  /** What the provider last said in place of an answer; undefined once it has answered. */
  trouble(): Fault | undefined;
  /** Whether nobody may ask the provider now, and this one waits to. */
  isHeldUp(): boolean;
}

export interface ModelAccessRules extends Pick<ProgramRules, 'reserveRest' | 'refuses'> {
  /** The one that is asked in the end, where the one that was chosen cannot be; left out, the chosen one always is. */
  whoAnswers?(choice: ApiChoice): Promise<ApiChoice>;
  /** Sets aside what a call can use at most, on the books. */
  reserve(
    payer: ModelPayer,
    model: { readonly provider: string; readonly model: string },
    wanted: WantedCall,
    signal: AbortSignal,
  ): Promise<ReservedCall | Refused>;
  /** What the caps leave before the first call. Left out, nobody knows it before. */
  left?(payer: ModelPayer): Promise<Partial<Amount>>;
  access(choice: ApiChoice | ProgramChoice): Promise<ProviderAccess>;
  /** Something about a model or its server that a person should know; said again with every call that meets it. */
  onOddity(words: string): void;
  /** The text of a scripted model, from the repository. */
  script(file: string): Promise<string>;
  /** What a person says that models cost; the brief may change meanwhile. */
  prices(): ReadonlyMap<string, OwnPrice>;
  onWait(place: string, fault: Fault, ms: number): void;
  /** Waits for a provider with a signal that is given when it is not worth waiting any longer. Left out, it always is. */
  whileOpen?<T>(signal: AbortSignal, waiting: (open: AbortSignal) => Promise<T>): Promise<T>;
  /** The value of a variable that a brief names as the key of a server of tools. */
  key(variable: string): Promise<string>;
  /** Hears of each call of a tool by a model, carried out or not. */
  onTool(use: Called & Pick<Payer, 'agent' | 'spec'>): void;
  /** Counts what a tool of a server is about to pay. Why it may not, in words for the agent; undefined when it may. */
  pays?(
    call: Pick<Payer, 'agent' | 'spec'> & NonNullable<Tool['from']>,
    input: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined>;
  /** Tools that an agent should have, and has not. */
  onMissing(agent: string, why: string): void;
}

export function openModelAccess(rules: ModelAccessRules): ModelAccess {
  const gates = new Map<string, ProviderGate>();
  const prices = new Map<string, Promise<Prices>>();
  const gateOf = (where: string): ProviderGate => remembered(gates, where, gateFor);
  return {
    ...rules,
    askFor: async (chosen, payer) => {
      const choice = (await rules.whoAnswers?.(chosen)) ?? chosen;
      const { model, baseUrl } = choice;
      const where = baseUrl ?? model.provider; // A server of one's own is a provider of its own.
      const own = rules.prices();
      const price = JSON.stringify([where, model.id, own.get(model.id)]);
      const cost = await remembered(prices, price, () => pricesFor(choice, own));
      const ask =
        model.provider === 'scripted'
          ? askScripted(await rules.script(model.id), model.id)
          : askByChoice(choice, await rules.access(choice), rules.onOddity);
      // Dollars would stay what they are where nobody knows the price.
      const withKnownPrice = ({ usd, ...tokens }: Partial<Amount>) => (knowsPrice(cost) ? { ...tokens, usd } : tokens);
      let left: Partial<Amount> = withKnownPrice((await rules.left?.(payer)) ?? {});
      let counted: Amount = { usd: 0, tokensIn: 0, tokensOut: 0 };
      let cached = 0;
      const budget = {
        prices: cost,
        reserve: async (wanted: WantedCall, signal: AbortSignal) => {
          const asked = { provider: model.provider, model: model.id };
          const act = (who: Principal) => spendAct(who, { ...asked, spec: payer.spec }, wanted.most);
          const refusal = await rules.refuses?.(payer.agent, act, payer.errand);
          if (refusal !== undefined) throw new Fault('cap', refusal.words, { request: refusal.request });
          return rules.reserve(payer, asked, wanted, signal);
        },
        count: (amount: Amount, before: Partial<Amount>, cacheRead: number) => {
          counted = addAmounts(counted, amount);
          cached += Math.min(cacheRead, amount.tokensIn);
          left = withKnownPrice(less(before, amount));
        },
      };
      let [trouble, isHeldUp]: [Fault | undefined, boolean] = [undefined, false];
      const way = gateOf(where);
      const gate: ProviderGate = {
        ...way,
        pass: async (signal) => {
          isHeldUp = true;
          const passed = await (rules.whileOpen?.(signal, way.pass) ?? way.pass(signal));
          isHeldUp = false;
          return passed;
        },
      };
      const asking = patient(paid(onlyThis(ask, chosen), budget), gate, (fault, ms) => {
        trouble = fault;
        rules.onWait(where, fault, ms);
      });
      return {
        ask: async (question, signal) => {
          const answer = await asking(question, signal);
          trouble = undefined;
          for (const oddity of odditiesOf(answer, choice)) rules.onOddity(oddity);
          return answer;
        },
        spent: () => ({ model, ...counted, ...(cached > 0 && { cached }) }),
        left: () => left,
        trouble: () => trouble,
        isHeldUp: () => isHeldUp,
      };
    },
    allow: (choice, tellsMoney, payer, patienceMs, signal) => {
      return allow(rules, { choice, tellsMoney, payer, gateTo: gateOf, patienceMs }, signal);
    },
  };
}

/** In the language that a person says the server speaks, or its own provider does; else in that of the model's house. */
const askByChoice = (choice: ApiChoice, access: ProviderAccess, note: (words: string) => void): Ask =>
  choice.baseUrl === undefined
    ? askOf(apiOf(choice), access)
    : askServer(apiOf(choice), access, choice.speaks !== undefined, note);

/** What servers of one's own leave out. */
function odditiesOf({ usage, writesCalls, message }: ModelAnswer, { model, baseUrl }: ApiChoice): readonly string[] {
  const where = `${baseUrl ?? model.provider}, ${model.id}`;
  const isUncounted = usage === undefined && message.parts.length > 0;
  return [
    ...(isUncounted
      ? [`${where}: it does not say how many tokens it used, so every call counts with all that it could have used`]
      : []),
    ...(writesCalls
      ? [
          `${where}: its server does not parse calls of tools, and orgrepo reads them from the text as well as it can. In vLLM: --enable-auto-tool-choice --tool-call-parser <name>; in llama-server: --jinja; in Ollama: a model with tools`,
        ]
      : []),
  ];
}

/** What one of them does not know, the sum does not know either. */
const addAmounts = (a: Amount, b: Amount): Amount => ({
  usd: a.usd === undefined || b.usd === undefined ? undefined : Math.round((a.usd + b.usd) * 1e9) / 1e9,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
});

/** Of each kind that is capped, what is left when this is spent. */
const less = ({ usd, tokensIn, tokensOut }: Partial<Amount>, spent: Amount): Partial<Amount> => ({
  usd: usd && usd - (spent.usd ?? 0),
  ...(tokensIn && { tokensIn: tokensIn - spent.tokensIn }),
  ...(tokensOut && { tokensOut: tokensOut - spent.tokensOut }),
});

/** A night's results are those of one model: an answer of another model is refused. */
function onlyThis(ask: Ask, { model }: ApiChoice): Ask {
  return async (question, signal) => {
    const answer = await ask(question, signal);
    const answeredBy = model.provider === 'google' ? answer.model?.replace(/^models\//, '') : answer.model;
    if (answeredBy === undefined || answeredBy === model.id) return answer;
    throw new Fault('model', `asked for ${formatModelId(model)}, and ${answeredBy} answered`, {
      begun: true,
      usage: believed(answer),
    });
  };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/**
 * On whose behalf a task spends. Every try is an attempt of its spec, and so is each time that somebody only talks of it, with a
 * name of its own (`0001.plan-1`, `0001.checker-1-7`): what one of them used up must not be missing to another.
 */
export function payerOf(task: Pick<AgentTask, 'role' | 'agent' | 'spec' | 'attempt'>): ModelPayer {
  const { role, agent, spec, attempt } = task;
  if (spec === undefined) return { agent, spec: undefined, attempt: undefined, errand: `${agent}-${attempt}` };
  const which = role === 'junior' ? attempt : `${role === 'planner' ? 'plan' : agent}-${attempt}`;
  const name = `${spec.id}.${which}`;
  return { agent, spec: spec.id, attempt: name, errand: name };
}

/** The end of an agent's work that a cap or a policy stands against; where it has not begun, a person can still say yes to it. */
export function stoppedBy(error: unknown, spent?: TaskSpending): AgentWork | undefined {
  if (!(error instanceof Fault)) return undefined;
  const { message: reason, request, refused } = error;
  const hasBegun = spent !== undefined && spent.tokensIn + spent.tokensOut > 0;
  if (request !== undefined && !hasBegun) return { kind: 'waits', reason, request };
  // Only the org's own limits say in their own words why.
  return (
    refused && {
      kind: 'capped',
      reason,
      scope: refused.scope,
      what: refused.what,
      ofPeriod: refused.reason !== undefined,
    }
  );
}
