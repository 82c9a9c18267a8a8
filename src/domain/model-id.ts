/** Who answers: three providers and their like, and answers from a file. */
export type Provider = 'anthropic' | 'openai' | 'google' | 'scripted';

export const providers: readonly Provider[] = ['anthropic', 'openai', 'google', 'scripted'];

/** A model by the name that never means another one later; a scripted one is a file of the repository. */
export interface ModelId {
  readonly provider: Provider;
  readonly id: string;
}

/** `anthropic/claude-sonnet-4-5-20250929`: with its provider, so that nobody has to guess it. */
export const formatModelId = ({ provider, id }: ModelId): string =>
  provider === 'scripted' ? `scripted:${id}` : `${provider}/${id}`;

/** Why a text names no model, or no one model for ever. */
export type NotAModel = 'empty' | 'unknown provider' | 'latest' | 'alias';

/**
 * Reads `[provider/]id`. Without a provider, the usual beginnings of names tell it. `elsewhere` when a server of one's
 * own is asked: such a server has names of its own, which are taken as they are.
 */
export function readModelId(text: string, elsewhere: boolean): ModelId | NotAModel {
  const script = /^scripted:(.+)$/.exec(text);
  if (script?.[1] !== undefined) return { provider: 'scripted', id: script[1] };
  const [, named, rest] = /^([a-z]+)\/(.+)$/.exec(text) ?? [];
  const known = providers.find((provider) => provider === named && provider !== 'scripted');
  const id = known === undefined ? text : (rest ?? '');
  const provider = known ?? (elsewhere ? 'openai' : providerOf(id));
  if (id === '') return 'empty';
  if (provider === undefined) return 'unknown provider';
  if (/(^|[-_:.@/])latest$/i.test(id)) return 'latest';
  return elsewhere || isPinned(id) ? { provider, id } : 'alias';
}

const beginnings: readonly (readonly [RegExp, Provider])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|o[0-9]|codex-|chatgpt-|ft:)/, 'openai'],
  [/^(gemini-|gemma-|learnlm-)/, 'google'],
];

const providerOf = (id: string): Provider | undefined => beginnings.find(([begins]) => begins.test(id))?.[1];

/**
 * Whether an id can only ever mean one model: it has a date or a number of three digits at its end, or is one of
 * Google's stable names, which have a version and no word such as preview after it.
 */
function isPinned(id: string): boolean {
  if (/[-@_](20[0-9]{2}-?[01][0-9]-?[0-3][0-9]|[01][0-9]-?[0-3][0-9]|[0-9]{3})$/.test(id)) return true;
  if (/-[01][0-9][0-3][0-9]-preview$/.test(id)) return true;
  if (/^ft:.+-(20[0-9]{2}-[01][0-9]-[0-3][0-9])\b/.test(id)) return true;
  if (/-preview-([01][0-9]-20[0-9]{2}|[01][0-9]-[0-3][0-9])$/.test(id)) return true;
  return /^gemini-[0-9]+\.[0-9]+-(pro|flash|flash-lite|ultra)$/.test(id);
}
