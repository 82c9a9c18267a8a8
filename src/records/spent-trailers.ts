import type { SpentOnTry } from '../domain/words/experiment.ts';
import { formatModelId, type ModelId } from '../domain/words/model-id.ts';
import { formatUsd } from '../domain/words/spent-text.ts';
import type { BookEntry, NewEntry } from './entry.ts';

/** What an agent's model used for what a commit holds. */
export interface SpentByModel {
  readonly model: ModelId;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd?: number | undefined;
}

/** Nothing where no model was asked, and no price where nobody knows it. */
export const spentTrailers = (spent: SpentByModel | undefined): NewEntry['trailers'] => ({
  Model: spent && formatModelId(spent.model),
  'Tokens-In': spent?.tokensIn,
  'Tokens-Out': spent?.tokensOut,
  'Cost-USD': spent?.usd === undefined ? undefined : formatUsd(spent.usd),
});

export function spentIn(entry: BookEntry | undefined): SpentOnTry | undefined {
  const [model, tokensIn, tokensOut] = [entry?.get('Model'), entry?.number('Tokens-In'), entry?.number('Tokens-Out')];
  if (model === undefined || tokensIn === undefined || tokensOut === undefined) return undefined;
  return { model, tokensIn, tokensOut, usd: entry?.number('Cost-USD') };
}
