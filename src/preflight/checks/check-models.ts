import {
  accessTo,
  keyNeeds,
  placeOfModel,
  placesOfModels,
  refusedKey,
  refuseSilentModels,
  standInWords,
  type Where,
  whoAnswers,
} from '../../agents/keys.ts';
import { findKey } from '../../agents/keys-file.ts';
import { howToLogin, loginOf } from '../../agents/logins.ts';
import { checkPriced } from '../../agents/models/prices.ts';
import { type Probed, probeModel } from '../../agents/models/providers.ts';
import {
  type AgentChoice,
  apiInWords,
  apiOf,
  choiceInWords,
  choiceOf,
  isProgramChoice,
  type ModelApi,
  type ProgramChoice,
  providerOf,
} from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { formatModelId, type ModelId } from '../../domain/words/model-id.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { keysFile } from '../../secrets/known-secrets.ts';
import { capsOf } from '../../spend/rules/call-amounts.ts';
import { isProblem, orProblem, Problem, problemAt } from '../../text/problem.ts';
import { agentsOf, loginInWords } from '../org-plan.ts';
import { loginsIn } from './check-logins.ts';

/** Something about a model of the night: that all is well, or what a person should know or do. */
type ModelNews =
  | { readonly level: 'ok' | 'note'; readonly what: string }
  | { readonly level: 'warn' | 'fail'; readonly problem: Problem };

type ApiChoice = Extract<AgentChoice, { kind: 'api' }>;
type AskingChoice = ApiChoice | ProgramChoice;

/** Whether everybody who asks a model can, and what is known of what it will cost. Nobody is asked, and no key is told. */
export async function lookAtModels(org: Org, tree: string, pinned: PinnedBrief): Promise<readonly ModelNews[]> {
  const { brief } = pinned;
  const posts = agentsOf(brief).map(({ id }) => ({ id, choice: choiceOf(brief.staff, id) }));
  const chosen = posts.flatMap(({ id, choice }) => (choice.kind === 'api' ? [{ id, choice }] : []));
  const programs = posts.flatMap(({ id, choice }) => (isProgramChoice(choice) ? [{ id, choice }] : []));
  if (chosen.length + programs.length === 0) return [];
  const asking = await Promise.all(
    chosen.map(async ({ id, choice: asked }) => ({ id, asked, choice: await whoAnswers(org, tree, asked) })),
  );
  const standIns = asking.flatMap(({ asked, choice }) => (asked === choice ? [] : [standInWords(asked, choice)]));
  const models = new Map(asking.map(({ choice }) => [`${choiceInWords(choice)} ${choice.baseUrl}`, choice]));
  return [
    ...[...new Set(standIns)].map((what): ModelNews => ({ level: 'note', what })),
    ...(await loginNews(org, brief)),
    ...(await keyNews(org, [...asking, ...programs])),
    ...(await scriptNews(org, tree, pinned)),
    ...(await Promise.all([...models.values()].map((choice) => priceNews(choice, brief)))),
    ...capNews([...models.values(), ...(await paidByKey(org, programs))], brief),
  ];
}

/** What their providers say when they are asked whether they take the keys and have the models. */
export async function accessNews(org: Org, tree: string, pinned: PinnedBrief): Promise<readonly ModelNews[]> {
  return (await checkAccess(org, tree, pinned)).map(({ choice, probed, problem }): ModelNews => {
    if (problem !== undefined) return { level: 'fail', problem };
    const where = choice.baseUrl ?? choice.model.provider;
    const key = `${where} takes the key and has ${choice.model.id}`;
    if (probed.kind === 'there') return { level: 'ok', what: key };
    const what = `whether ${key} is not known: ${probed.why}`;
    if (choice.baseUrl === undefined || !probed.why.includes('cannot be reached')) return { level: 'note', what };
    return { level: 'warn', problem: new Problem('brief/value', what, 'Start the server, or change base_url.') };
  });
}

/** What a subscription pays for ends when that is used up. */
async function paidByKey(org: Org, programs: readonly { readonly choice: ProgramChoice }[]) {
  const logins = await Promise.all(programs.map(({ choice }) => loginOf(org, choice)));
  return programs.flatMap(({ choice }, index) => (logins[index] === undefined ? [choice] : []));
}

/** Which programs work with a person's own login. One that has ended is reported with the scripts. */
async function loginNews(org: Org, brief: Brief): Promise<readonly ModelNews[]> {
  const logins = await loginsIn(org, brief);
  return logins.map((login) => ({ level: 'ok', what: loginInWords(login, `, for ${listed(login.agents)}`) }));
}

async function keyNews(
  org: Org,
  asking: readonly { readonly id: string; readonly choice: AskingChoice }[],
): Promise<readonly ModelNews[]> {
  const needs = new Map<string, KeyNeed>();
  const add = (id: string, { name, set, from }: { name: string; set: boolean; from: string }, instead = ''): void => {
    const known = needs.get(name) ?? { set, from, instead, agents: [] };
    if (!known.agents.includes(id)) known.agents.push(id);
    needs.set(name, known);
  };
  for (const { id, choice } of asking) {
    const need = await keyNeeds(org, choice);
    if (need !== undefined) add(id, need, howToLogin(choice));
    for (const { key, name } of (choice.kind === 'api' ? choice.servers : undefined) ?? []) {
      const from = `from whoever runs the server of tools ${name}`;
      if (key !== undefined) add(id, { name: key, set: (await findKey(org, [key])) !== undefined, from });
    }
  }
  return [...needs].map(([name, { set, from, instead, agents }]): ModelNews => {
    const many = agents.length > 1;
    if (set) return { level: 'ok', what: `${name} is set, for ${listed(agents)}` };
    const what = `${name} is not set, ${many ? 'agents' : 'agent'} ${listed(agents)} ${many ? 'need' : 'needs'} it`;
    const [first = name] = name.split(' or ');
    const hint = `get one: ${from}, then: export ${first}=…, or write the line ${first}=… to ${keysFile}${instead && `.${instead}`}`;
    return { level: 'fail', problem: new Problem('credentials/missing', what, hint) };
  });
}

interface KeyNeed {
  readonly set: boolean;
  readonly from: string;
  /** What may be there in its place. */
  readonly instead: string;
  readonly agents: string[];
}

/** A script that cannot be played is as bad as a key that is not there. */
async function scriptNews(org: Org, tree: string, pinned: PinnedBrief): Promise<readonly ModelNews[]> {
  const problem = await orProblem(refuseSilentModels(org, tree, pinned));
  return !isProblem(problem) || problem.code === 'credentials/missing' ? [] : [{ level: 'fail', problem }];
}

/** Which list of prices came with orgrepo. The build knows; from its source it is not known. */
const priceList = typeof __PRICES__ === 'undefined' ? 'genai-prices' : `genai-prices ${__PRICES__}`;

async function priceNews(choice: ApiChoice, { prices }: Brief): Promise<ModelNews> {
  const { model, baseUrl } = choice;
  const name = choiceInWords(choice);
  const asked = `asked through ${apiInWords[apiOf(choice)]}`;
  const pinned = baseUrl === undefined ? `model ${name} is pinned` : `model ${name} at ${baseUrl}, ${asked}`;
  if (!(await checkPriced(choice, prices))) {
    const what = `${pinned}, price unknown: it counts by its tokens, and its cost is told as unknown`;
    return { level: 'note', what };
  }
  const list = baseUrl === undefined ? priceList : `list price, ${priceList}`;
  const from = prices.has(model.id) ? 'prices' : model.provider === 'scripted' ? 'free' : list;
  return { level: 'ok', what: `${pinned}, price known (${from})` };
}

/** A night that pays and has no end to it is what a person should have meant. */
function capNews(models: readonly AskingChoice[], brief: Brief): readonly ModelNews[] {
  const { night, day } = capsOf(brief);
  const capped = [night, day].some((cap) => cap?.usd ?? cap?.tokensIn ?? cap?.tokensOut);
  if (capped || models.every((choice) => providerOf(choice) === 'scripted' || choice.baseUrl !== undefined)) return [];
  const what = 'models are asked, and neither money nor tokens of a night or a day have a cap';
  const hint = 'Write budget: { usd: 5 } in the brief, with what it has.';
  return [{ level: 'warn', problem: new Problem('brief/value', what, hint) }];
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** A model that somebody would ask, where the brief says so, and what its provider says to that. */
interface AccessCheck {
  readonly choice: Asking;
  readonly probed: Probed;
  readonly problem: Problem | undefined;
}

type Asking = AskingChoice & { readonly model: ModelId };

/** Asks each provider once for every model and key. An agent without a key, or with a script, has no provider to ask. */
export async function checkAccess(org: Org, tree: string, pinned: PinnedBrief): Promise<readonly AccessCheck[]> {
  const asked = new Map<string, { readonly choice: Asking; readonly where: Where }>();
  for (const [where, choice] of placesOfModels(pinned)) {
    const asking = await askingOf(org, tree, choice);
    const key = asking && JSON.stringify([asking.baseUrl, apiAsked(asking), asking.model.id]);
    if (asking !== undefined && key !== undefined && !asked.has(key)) asked.set(key, { choice: asking, where });
  }
  return Promise.all(
    [...asked.values()].map(async ({ choice, where }) => {
      const access = await accessTo(org, choice);
      const probed = await probeModel(apiAsked(choice), choice.model.id, access);
      return { choice, probed, problem: await problemOf(org, pinned, choice, where, probed) };
    }),
  );
}

/** The API that the night will use. Programs other than codex choose theirs, so only the list of models is asked for theirs. */
function apiAsked(choice: Asking): ModelApi {
  const api = apiOf(choice);
  return api === 'responses' && isProgramChoice(choice) && !(choice.kind === 'program' && choice.program === 'codex')
    ? 'openai'
    : api;
}

async function askingOf(org: Org, tree: string, choice: AgentChoice): Promise<Asking | undefined> {
  if (choice.kind !== 'api' && !isProgramChoice(choice)) return undefined;
  if ((await loginOf(org, choice)) !== undefined) return undefined; // It opens one door, and that one costs.
  const { model } = choice.kind === 'api' ? await whoAnswers(org, tree, choice) : choice;
  if (model === undefined || model.provider === 'scripted') return undefined;
  return (await keyNeeds(org, choice))?.set === false ? undefined : { ...choice, model };
}

async function problemOf(
  org: Org,
  pinned: PinnedBrief,
  choice: Asking,
  where: Where,
  probed: Probed,
): Promise<Problem | undefined> {
  if (probed.kind === 'refused') return refusedKey(org, choice, probed.why);
  if (probed.kind !== 'unknown') return undefined;
  const what = `model is ${formatModelId(choice.model)}, and there is no such model for this key: ${probed.why}`;
  const hint = 'Name one that your provider lists, by its whole id.';
  return problemAt('file' in where ? 'org/value' : 'brief/value', await placeOfModel(org, pinned, where), what, hint);
}
