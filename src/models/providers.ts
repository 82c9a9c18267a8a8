import type { Access, Ask } from './contract.ts';

export type Provider = 'anthropic' | 'openai' | 'google';

/** How one asks a provider. Nothing of it is loaded before the first question: most runs ask none, or one of them. */
export function askOf(provider: Provider, access: Access): Ask {
  return async (question, signal) => (await load(provider))(access)(question, signal);
}

async function load(provider: Provider): Promise<(access: Access) => Ask> {
  if (provider === 'anthropic') return (await import('./anthropic.ts')).askAnthropic;
  if (provider === 'openai') return (await import('./openai.ts')).askOpenai;
  return (await import('./google.ts')).askGoogle;
}
