import type { Brief } from '../../domain/words/brief.ts';
import {
  type Amount,
  type Caps,
  capsOver,
  type Figures,
  type Hold,
  isAmount,
  isCount,
  nanosOf,
  type Payer,
  type SpendLedger,
  type Sum,
  turnTo,
  type When,
} from '../../domain/words/spending.ts';

/**
 * What is left of the smallest of the caps, for somebody who cannot be stopped between two calls and so cannot say what he
 * needs at most. Where no cap stands, it is `usual`; where next to nothing is left, it is `least`, which is then refused.
 */
export function restOf(
  ledger: SpendLedger,
  caps: Caps,
  payer: Payer & When,
  { usual, least }: { readonly usual: Amount; readonly least: Amount },
  others: readonly SpendLedger[] = [],
): Amount {
  const left = { usd: usual.usd ?? 0, tokensIn: usual.tokensIn, tokensOut: usual.tokensOut };
  for (const { cap, counted } of capsOver(turnTo(ledger, payer), caps, payer, others)) {
    const spent = { usd: counted.nanos / 1e9, tokensIn: counted.tokensIn, tokensOut: counted.tokensOut };
    for (const what of ['usd', 'tokensIn', 'tokensOut'] as const)
      left[what] = Math.min(left[what], (cap[what] ?? Number.POSITIVE_INFINITY) - spent[what]);
  }
  const dollars = Math.round(Math.max(left.usd, least.usd ?? 0) * 1e9) / 1e9; // The last digit of a float is smaller than any price.
  return {
    ...usual,
    usd: usual.usd === undefined ? undefined : dollars,
    tokensIn: Math.max(left.tokensIn, least.tokensIn),
    tokensOut: Math.max(left.tokensOut, least.tokensOut),
  };
}

/** What is not spent of the smallest caps on anything larger than a call, of each kind that is capped. */
export function unspent(
  ledger: SpendLedger,
  caps: Caps,
  payer: Payer & When,
  others: readonly SpendLedger[],
): Partial<Amount> {
  const left: { -readonly [Kind in keyof Figures]?: number } = {};
  for (const { scope, cap, spent } of capsOver(turnTo(ledger, payer), caps, payer, others)) {
    const used = { usd: spent.nanos / 1e9, tokensIn: spent.tokensIn, tokensOut: spent.tokensOut };
    for (const kind of ['usd', 'tokensIn', 'tokensOut'] as const) {
      const most = cap[kind];
      if (scope === 'call' || most === undefined) continue;
      left[kind] = Math.min(left[kind] ?? Number.POSITIVE_INFINITY, most - used[kind]);
    }
  }
  return left;
}

/**
 * A call with an answer as long as `rest` can pay, between `least` and `most`, which differ in their answers alone. An answer costs
 * the same for each token, so what lies between the two is known without a list of prices.
 */
export function shorterCall(
  { most, least }: { readonly most: Amount; readonly least: Amount },
  rest: Pick<Amount, 'usd' | 'tokensOut'>,
): Amount {
  const span = most.tokensOut - least.tokensOut;
  const nanos = ({ usd }: Pick<Amount, 'usd'>): number => nanosOf(usd ?? 0);
  const [dear, cheap, left] = [nanos(most), nanos(least), nanos(rest)];
  const each = (dear - cheap) / span;
  const payable = rest.usd === undefined || left >= dear ? span : Math.floor((left - cheap - 1) / each);
  const more = Math.min(span, payable, rest.tokensOut - least.tokensOut);
  if (more === span) return most;
  if (!(more > 0)) return least;
  // Both ends are rounded up to billionths, so one more covers what is between them.
  const usd = most.usd === undefined ? undefined : (cheap + Math.ceil(more * each) + 1) / 1e9;
  return { usd, tokensIn: most.tokensIn, tokensOut: least.tokensOut + more };
}

/**
 * A call cannot have used more than the most. A provider that reports more, or reports nothing, is not believed, and the whole
 * reservation counts. If no price was known when it was reserved, none is known afterwards: no cap on money was asked.
 * A program cannot be stopped at the most, so it can have used more, and each figure that is possible is counted.
 */
export function believe({ most, rest }: Pick<Hold, 'most' | 'rest'>, used: Amount | undefined) {
  if (used === undefined) return { counted: most, disbelieved: true };
  const how = most.subscription ? { subscription: most.subscription } : {};
  const said = { ...used, ...how, usd: most.usd === undefined ? undefined : (used.usd ?? Number.NaN) };
  if (isAmount(said) && (rest || !exceeds(said, most))) return { counted: said, disbelieved: false };
  const part = (a: number, b: number): number => (rest && isCount(a) ? a : b);
  const [tokensIn, tokensOut] = [part(said.tokensIn, most.tokensIn), part(said.tokensOut, most.tokensOut)];
  const usd = rest && isCount(nanosOf(said.usd ?? 0)) ? said.usd : most.usd;
  return { counted: { usd, tokensIn, tokensOut, ...how }, disbelieved: true };
}

/** Whether anything of it is more than what was set aside. */
export const exceeds = (used: Amount, most: Amount): boolean =>
  nanosOf(used.usd ?? 0) > nanosOf(most.usd ?? 0) || used.tokensIn > most.tokensIn || used.tokensOut > most.tokensOut;

/** What the brief allows; of a spec's cap, earlier nights may have used some. */
export function capsOf({ budget, caps }: Brief, earlier?: Sum): Caps {
  const night = { usd: budget.usd, tokensIn: budget.tokensIn, tokensOut: budget.tokensOut };
  return { ...caps, ...(caps.spec === undefined ? {} : { spec: { ...caps.spec, before: earlier } }), night };
}
