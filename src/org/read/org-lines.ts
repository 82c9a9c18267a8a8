import type { Person } from '../../domain/staff/charter.ts';
import { idFrom, leadLevel, singular } from '../../domain/staff/role-name.ts';
import { didYouMean, problemAt, shown } from '../../text/problem.ts';
import type { PlacedText } from './org-metadata.ts';
import type { Named } from './org-names.ts';
import { personIn } from './org-people.ts';
import { plainWords } from './org-sections.ts';
import type { ChartDraft, PartDraft, RoleDraft } from './org-structure.ts';

interface Roster {
  readonly agents: readonly Named[];
  readonly people: readonly Person[];
  readonly draft: ChartDraft;
  readonly departmentIds: ReadonlyMap<PartDraft, string>;
  readonly levels: ReadonlyMap<RoleDraft, number>;
}

/** What is known of a chart while its lines are drawn. */
interface Lines extends Roster {
  readonly names: Names;
  /** The leads of departments that have members. */
  readonly leads: ReadonlyMap<PartDraft, string>;
  readonly top: RoleDraft | undefined;
  /** The first agent of each role. */
  readonly firstOf: ReadonlyMap<RoleDraft, string>;
}

/** The lines of the chart: what `Reports to` says, and else what the headings do. Each agent has the id of the one it reports to. */
export function reportsOf(roster: Roster): Pick<Lines, 'leads'> & { readonly reportsTo: ReadonlyMap<string, string> } {
  const names = namesIn(roster);
  const leads = leadsOf(roster, names);
  const firstOf = new Map([...roster.agents].reverse().map(({ draft, id }) => [draft, id] as const));
  const lines: Lines = { ...roster, names, leads, top: topRole(roster), firstOf };
  const reportsTo = new Map<string, string>();
  for (const agent of roster.agents) {
    const { id, draft } = agent;
    const said = draft.said.get('reports_to');
    const above = said === undefined ? inferred(lines, agent) : find(lines, said, 'Reports to', id);
    const manager = above === undefined || above === id ? roster.people[0]?.id : above;
    if (manager !== undefined) reportsTo.set(id, manager);
  }
  refuseCycles(roster, reportsTo);
  return { reportsTo, leads };
}

/** How many agents are above one another at the most. */
export function depthOf(reportsTo: ReadonlyMap<string, string>): number {
  const depths = new Map<string, number>();
  const depthAt = (id: string): number => {
    const above = reportsTo.get(id);
    const depth = depths.get(id) ?? (above === undefined ? 0 : depthAt(above) + 1);
    depths.set(id, depth);
    return depth;
  };
  return Math.max(0, ...[...reportsTo.keys()].map(depthAt));
}

/** Every way to say who somebody is, by the id that it would give. */
type Names = ReadonlyMap<string, string>;

function namesIn({ agents, people }: Roster): Names {
  const names = new Map<string, string>();
  const add = (name: string | undefined, id: string): void => {
    if (name !== undefined && !names.has(name)) names.set(name, id);
  };
  for (const { id } of [...agents, ...people]) add(id, id);
  for (const { id, name } of agents) add(idFrom(name), id);
  // A role of several means the first of them.
  for (const { id, role, draft } of agents) {
    for (const name of [role, draft.heading?.whole ?? role]) {
      add(idFrom(name), id);
      add(idFrom(singular(name)), id);
    }
  }
  // A title names somebody where it is nobody else's.
  const titles = agents
    .filter(({ index }) => index === 1)
    .map(({ id, draft }) => [idFrom(draft.heading?.title ?? ''), id] as const);
  for (const [title, id] of titles) if (titles.filter(([other]) => other === title).length === 1) add(title, id);
  return names;
}

/**
 * The first without a `Reports to`. A lead by name or level who reports to somebody outside of the department counts as well:
 * a line that says the Security Lead reports to the CTO does not mean that somebody else leads Security.
 */
function leadsOf(roster: Roster, names: Names): ReadonlyMap<PartDraft, string> {
  const leads = new Map<PartDraft, string>();
  for (const department of roster.draft.departments) {
    const agents = roster.agents.filter(({ draft }) => draft.department === department);
    const ids = new Set(agents.map(({ id }) => id));
    const ranked = agents.filter(({ draft }) => draft.under === undefined);
    const said = department.said.get('lead');
    if (said !== undefined) {
      if (/^(?:none|nobody|no one)$/i.test(plainWords(said.text))) continue;
      leads.set(department, find({ ...roster, names, leads: new Map() }, said, 'Lead', undefined));
      continue;
    }
    const isOutside = ({ draft }: Named): boolean =>
      !ids.has(names.get(idFrom(plainWords(draft.said.get('reports_to')?.text ?? '')) ?? '') ?? '');
    const lead =
      ranked.find(({ draft }) => draft.heads) ??
      ranked.find(
        (one) =>
          !one.draft.said.has('reports_to') || ((roster.levels.get(one.draft) ?? 0) >= leadLevel && isOutside(one)),
      );
    if (lead !== undefined) leads.set(department, lead.id);
  }
  return leads;
}

/** The highest of the roles that stand beside the departments, the first of several. */
function topRole({ draft: { roles }, levels, people }: Roster): RoleDraft | undefined {
  const level = (role: RoleDraft): number => levels.get(role) ?? 0;
  return roles
    .filter(({ department, heads, under, said }) => {
      const reportsTo = said.get('reports_to');
      const isUnderAgent = reportsTo !== undefined && personIn(people, plainWords(reportsTo.text)) === undefined;
      return (department === undefined || heads) && under === undefined && !isUnderAgent;
    })
    .reduce<RoleDraft | undefined>(
      (top, role) => (top === undefined || level(role) > level(top) ? role : top),
      undefined,
    );
}

/** The superior that the headings give somebody; undefined for the person. */
function inferred({ leads, top, firstOf, ...roster }: Lines, { draft, id }: Named): string | undefined {
  const { under, department } = draft;
  if (under !== undefined) {
    if (!('depth' in under)) return personIn(roster.people, under.name)?.id;
    return firstOf.get(under);
  }
  const lead = department === undefined ? undefined : leads.get(department);
  // All of a role have one manager: of two leads the first one counts, and the other stands beside it.
  const isOfRole = (lead: string): boolean => roster.agents.some((one) => one.draft === draft && one.id === lead);
  if (lead !== undefined && lead !== id && !isOfRole(lead)) return lead;
  if (top === undefined || top === draft) return undefined;
  // Where a person stands in the chart, those of the top's own rank stand beside it, under the person.
  const level = (role: RoleDraft): number => roster.levels.get(role) ?? 0;
  if (roster.draft.people.length > 0 && level(draft) >= level(top)) return undefined;
  return firstOf.get(top);
}

/** The superior that a line names: an agent, a department's lead or a person. */
function find(
  { agents, people, departmentIds, names, leads }: Omit<Lines, 'top' | 'firstOf'>,
  said: PlacedText,
  label: string,
  self: string | undefined,
): string {
  const words = plainWords(said.text);
  const person =
    personIn(people, words) ?? (/^(?:none|nobody|no one)(?: \([^()]*\))?$/i.test(words) ? people[0] : undefined);
  const key = idFrom(words) ?? words;
  const found = names.get(words) ?? names.get(key) ?? ledBy(key, departmentIds, leads) ?? person?.id;
  const wrong = (what: string, hint: string) => problemAt('org/structure', said.place, what, hint);
  if (found === undefined) {
    const all = [...agents, ...people].map(({ name }) => name);
    const hint = didYouMean(words, all, 'Name a role of this file, or Human Principal.');
    throw wrong(`${label} names ${shown(words)}, and there is nobody of that name`, hint);
  }
  if (found === self) throw wrong(`${shown(words)} reports to itself`, 'Name somebody above it, or take the line out.');
  return found;
}

/** The lead of the department that is called so, with its title or without. */
function ledBy(key: string, ids: Roster['departmentIds'], leads: Lines['leads']): string | undefined {
  const department =
    [...ids].find(([, id]) => id === key) ?? [...ids].find(([{ heading }]) => idFrom(heading?.whole ?? '') === key);
  return department && leads.get(department[0]);
}

function refuseCycles({ agents }: Roster, reportsTo: ReadonlyMap<string, string>): void {
  const draftOf = new Map(agents.map((agent) => [agent.id, agent] as const));
  const done = new Set<string>();
  for (const { id } of agents) {
    const chain = new Set<string>();
    let at: string | undefined = id;
    while (at !== undefined && draftOf.has(at) && !done.has(at)) {
      if (chain.has(at)) throw cycle([...chain].slice([...chain].indexOf(at)), draftOf);
      chain.add(at);
      at = reportsTo.get(at);
    }
    for (const one of chain) done.add(one);
  }
}

function cycle(chain: readonly string[], draftOf: ReadonlyMap<string, Named>) {
  const said = chain.map((id) => draftOf.get(id)?.draft.said.get('reports_to')).find((fact) => fact !== undefined);
  const place = said?.place ?? draftOf.get(chain[0] ?? '')?.draft.place ?? { file: '', line: 1, column: 1 };
  const names = [...chain, chain[0] ?? ''].slice(0, 6).map((id) => draftOf.get(id)?.name ?? id);
  const what = `nobody is above these: ${names.join(' reports to ')}`;
  return problemAt('org/structure', place, what, 'Let one of them report to somebody else, or to Human Principal.');
}
