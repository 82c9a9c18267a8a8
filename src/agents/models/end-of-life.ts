import type { ApiChoice } from '../model-access.ts';
import { endOfLifeOf } from './providers.ts';

/** When a model will be gone, as its provider's own package says it. A server of one's own keeps what it likes. */
export const endOfLife = async ({ model, baseUrl }: ApiChoice): Promise<string | undefined> =>
  baseUrl !== undefined || model.provider === 'scripted' ? undefined : endOfLifeOf(model.provider, model.id);
