import {
  type Amount,
  add,
  type Caps,
  countedIn,
  noSum,
  type Payer,
  type SpendLedger,
  scopesOf,
  totalOf,
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
  payer: Payer,
  when: When,
  { usual, least }: { readonly usual: Amount; readonly least: Amount },
  others: readonly SpendLedger[] = [],
): Amount {
  const now = turnTo(ledger, when);
  const left = { usd: usual.usd ?? 0, tokensIn: usual.tokensIn, tokensOut: usual.tokensOut };
  for (const [scope, name] of [
    ['call', payer.agent] as const,
    ...scopesOf({ ...payer, day: now.day, night: now.night }),
  ]) {
    const cap = caps[scope];
    if (cap === undefined) continue;
    const same = [now, ...others].filter((book) => (scope === 'day' ? book.day === now.day : book.night === now.night));
    const counted = same.map((book) => countedIn(totalOf(book, scope, name))).reduce(add, cap.before ?? noSum);
    const spent = { usd: counted.nanos / 1e9, tokensIn: counted.tokensIn, tokensOut: counted.tokensOut };
    for (const what of ['usd', 'tokensIn', 'tokensOut'] as const)
      left[what] = Math.min(left[what], (cap[what] ?? Number.POSITIVE_INFINITY) - spent[what]);
  }
  const dollars = Math.round(Math.max(left.usd, least.usd ?? 0) * 1e9) / 1e9; // The last digit of a float is no money.
  return {
    usd: usual.usd === undefined ? undefined : dollars,
    tokensIn: Math.max(left.tokensIn, least.tokensIn),
    tokensOut: Math.max(left.tokensOut, least.tokensOut),
  };
}
