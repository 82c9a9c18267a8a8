import type { Amount, Refused } from '../../domain/words/spending.ts';
import { mostTokensIn, type Prices } from '../prices.ts';
import { type Ask, Fault, type ModelAnswer, type Usage } from './model-contract.ts';

/** Who pays for a turn, and how. A call goes out only when the most that it can use is set aside. */
interface Purse {
  readonly prices: Prices;
  /** Others may have to end first; whoever gives the signal waits no longer. */
  reserve(most: Amount, signal: AbortSignal): Promise<Held | Refused>;
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
    const most = { usd: purse.prices.mostCost(tokensIn, tokensOut), tokensIn, tokensOut };
    const held = await purse.reserve(most, signal);
    if (held.kind === 'refused') throw new Fault('cap', capRefusalInWords(held), { refused: held });
    const answer = await ask(question, signal).catch((error) => {
      const fault = error instanceof Fault ? error : undefined;
      if (fault?.begun === false) held.release();
      // The tokens may be known; what they cost is not, where it was not the model that we have a price for.
      else purse.count(held.settle(fault?.usage, most.usd).counted);
      throw error;
    });
    const usage = believed(answer);
    purse.count(held.settle(usage, usage && purse.prices.costOf(usage)).counted);
    return answer;
  };
}

/** Whoever answers has said something: that it took no tokens is not believed, and all that was set aside counts. */
export const believed = ({ message, usage }: ModelAnswer): Usage | undefined =>
  message.parts.length > 0 && usage?.tokensOut === 0 ? undefined : usage;

const units = { usd: 'dollars', tokensIn: 'tokens to read', tokensOut: 'tokens to say' } as const;

/** `the cap of the night is 5 dollars: 4.98 are spent or set aside, and this call may need 0.31`. */
export function capRefusalInWords({ scope, name, what, cap, counted, wanted, reason }: Refused): string {
  if (reason !== undefined) return reason;
  const of =
    scope === 'night' || scope === 'day' || scope === 'call' ? `the ${scope}` : `${scope} ${name.replace(/^.*\//, '')}`;
  const figure = (value: number): string => (what === 'usd' ? value.toFixed(4).replace(/\.?0+$/, '') : String(value));
  return `the cap of ${of} is ${figure(cap)} ${units[what]}: ${figure(counted)} are spent or set aside, and this call may need ${figure(wanted)}`;
}
