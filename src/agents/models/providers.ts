import type { ModelId } from '../../domain/words/model-id.ts';
import { withDeadline } from '../deadline.ts';
import type { ApiChoice } from '../model-access.ts';
import { type Ask, Fault, type ProviderAccess } from './model-contract.ts';
import type { ModelProvider } from './model-turn.ts';

export type SdkProvider = 'anthropic' | 'openai' | 'google';

/** How one asks a provider. Nothing of it is loaded before the first question: most runs ask none, or one of them. */
export function askOf(provider: SdkProvider, access: ProviderAccess): Ask {
  return async (question, signal) => (await load(provider)).ask(access)(question, signal);
}

async function load(provider: SdkProvider): Promise<ModelProvider> {
  if (provider === 'anthropic') return (await import('./anthropic.ts')).anthropic;
  return provider === 'openai' ? (await import('./openai.ts')).openai : (await import('./google.ts')).google;
}

/** When a model will be gone, as its provider's own package says it. A server of one's own keeps what it likes. */
export const endOfLife = async ({ model, baseUrl }: ApiChoice): Promise<string | undefined> =>
  baseUrl !== undefined || model.provider !== 'anthropic'
    ? undefined
    : (await import('./anthropic.ts')).endOfAnthropic(model.id);

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
    const { find } = await load(provider);
    await withDeadline(mostMs, never, (deadline) => find(access)(id, deadline));
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
