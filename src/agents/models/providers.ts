import type { ModelId } from '../../domain/words/model-id.ts';
import { withDeadline } from '../deadline.ts';
import type { ApiChoice } from '../model-access.ts';
import { type Ask, Fault, type FindIn, type ProviderAccess } from './model-contract.ts';

export type SdkProvider = 'anthropic' | 'openai' | 'google';

/** How one asks a provider. Nothing of it is loaded before the first question: most runs ask none, or one of them. */
export function askOf(provider: SdkProvider, access: ProviderAccess): Ask {
  return async (question, signal) => (await load(provider)).ask(access)(question, signal);
}

/** How one finds out whether it has a model, and takes the key. */
function findIn(provider: SdkProvider, access: ProviderAccess): ReturnType<FindIn> {
  return async (model, signal) => (await load(provider)).find(access)(model, signal);
}

/** When a model will be gone, where its provider has said so. */
const endOfLifeOf = async (provider: SdkProvider, model: string): Promise<string | undefined> =>
  provider === 'anthropic' ? (await import('./anthropic.ts')).endOfAnthropic(model) : undefined;

async function load(provider: SdkProvider): Promise<{ ask: (access: ProviderAccess) => Ask; find: FindIn }> {
  if (provider === 'anthropic') {
    const { askAnthropic: ask, findAnthropic: find } = await import('./anthropic.ts');
    return { ask, find };
  }
  if (provider === 'openai') {
    const { askOpenai: ask, findOpenai: find } = await import('./openai.ts');
    return { ask, find };
  }
  const { askGoogle: ask, findGoogle: find } = await import('./google.ts');
  return { ask, find };
}

/** When a model will be gone, as its provider's own package says it. A server of one's own keeps what it likes. */
export const endOfLife = async ({ model, baseUrl }: ApiChoice): Promise<string | undefined> =>
  baseUrl !== undefined || model.provider === 'scripted' ? undefined : endOfLifeOf(model.provider, model.id);

/** What came of it: the model is there for this key; the key is refused; there is no such model; or nobody can tell. */
export type Knocked =
  | { readonly kind: 'there' }
  | { readonly kind: 'refused' | 'unknown' | 'unsure'; readonly why: string };

/** Nobody waits for longer before a night begins. */
const mostMs = 5_000;

/**
 * Asks a provider whether it takes a key and has a model, before a night is built on both. A server of one's own is
 * believed only when it refuses the key: many have no such list, or another one than what they answer to.
 */
export async function knock({ provider, id }: ModelId, access: ProviderAccess): Promise<Knocked> {
  if (provider === 'scripted') return { kind: 'there' };
  const never = new AbortController().signal;
  try {
    await withDeadline(mostMs, never, (deadline) => findIn(provider, access)(id, deadline));
    return { kind: 'there' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: kindOf(error, access.baseUrl !== undefined), why: error.message };
  }
}

/** Some keys may ask a model and may not look at the list. */
const mayNotLook = /missing scopes?/i;

function kindOf({ kind, message }: Fault, elsewhere: boolean): 'refused' | 'unknown' | 'unsure' {
  if (kind === 'credentials' && !mayNotLook.test(message)) return 'refused';
  return kind === 'model' && !elsewhere ? 'unknown' : 'unsure';
}
