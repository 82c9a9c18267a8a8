import type { SpentOnTry } from '../../domain/words/experiment.ts';
import type { Spent } from '../../domain/words/spent.ts';
import { countOf } from './numbers.ts';

/** `0.61`, `0.0042`: as many places as it takes to see that it is not nothing. */
export function usdWord(usd: number): string {
  if (usd === 0 || usd >= 0.01) return usd.toFixed(2);
  return usd < 0.00005 ? '<0.0001' : usd.toFixed(4);
}

/** `$0.61 of $5.00`; what nobody knows the price of is said, and never 0. */
export function spentWords({ usd, known, unpriced }: Spent, cap?: number | undefined): string {
  const of = cap === undefined ? '' : ` of $${usdWord(cap)}`;
  if (usd !== undefined) return `$${usdWord(usd)}${of}`;
  const without = `${countOf(unpriced, 'token')} without a known price`;
  return known === 0 ? `cost unknown: ${without}` : `$${usdWord(known)}${of} and ${without}`;
}

/** `1,204,000 tokens in, 88,100 out`. */
export const tokenWords = ({ tokensIn, tokensOut }: Pick<Spent, 'tokensIn' | 'tokensOut'>): string =>
  `${grouped(tokensIn)} tokens in, ${grouped(tokensOut)} out`;

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** A cell of a table: a dash where no model was asked, a question mark where nobody knows the price. */
export const costCell = (spent: Pick<SpentOnTry, 'usd'> | undefined): string =>
  spent === undefined ? '–' : spent.usd === undefined ? '?' : usdWord(spent.usd);

/** For programs. `usd` is left out where a part of it is unknown; the rest says how much is known. */
export const spentJson = ({ usd, known, tokensIn, tokensOut, unpriced }: Spent): Record<string, number> => ({
  ...(usd === undefined ? {} : { usd }),
  tokens_in: tokensIn,
  tokens_out: tokensOut,
  ...(unpriced === 0 ? {} : { usd_known: known, unpriced_tokens: unpriced }),
});
