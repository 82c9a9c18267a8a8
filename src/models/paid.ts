import type { Amount, Refused } from '../domain/spending.ts';
import { type Ask, Fault } from './contract.ts';
import { mostTokensIn, type Prices } from './prices.ts';

/** Who pays for a turn, and how. A call goes out only when the most that it can use is set aside. */
export interface Purse {
  readonly prices: Prices;
  reserve(most: Amount): Promise<Held | Refused>;
  /** What a turn has cost in the end. */
  count(amount: Amount): void;
}

export interface Held {
  readonly kind: 'reserved';
  settle(
    used: { readonly tokensIn: number; readonly tokensOut: number } | undefined,
    usd: number | undefined,
  ): { readonly counted: Amount };
  release(): void;
}

/** The same turns, each reserved before and settled after. What may have been answered, and was not heard, counts in full. */
export function paid(ask: Ask, purse: Purse): Ask {
  return async (question, signal) => {
    const [tokensIn, tokensOut] = [mostTokensIn(question), question.mostTokens];
    const held = await purse.reserve({ usd: purse.prices.mostCost(tokensIn, tokensOut), tokensIn, tokensOut });
    if (held.kind === 'refused') throw new Fault('cap', refusalInWords(held), { refused: held });
    const answer = await ask(question, signal).catch((error) => {
      if (error instanceof Fault && !error.begun) held.release();
      else purse.count(held.settle(undefined, undefined).counted);
      throw error;
    });
    purse.count(held.settle(answer.usage, answer.usage && purse.prices.costOf(answer.usage)).counted);
    return answer;
  };
}

const units = { usd: 'dollars', tokensIn: 'tokens to read', tokensOut: 'tokens to say' } as const;

/** `the cap of the night is 5 dollars: 4.98 are spent or set aside, and this call may need 0.31`. */
export function refusalInWords({ scope, name, what, cap, counted, wanted }: Refused): string {
  const of = scope === 'night' || scope === 'day' || scope === 'call' ? `the ${scope}` : `${scope} ${name}`;
  const figure = (value: number): string => (what === 'usd' ? value.toFixed(4).replace(/\.?0+$/, '') : String(value));
  return `the cap of ${of} is ${figure(cap)} ${units[what]}: ${figure(counted)} are spent or set aside, and this call may need ${figure(wanted)}`;
}
