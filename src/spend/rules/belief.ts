import { type Amount, type Hold, isAmount, isCount, nanosOf } from '../../domain/words/spending.ts';

/**
 * A call cannot have used more than the most, so whoever says that it has, or does not say, is not believed, and the whole
 * reservation counts. Where no price was known when it was asked for, none is known afterwards: no cap on money was asked.
 * Who cannot be stopped can have used more, and each of his figures that can be is counted.
 */
export function believe(
  { most, rest }: Pick<Hold, 'most' | 'rest'>,
  used: Amount | undefined,
): { readonly counted: Amount; readonly disbelieved: boolean } {
  if (used === undefined) return { counted: most, disbelieved: true };
  const said = { ...used, usd: most.usd === undefined ? undefined : (used.usd ?? Number.NaN) };
  if (isAmount(said) && (rest || !exceeds(said, most))) return { counted: said, disbelieved: false };
  const part = (a: number, b: number): number => (rest && isCount(a) ? a : b);
  const [tokensIn, tokensOut] = [part(said.tokensIn, most.tokensIn), part(said.tokensOut, most.tokensOut)];
  const usd = rest && isCount(nanosOf(said.usd ?? 0)) ? said.usd : most.usd;
  return { counted: { usd, tokensIn, tokensOut }, disbelieved: true };
}

/** Whether anything of it is more than what was set aside. */
export const exceeds = (used: Amount, most: Amount): boolean =>
  nanosOf(used.usd ?? 0) > nanosOf(most.usd ?? 0) || used.tokensIn > most.tokensIn || used.tokensOut > most.tokensOut;
