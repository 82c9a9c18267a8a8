import type { Department, Member, Person } from '../../domain/staff/charter.ts';
import { levelByDepth, levelByName } from '../../domain/staff/role-name.ts';
import { problemAt, shown } from '../../text/problem.ts';
import { reportsOf } from './org-lines.ts';
import { inYaml, type PlacedText, refuseTwin } from './org-metadata.ts';
import { idOf, type Named, namesOfRole, readPeople } from './org-names.ts';
import { plainWords } from './org-sections.ts';
import type { ChartDraft, PartDraft, RoleDraft } from './org-structure.ts';
import { readLevel, readQuantity, splitList } from './org-values.ts';

/** More agents than one machine's worth of roles can be. */
const maxMembers = 1_000;

export interface BuiltChart {
  readonly people: readonly Person[];
  readonly departments: readonly Omit<Department, 'cap'>[];
  /** Without their models, which need names that the chart does not know. */
  readonly members: readonly Omit<Member, 'model' | 'modelWords'>[];
  /** What members say of their models, by their ids. */
  readonly wishes: ReadonlyMap<string, PlacedText>;
}

/** Who there is and who is above whom, from what a file says. */
export function buildChart(draft: ChartDraft, file: string): BuiltChart {
  const agents = everybody(draft.roles);
  const people = readPeople(draft, file);
  refuseSameIds(agents, people);
  const departmentIds = idsOfDepartments(draft.departments);
  const levels = new Map(draft.roles.map((role) => [role, levelOf(role)] as const));
  const { reportsTo, leads } = reportsOf({ agents, people, draft, departmentIds, levels });
  const members = agents.map(({ draft: role, id, name, index, count }) => {
    const limit = role.said.get('limit');
    return {
      ...{ id, name, level: levels.get(role) ?? 1 },
      department: role.department && departmentIds.get(role.department),
      reportsTo: reportsTo.get(id),
      domains: domainsOf(role),
      limit: limit && readQuantity(limit, 'Limit').quantity,
      ...{ context: role.context, role: { name: role.name, index, count }, place: role.place },
    };
  });
  const departments = draft.departments.map((one) => {
    const { name, said, context, place } = one;
    const goal = said.get('goal');
    const id = departmentIds.get(one) ?? '';
    return { id, name, lead: leads.get(one), goal: goal && plainWords(goal.text), context, place };
  });
  const wishes = agents.flatMap(({ id, draft: { said } }) => {
    const model = said.get('model');
    return model === undefined ? [] : [[id, model] as const];
  });
  return { people, departments, members, wishes: new Map(wishes) };
}

function everybody(roles: readonly RoleDraft[]): readonly Named[] {
  const agents: Named[] = [];
  for (const role of roles) {
    agents.push(...namesOfRole(role));
    if (agents.length <= maxMembers) continue;
    const place = role.said.get('count')?.place ?? role.place;
    const what = `these are more than ${maxMembers} agents`;
    throw problemAt('org/structure', place, what, 'Lower a Count, or take roles out.');
  }
  return agents;
}

function levelOf(role: RoleDraft): number {
  const level = role.said.get('level');
  if (level !== undefined) return readLevel(level);
  return levelByName(role.name) ?? levelByDepth(role.depth, role.heads);
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
  for (const draft of drafts) {
    const id = inYaml(draft.place)
      ? idOf(draft.name, draft.place, undefined, 'Name it in Latin letters, such as web-team:')
      : idOf(draft.name, draft.place);
    const hint = `Put the roles of both under one ${inYaml(draft.place) ? 'key' : 'heading'}.`;
    refuseTwin(`the department ${shown(draft.name)}`, first.get(id)?.place, draft.place, hint);
    first.set(id, draft);
    ids.set(draft, id);
  }
  return ids;
}
