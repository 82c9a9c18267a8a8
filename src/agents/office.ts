import type { Provider } from '../domain/model-id.ts';
import { formatModelId } from '../domain/model-id.ts';
import type { Amount, Refused } from '../domain/spending.ts';
import type { AgentChoice } from '../domain/staff.ts';
import { type Access, type Ask, Fault } from '../models/contract.ts';
import { type Gate, gateFor } from '../models/gate.ts';
import { type Held, paid } from '../models/paid.ts';
import { patient } from '../models/patient.ts';
import { type OwnPrice, type Prices, pricesOf } from '../models/prices.ts';
import { askOf } from '../models/providers.ts';
import { askScripted } from '../models/scripted.ts';
import type { Spent } from './contract.ts';

export type ApiChoice = Extract<AgentChoice, { kind: 'api' }>;

/** On whose behalf a model is asked. */
export interface Payer {
  readonly agent: string;
  readonly spec: string | undefined;
  readonly attempt: string | undefined;
}

/** What the models of a night share: the way to each provider, what they cost, and who pays. */
export interface Office {
  askFor(choice: ApiChoice, payer: Payer): Promise<Line>;
}

/** A line to a model: how it is asked, and what has been spent on it so far. */
export interface Line {
  readonly ask: Ask;
  spent(): Spent;
}

export interface OfficeRules {
  /** Sets aside what a call can use at most, on the books. */
  reserve(
    payer: Payer,
    model: { readonly provider: string; readonly model: string },
    most: Amount,
  ): Promise<Held | Refused>;
  access(choice: ApiChoice): Promise<Access>;
  /** The text of a scripted model, from the repository. */
  script(file: string): Promise<string>;
  readonly prices: ReadonlyMap<string, OwnPrice>;
  onWait(provider: Provider, fault: Fault, ms: number): void;
}

export function openOffice(rules: OfficeRules): Office {
  const gates = new Map<string, Gate>();
  const prices = new Map<string, Promise<Prices>>();
  const gateOf = (where: string): Gate => remembered(gates, where, gateFor);
  return {
    askFor: async (choice, payer) => {
      const { model, baseUrl } = choice;
      const where = baseUrl ?? model.provider; // A server of one's own is a provider of its own.
      const priced = baseUrl === undefined ? model.provider : 'elsewhere';
      const cost = await remembered(prices, `${priced}/${model.id}`, () =>
        pricesOf(priced, model.id, rules.prices.get(model.id) ?? (model.provider === 'scripted' ? free : undefined)),
      );
      const ask = await rawAsk(rules, choice);
      let counted: Amount = { usd: 0, tokensIn: 0, tokensOut: 0 };
      const purse = {
        prices: cost,
        reserve: (most: Amount) => rules.reserve(payer, { provider: model.provider, model: model.id }, most),
        count: (amount: Amount) => {
          counted = addAmounts(counted, amount);
        },
      };
      return {
        ask: patient(paid(onlyThis(ask, choice), purse), gateOf(where), (fault, ms) =>
          rules.onWait(model.provider, fault, ms),
        ),
        spent: () => ({ model, ...counted }),
      };
    },
  };
}

/** What one of them does not know, the sum does not know either. */
const addAmounts = (a: Amount, b: Amount): Amount => ({
  usd: a.usd === undefined || b.usd === undefined ? undefined : Math.round((a.usd + b.usd) * 1e9) / 1e9,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
});

const free: OwnPrice = { input: 0, output: 0 };

async function rawAsk(rules: OfficeRules, choice: ApiChoice): Promise<Ask> {
  const { provider, id } = choice.model;
  return provider === 'scripted'
    ? askScripted(await rules.script(id), id)
    : askOf(provider, await rules.access(choice));
}

/** A night's results are those of one model: whoever answers in its place is not heard. */
function onlyThis(ask: Ask, { model }: ApiChoice): Ask {
  return async (question, signal) => {
    const answer = await ask(question, signal);
    const told = model.provider === 'google' ? answer.model?.replace(/^models\//, '') : answer.model;
    if (told === undefined || told === model.id) return answer;
    throw new Fault('model', `asked for ${formatModelId(model)}, and ${told} answered`, { begun: true });
  };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
