import {
  type AgentChoice,
  everybodyIn,
  isProgramChoice,
  type ProgramChoice,
  providerOf,
} from '../domain/staff/staff.ts';
import { formatModelId } from '../domain/words/model-id.ts';
import { entryAt } from '../git/objects/tree.ts';
import { type PinnedBrief, placeInBrief } from '../org/force/pin-brief.ts';
import type { Org } from '../records/org.ts';
import { contentOf } from '../score/arena/arena-directory.ts';
import { keysFile } from '../secrets/known-secrets.ts';
import { type Place, Problem, problemAt } from '../text/problem.ts';
import { findKey, readKey, readKeyIfSet } from './keys-file.ts';
import { howToLogin, loginOf, refuseEnded } from './logins.ts';
import type { ApiChoice } from './model-access.ts';
import type { ProviderAccess } from './models/model-contract.ts';
import { parseScript } from './models/scripted.ts';

type AskingChoice = Extract<AgentChoice, { kind: 'api' }> | ProgramChoice;

/** The variables that hold a provider's key, and where one gets it. */
const keys = {
  anthropic: { names: ['ANTHROPIC_API_KEY'], from: 'https://console.anthropic.com/' },
  openai: { names: ['OPENAI_API_KEY'], from: 'https://platform.openai.com/api-keys' },
  google: { names: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], from: 'https://aistudio.google.com/apikey' },
} as const;

/** What somebody gets who asks a model: a person's own login where there is one, which is then used in the place of any key. */
export async function accessTo(org: Org, choice: AskingChoice): Promise<ProviderAccess> {
  const login = await loginOf(org, choice);
  const key = login === undefined ? await keyFor(org, choice) : '';
  return { key, baseUrl: choice.baseUrl, login: login && refuseEnded(login).given };
}

/** The key for a model; none for a script, and for a server of one's own where none is set. */
async function keyFor(org: Org, choice: AskingChoice): Promise<string> {
  const provider = providerOf(choice);
  if (provider === undefined || provider === 'scripted') return '';
  if (choice.baseUrl === undefined) return readKey(org, keys[provider].names, howToLogin(choice));
  // A server of one's own often wants no key, and never gets one that was meant for somebody else.
  return (await readKeyIfSet(org, ['ORGREPO_MODEL_KEY'])) ?? 'none';
}

/** What a model needs to be asked: the name of its key, whether it is set, and where to get one. Never the key. Nothing where there is a login. */
export async function keyNeeds(org: Org, choice: AskingChoice) {
  const provider = providerOf(choice);
  if (provider === undefined || provider === 'scripted' || choice.baseUrl !== undefined) return undefined;
  if ((await loginOf(org, choice)) !== undefined) return undefined;
  const { names, from } = keys[provider];
  return { name: names.join(' or '), set: (await readKeyIfSet(org, names)) !== undefined, from };
}

/** The variable of a key that is set, where a login is used in its place. */
export async function unusedKey(org: Org, choice: AgentChoice): Promise<string | undefined> {
  const provider = choice.kind === 'program' ? providerOf(choice) : undefined;
  return provider === undefined || provider === 'scripted'
    ? undefined
    : (await findKey(org, keys[provider].names))?.name;
}

/** A key that its provider does not take, by the name and the place that it has here. */
export async function refusedKey(org: Org, choice: AskingChoice, why: string): Promise<Problem> {
  const provider = providerOf(choice);
  const isKnown = choice.baseUrl === undefined && provider !== undefined && provider !== 'scripted';
  const known = isKnown ? keys[provider] : undefined;
  const names = known?.names ?? ['ORGREPO_MODEL_KEY'];
  const found = await findKey(org, names);
  const name = found?.name ?? names[0] ?? '';
  const get = known === undefined ? '' : `get another: ${known.from}, then: `;
  if (found === undefined) {
    const what = `${name} is not set, and ${choice.baseUrl} wants a key: ${why}`;
    return new Problem('credentials/refused', what, fix(name));
  }
  const where = found.inFile ? `${name} of ${keysFile}` : name;
  const at = choice.baseUrl === undefined ? '' : ` by ${choice.baseUrl}`;
  const hint = found.inFile ? `change the line ${name}=… of ${keysFile}` : fix(name);
  return new Problem('credentials/refused', `${where} is refused${at}: ${why}`, `${get}${hint}`);
}

const fix = (name: string): string => `export ${name}=…, or write the line ${name}=… to ${keysFile}`;

/**
 * The provider or script that answers for a model. Without its key, a script of its name in the repository plays its part, `models/<id>.json`: a brief
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

/** Refuses a night whose models have no key, or no script that can be played, before anything is begun. */
export async function refuseSilentModels(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  for (const choice of everybodyIn(pinned.brief.staff)) {
    if (isProgramChoice(choice)) await accessTo(org, choice);
    if (choice.kind !== 'api') continue;
    for (const { key } of choice.servers ?? []) if (key !== undefined) await readKey(org, [key]);
    const { model } = await whoAnswers(org, tree, choice);
    if (model.provider !== 'scripted') await keyFor(org, choice);
    else parseScript((await scriptAt(org, tree, model.id)) ?? (await noScript(org, pinned, choice)), model.id);
  }
}

async function noScript(org: Org, pinned: PinnedBrief, choice: ApiChoice): Promise<never> {
  const [where = ['model'] as const] = placesOfModels(pinned).find(([, one]) => one === choice) ?? [];
  const file = choice.model.id;
  const what = `model is scripted:${file}, and there is no such file in the last commit`;
  throw problemAt('script/value', await placeOfModel(org, pinned, where), what, `Write ${file} and commit it.`);
}

export async function scriptAt(org: Org, tree: string, file: string): Promise<string | undefined> {
  const entry = await entryAt(org.repo, tree, file);
  return entry?.mode.startsWith('100') === true ? (await contentOf(org.repo, entry.oid)).toString('utf8') : undefined;
}

/** A key of the brief, or a role of the chart. */
export type Where = readonly [string, ...string[]] | Place;

/** The line that says whom somebody asks; what single roles leave to the usual model stands there. */
export async function placeOfModel(org: Org, pinned: PinnedBrief, where: Where): Promise<Place> {
  if ('file' in where) return where;
  const own = await placeInBrief(org, pinned, where);
  return (own.line ?? 1) > 1 ? own : placeInBrief(org, pinned, ['model']);
}

/** Everybody with the place where the brief would name them; whom it does not name stands for the usual one. Models of the chart by their role. */
export function placesOfModels({ brief, charter }: PinnedBrief): readonly (readonly [Where, AgentChoice])[] {
  const { chief, juniors, checkers, critics, posts } = brief.staff;
  const all = { chief: [chief], junior: juniors, checker: checkers, critics };
  const members = charter?.charter.members ?? [];
  const charted = members.flatMap(({ id, model, place }): readonly (readonly [Where, AgentChoice])[] => {
    const choice = posts?.find((post) => post.id === id)?.choice;
    return model === undefined || choice === undefined ? [] : [[place, choice]];
  });
  const asked = new Set(posts?.map(({ choice }) => choice));
  const briefed = Object.entries(all).flatMap(([role, choices]) =>
    choices.map((choice, at) => [choices.length === 1 ? [role, 'model'] : [role, String(at)], choice] as const),
  ) as readonly (readonly [Where, AgentChoice])[];
  return [...charted, ...briefed.filter(([, choice]) => posts === undefined || asked.has(choice))];
}
