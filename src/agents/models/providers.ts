import type { Ask, FindIn, ProviderAccess } from './model-contract.ts';

export type SdkProvider = 'anthropic' | 'openai' | 'google';

/** How one asks a provider. Nothing of it is loaded before the first question: most runs ask none, or one of them. */
export function askOf(provider: SdkProvider, access: ProviderAccess): Ask {
  return async (question, signal) => (await load(provider)).ask(access)(question, signal);
}

/** How one finds out whether it has a model, and takes the key. */
export function findIn(provider: SdkProvider, access: ProviderAccess): ReturnType<FindIn> {
  return async (model, signal) => (await load(provider)).find(access)(model, signal);
}

/** When a model will be gone, where its provider has said so. */
export const endOfLifeOf = async (provider: SdkProvider, model: string): Promise<string | undefined> =>
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
