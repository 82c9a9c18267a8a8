const providers = ['anthropic', 'openai', 'google', 'scripted'] as const;

/** The providers of answers: three providers and their like, and answers from a file. */
export type Provider = (typeof providers)[number];

/** What a server can be asked in. */
export const languages = ['openai', 'anthropic', 'google'] as const;
export type Language = (typeof languages)[number];

/** How hard a model is to think, in the words that all providers have a setting for. */
export const efforts = ['low', 'medium', 'high'] as const;
export type Effort = (typeof efforts)[number];

/** A model by the name that never means another one later; a scripted one is a file of the repository. */
export interface ModelId {
  readonly provider: Provider;
  readonly id: string;
}

/** `anthropic/claude-sonnet-4-6`: with its provider, so that nobody has to guess it. */
export const formatModelId = ({ provider, id }: ModelId): string =>
  provider === 'scripted' ? `scripted:${id}` : `${provider}/${id}`;

/** Why a text names no model, or no one model for ever. */
export type NotAModel = 'empty' | 'unknown provider' | 'latest' | 'alias' | 'outside';

/**
 * Reads `[provider/]id`. Without a provider, the usual beginnings of names tell it. `elsewhere` when a server of one's
 * own is asked: such a server has names of its own, which are taken as they are. `promised` when a person says that the name
 * never means another model.
 */
export function readModelId(text: string, elsewhere: boolean, promised = false): ModelId | NotAModel {
  const script = /^scripted:(.+)$/.exec(text);
  if (script?.[1] !== undefined)
    return leavesRepository(script[1]) ? 'outside' : { provider: 'scripted', id: script[1] };
  const [, named, rest] = /^([a-z]+)\/(.+)$/.exec(text) ?? [];
  const known = providers.find((provider) => provider === named && provider !== 'scripted');
  const id = known === undefined ? text : (rest ?? '');
  const provider = known ?? (elsewhere ? houseOf(id) : providerOf(id));
  if (id === '') return 'empty';
  if (provider === undefined) return 'unknown provider';
  if (/(^|[-_:.@/])latest$/i.test(id)) return 'latest';
  return elsewhere || promised || isPinned(id) ? { provider, id } : 'alias';
}

/** Whether a path could only be that of a file elsewhere on the machine. */
const leavesRepository = (path: string): boolean => /^[/~\\]/.test(path) || path.split(/[/\\]/).includes('..');

const beginnings: readonly (readonly [RegExp, Language])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|o[0-9]|codex-|chatgpt-|ft:)/, 'openai'],
  [/^(gemini-|gemma-|learnlm-)/, 'google'],
];

const providerOf = (id: string): Language | undefined => beginnings.find(([begins]) => begins.test(id))?.[1];

/** The house that made a model, wherever it is asked. Everybody serves models with open weights, and nearly always as OpenAI would. */
export const houseOf = (id: string): Language =>
  (/^(claude|gemini)-/.test(id) ? providerOf(id) : undefined) ?? 'openai';

/**
 * Whether an id can only ever mean one model: it has a date or a number of three digits at its end, is one of
 * Google's stable names, which have a version and no word such as preview after it, or one of Anthropic's from 4.6 on, which
 * are pinned without a date: https://platform.claude.com/docs/en/about-claude/models/model-ids-and-versions.
 */
function isPinned(id: string): boolean {
  if (/[-@_](20[0-9]{2}-?[01][0-9]-?[0-3][0-9]|[01][0-9]-?[0-3][0-9]|[0-9]{3})$/.test(id)) return true;
  if (/-[01][0-9][0-3][0-9]-preview$/.test(id)) return true;
  if (/^ft:.+-(20[0-9]{2}-[01][0-9]-[0-3][0-9])\b/.test(id)) return true;
  if (/-preview-([01][0-9]-20[0-9]{2}|[01][0-9]-[0-3][0-9])$/.test(id)) return true;
  if (/^claude-[a-z]+-(4-([6-9]|[1-9][0-9])|[5-9](-[0-9]{1,2})?)$/.test(id)) return true;
  return /^gemini-[0-9]+\.[0-9]+-(pro|flash|flash-lite|ultra)$/.test(id);
}
