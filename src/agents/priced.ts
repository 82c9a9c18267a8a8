import type { OwnPrice } from '../domain/words/brief.ts';
import type { ApiChoice } from './model-access.ts';
import { type Prices, pricesOf } from './prices.ts';

const free: OwnPrice = { input: 0, output: 0 };

/** What asking a model costs: a person's own word first. Nobody else knows what a server of one's own asks for. */
export function pricesFor(
  { model, baseUrl }: Pick<ApiChoice, 'model' | 'baseUrl'>,
  own: ReadonlyMap<string, OwnPrice>,
): Promise<Prices> {
  const where = baseUrl === undefined ? model.provider : 'elsewhere';
  return pricesOf(where, model.id, own.get(model.id) ?? (model.provider === 'scripted' ? free : undefined));
}

/** Whether a cap on money can bind a model. */
export const isPriced = async (choice: ApiChoice, own: ReadonlyMap<string, OwnPrice>): Promise<boolean> =>
  (await pricesFor(choice, own)).mostCost(1, 1) !== undefined;
