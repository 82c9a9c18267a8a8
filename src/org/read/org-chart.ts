import type { Department, Member, Person } from '../../domain/staff/charter.ts';
import { levelByDepth, levelByName } from '../../domain/staff/role-name.ts';
import { type Effort, formatModelId, type ModelId, readModelId } from '../../domain/words/model-id.ts';
import { type Problem, problemAt, shown } from '../../text/problem.ts';
import type { CharterOptions } from './org-file.ts';
import { reportsOf } from './org-lines.ts';
import { inYaml, type OrgNotes, type PlacedText, refuseTwin } from './org-metadata.ts';
import { callDraft, idOf, type Named, namesOfRoles, sharedHeadings } from './org-names.ts';
import { readPeople } from './org-people.ts';
import { readQuantity } from './org-quantity.ts';
import { plainWords } from './org-sections.ts';
import type { ChartDraft, PartDraft, RoleDraft } from './org-structure.ts';
import { choice, readLevel, splitList } from './org-values.ts';

const effortWords = choice<Effort>({ low: /^low$/, medium: /^medium$/, high: /^high$/ });

/** More agents than one machine's worth of roles can be. */
const maxMembers = 1_000;

export interface BuiltChart {
  readonly people: readonly Person[];
  readonly departments: readonly Omit<Department, 'cap'>[];
  /** Without their models, which need names that the chart does not know. */
  readonly members: readonly Omit<Member, 'model' | 'modelWords'>[];
  /** What members say of their models, by their ids. */
  readonly asked: ReadonlyMap<string, PlacedText>;
}

/** The people and agents, and who is above whom, from what a file says. */
export function buildChart(draft: ChartDraft, file: string): BuiltChart {
  const people = readPeople(draft, file);
  const agents = everybody(draft.roles, people);
  refuseSameIds(agents, people);
  const departmentIds = idsOfDepartments(draft.departments);
  const levels = new Map(draft.roles.map((role) => [role, levelOf(role)] as const));
  const { reportsTo, leads } = reportsOf({ agents, people, draft, departmentIds, levels });
  const members = agents.map(({ draft: role, role: called, context, id, name, index, count }) => {
    const [limit, effort] = [role.said.get('limit'), role.said.get('effort')];
    return {
      ...{ id, name, level: levels.get(role) ?? 1 },
      department: role.department && departmentIds.get(role.department),
      reportsTo: reportsTo.get(id),
      domains: domainsOf(role),
      limit: limit && readQuantity(limit, 'Limit').quantity,
      ...(effort && { effort: effortWords.read(effort, 'Effort') }),
      ...{ context, role: { name: called, index, count }, place: role.place },
    };
  });
  const shared = sharedHeadings(draft.departments);
  const departments = draft.departments.map((one) => {
    const { name, context } = callDraft(one, shared.has(one));
    const { said, place } = one;
    const goal = said.get('goal');
    const id = departmentIds.get(one) ?? '';
    return { id, name, lead: leads.get(one), goal: goal && plainWords(goal.text), context, place };
  });
  const asked = agents.flatMap(({ id, draft: { said } }) => {
    const model = said.get('model');
    return model === undefined ? [] : [[id, model] as const];
  });
  return { people, departments, members, asked: new Map(asked) };
}

function everybody(roles: readonly RoleDraft[], people: readonly Person[]): readonly Named[] {
  const agents: Named[] = [];
  for (const agent of namesOfRoles(roles, people)) {
    agents.push(agent);
    if (agents.length <= maxMembers) continue;
    const { said, place: heading } = agent.draft;
    const place = said.get('count')?.place ?? heading;
    const what = `these are more than ${maxMembers} agents`;
    throw problemAt('org/structure', place, what, 'Lower a Count, or take roles out.');
  }
  return agents;
}

function levelOf(role: RoleDraft): number {
  const level = role.said.get('level');
  if (level !== undefined) return readLevel(level);
  return levelByName(role.heading?.whole ?? role.name) ?? levelByDepth(role.depth, role.heads);
}

const domainsOf = ({ said }: RoleDraft): readonly string[] =>
  splitList(plainWords(said.get('domain')?.text ?? '')).map((one) => one.toLowerCase());

function refuseSameIds(agents: readonly Named[], people: readonly Person[]): void {
  const first = new Map(people.map(({ id, place }) => [id, place] as const));
  for (const { id, draft } of agents) {
    const before = first.get(id);
    if (before !== undefined) {
      const what = `${shown(draft.name)} has the id ${shown(id)}, as what is on line ${before.line ?? 1}`;
      const line = inYaml(draft.place) ? 'id: web-worker' : '- **Id:** web-worker';
      const hint = `Give one of them another name, or another id with ${line}`;
      throw problemAt('org/structure', draft.said.get('id')?.place ?? draft.place, what, hint);
    }
    first.set(id, draft.place);
  }
}

function idsOfDepartments(drafts: readonly PartDraft[]): ReadonlyMap<PartDraft, string> {
  const ids = new Map<PartDraft, string>();
  const first = new Map<string, PartDraft>();
  const shared = sharedHeadings(drafts);
  for (const draft of drafts) {
    const { name } = callDraft(draft, shared.has(draft));
    const id = inYaml(draft.place)
      ? idOf(name, draft.place, undefined, 'Name it in Latin letters, such as web-team:')
      : idOf(name, draft.place);
    const hint = `Put the roles of both under one ${inYaml(draft.place) ? 'key' : 'heading'}.`;
    refuseTwin(`the department ${shown(name)}`, first.get(id)?.place, draft.place, hint);
    first.set(id, draft);
    ids.set(draft, id);
  }
  return ids;
}

/** What names of models mean here: the org's own, from ORG.md's front matter or org.yaml, and what the options say. */
export interface ModelNames extends Pick<CharterOptions, 'models' | 'elsewhere' | 'priceOf'> {
  readonly own: ReadonlyMap<string, ModelId>;
}

type Unmodelled = BuiltChart['members'][number];

/** Everybody with their models. `usual` is what counts for a role that names none. */
export function giveModels(
  { members, departments, asked }: BuiltChart,
  { usual, names }: { readonly usual?: ModelId | undefined; readonly names?: ModelNames },
  notes: OrgNotes,
): readonly Member[] {
  const found = new Map<string, ModelId | undefined>();
  const byId = new Map(members.map((member) => [member.id, member] as const));
  const leads = new Map(departments.map(({ id, lead }) => [id, lead] as const));
  const leadOf = (member: Unmodelled): string | undefined => {
    const lead = leads.get(member.department ?? '');
    return lead === undefined || lead === member.id ? member.reportsTo : lead;
  };
  // An agent that is as its lead has the lead's model, which comes first; `below` are those that wait for it.
  const resolve = (
    member: Unmodelled | undefined,
    below: readonly Unmodelled[],
    names: ModelNames,
  ): ModelId | undefined => {
    if (member === undefined) return usual;
    if (found.has(member.id)) return found.get(member.id);
    const line = asked.get(member.id);
    if (below.includes(member))
      throw noModel(line, 'goes round in a circle of leads', 'Name the model of one of them.');
    const own = (): ModelId | undefined => (line === undefined ? usual : modelOf(line, names, notes));
    const lead = byId.get(leadOf(member) ?? '');
    const model = isAsLead(line) ? resolve(lead, [...below, member], names) : own();
    found.set(member.id, model);
    return model;
  };
  return members.map((member) => {
    const line = asked.get(member.id);
    return {
      ...member,
      model: names && resolve(member, [], names),
      modelWords: line === undefined ? undefined : plainWords(line.text),
    };
  });
}

const isAsLead = (line: PlacedText | undefined): boolean =>
  line !== undefined && /^same[- ]as[- ]lead$/i.test(plainWords(line.text));

/** The model of an agent that names none: what stands right under Structure, or the entry called default or primary. */
export function usualModel(usual: PlacedText | undefined, names: ModelNames, notes: OrgNotes): ModelId | undefined {
  if (usual !== undefined) return modelOf(usual, names, notes);
  return names.own.get('default') ?? names.own.get('primary');
}

/** What one name means: an entry of the maps, a pinned id, or the best of the maps in one respect. */
function modelOf(line: PlacedText, names: ModelNames, notes: OrgNotes): ModelId | undefined {
  const words = plainWords(line.text);
  const named = entry(words, names);
  if (named !== undefined) return named;
  if (/^(?:cheapest|fastest)$/i.test(words)) return byPrice(line, words.toLowerCase(), names, notes);
  const pinned = readModelId(words, names.elsewhere ?? false);
  if (typeof pinned === 'object') return pinned;
  const why = {
    empty: 'is empty',
    'unknown provider': 'is not a known model, and not a name that models gives one',
    latest: 'changes with time, and two nights could not be compared',
    alias: 'may mean another model tomorrow',
    outside: 'is not a file of this repository',
  }[pinned];
  if (pinned === 'outside') throw noModel(line, why, 'Write scripted:models/chief.json, and commit that file.');
  throw noModel(line, why, frontMatterHint(line, words));
}

function entry(words: string, names: ModelNames): ModelId | undefined {
  const own = names.own.get(words) ?? names.own.get(words.toLowerCase());
  if (own !== undefined) return own;
  const text = names.models?.get(words) ?? names.models?.get(words.toLowerCase());
  const model = text === undefined ? undefined : readModelId(text, names.elsewhere ?? false);
  return typeof model === 'object' ? model : undefined;
}

/** Of all models that have a name here, the one with the least price; nothing says which is fast, and small ones are both. */
function byPrice(line: PlacedText, words: string, names: ModelNames, notes: OrgNotes): ModelId {
  const brief = [...(names.models?.values() ?? [])].map((text) => readModelId(text, names.elsewhere ?? false));
  const models = [...names.own.values(), ...brief.filter((model) => typeof model === 'object')];
  const priced = models.map((model) => ({ model, price: names.priceOf?.(model) }));
  const known = priced.filter((one): one is { model: ModelId; price: number } => one.price !== undefined);
  const [first] = models;
  if (first !== undefined && models.every((model) => formatModelId(model) === formatModelId(first))) return first;
  if (models.length === 0)
    throw noModel(line, 'chooses among the models that have a name, and there are none', frontMatterHint(line, words));
  if (known.length < models.length) {
    const unknown = priced.find(({ price }) => price === undefined)?.model;
    const whose = unknown === undefined ? 'a model' : shown(formatModelId(unknown));
    throw noModel(line, `cannot be chosen: nobody knows what ${whose} costs`, frontMatterHint(line, words));
  }
  const best = known.reduce((least, one) => (one.price < least.price ? one : least)).model;
  if (words === 'fastest') {
    const what = `fastest is taken to be the cheapest, ${formatModelId(best)}: nobody measures speed`;
    notes.warn(problemAt('org/value', line.place, what, `Write models: { fastest: ${best.id} } to say which it is.`));
  }
  return best;
}

function noModel(line: PlacedText | undefined, why: string, hint: string): Problem {
  const place = line?.place ?? { file: 'ORG.md', line: 1, column: 1 };
  return problemAt('org/value', place, `Model ${shown(plainWords(line?.text ?? ''))} ${why}`, hint);
}

const frontMatterHint = ({ place }: PlacedText, words: string): string => {
  const name = /^[\w./-]{1,60}$/.test(words) ? words : 'its-name';
  const line = `models: { ${name}: its pinned id, such as claude-sonnet-4-6 }`;
  return /\.md$/i.test(place.file) ? `Begin ${place.file} with three lines: ---, ${line}, ---.` : `Add ${line}.`;
};
