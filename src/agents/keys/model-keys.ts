import { type AgentChoice, providerOf } from '../../domain/staff/staff.ts';
import { formatModelId, type Provider } from '../../domain/words/model-id.ts';
import { entryAt } from '../../git/objects/tree.ts';
import type { Org } from '../../records/org.ts';
import { keysFile } from '../../secrets/keys-file.ts';
import { Problem } from '../../text/problem.ts';
import { findKey, readKey } from './keys.ts';

type AskingChoice = Extract<AgentChoice, { kind: 'api' | 'program' }>;

/** The variables that hold a provider's key, and where one gets it. */
const keys: Readonly<
  Record<Exclude<Provider, 'scripted'>, { readonly names: readonly [string, ...string[]]; readonly from: string }>
> = {
  anthropic: { names: ['ANTHROPIC_API_KEY'], from: 'https://console.anthropic.com/' },
  openai: { names: ['OPENAI_API_KEY'], from: 'https://platform.openai.com/api-keys' },
  google: { names: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], from: 'https://aistudio.google.com/apikey' },
};

/** The key for a model; none for a script, and for a server of one's own where none is set. */
export async function keyFor(org: Org, choice: AskingChoice): Promise<string> {
  const provider = providerOf(choice);
  if (provider === 'scripted') return '';
  if (choice.baseUrl === undefined) return readKey(org, keys[provider].names);
  // A server of one's own often wants no key, and never gets one that was meant for somebody else.
  return readKey(org, ['ORGREPO_MODEL_KEY']).catch((error) => {
    if (isMissing(error)) return 'none';
    throw error;
  });
}

/** What a model needs to be asked: the name of its key, whether it is set, and where to get one. Never the key. */
export async function keyNeeds(
  org: Org,
  choice: AskingChoice,
): Promise<{ readonly name: string; readonly set: boolean; readonly from: string } | undefined> {
  const provider = providerOf(choice);
  if (provider === 'scripted' || choice.baseUrl !== undefined) return undefined;
  const { names, from } = keys[provider];
  const name = names.join(' or ');
  try {
    await keyFor(org, choice);
    return { name, set: true, from };
  } catch (error) {
    if (isMissing(error)) return { name, set: false, from };
    throw error;
  }
}

/** A key that its provider does not take, by the name and the place that it has here. */
export async function refusedKey(org: Org, choice: AskingChoice, why: string): Promise<Problem> {
  const provider = providerOf(choice);
  const known = choice.baseUrl === undefined && provider !== 'scripted' ? keys[provider] : undefined;
  const names = known?.names ?? ['ORGREPO_MODEL_KEY'];
  const found = await findKey(org, names);
  const name = found?.name ?? names[0] ?? '';
  const get = known === undefined ? '' : `get another: ${known.from}, then: `;
  if (found === undefined)
    return new Problem(
      'credentials/refused',
      `${name} is not set, and ${choice.baseUrl} wants a key: ${why}`,
      fix(name),
    );
  const where = found.inFile ? `${name} of ${keysFile}` : name;
  const at = choice.baseUrl === undefined ? '' : ` by ${choice.baseUrl}`;
  const hint = found.inFile ? `change the line ${name}=… of ${keysFile}` : fix(name);
  return new Problem('credentials/refused', `${where} is refused${at}: ${why}`, `${get}${hint}`);
}

const fix = (name: string): string => `export ${name}=…, or write the line ${name}=… to ${keysFile}`;

const isMissing = (error: unknown): boolean => error instanceof Problem && error.code === 'credentials/missing';

type ApiChoice = Extract<AgentChoice, { kind: 'api' }>;

/**
 * Who answers for a model. Without its key, a script of its name in the repository plays its part, `models/<id>.json`: a brief
 * can be tried as it is before anybody has a key, and the books say that it was the script.
 */
export async function whoAnswers(org: Org, tree: string, choice: ApiChoice): Promise<ApiChoice> {
  const needs = await keyNeeds(org, choice);
  if (needs === undefined || needs.set) return choice;
  const script = `models/${choice.model.id}.json`;
  if ((await entryAt(org.repo, tree, script))?.mode.startsWith('100') !== true) return choice;
  return { ...choice, model: { provider: 'scripted', id: script } };
}

export const standInWords = ({ model }: ApiChoice, answers: ApiChoice): string =>
  `there is no key for ${formatModelId(model)}: the script ${answers.model.id} plays its part`;
