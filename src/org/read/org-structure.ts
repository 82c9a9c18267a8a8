import { idFrom, leadLevel, levelByName } from '../../domain/staff/role-name.ts';
import type { Place } from '../../text/problem.ts';
import { type Facts, knownKeys, type OrgNotes, type PlacedText, takeFacts } from './org-metadata.ts';
import { plainTitle, plainWords, type Section } from './org-sections.ts';

/** Something of the chart as it stands in a file. */
interface Draft {
  readonly name: string;
  readonly place: Place;
  readonly context: string;
}

/** A role: not yet counted, numbered or put under anybody. */
export interface RoleDraft extends Draft {
  /** Of its heading: 3 to 6. */
  readonly depth: number;
  readonly id?: PlacedText | undefined;
  readonly count?: PlacedText | undefined;
  readonly level?: PlacedText | undefined;
  readonly model?: PlacedText | undefined;
  readonly reportsTo?: PlacedText | undefined;
  readonly domain?: PlacedText | undefined;
  readonly limit?: PlacedText | undefined;
  readonly department: DepartmentDraft | undefined;
  /** Whether its own heading opened the department: then it leads it. */
  readonly heads: boolean;
  /** Under whose heading it stands, if that is nobody's department. */
  readonly under: RoleDraft | PersonDraft | undefined;
}

export interface DepartmentDraft extends Draft {
  readonly goal?: PlacedText | undefined;
  readonly lead?: PlacedText | undefined;
  readonly cap?: PlacedText | undefined;
}

export interface PersonDraft extends Draft {
  readonly id?: PlacedText | undefined;
  readonly approves?: PlacedText | undefined;
  readonly mayPause?: PlacedText | undefined;
}

/** What a file says of who there is, in its order. */
export interface ChartDraft {
  readonly roles: readonly RoleDraft[];
  readonly departments: readonly DepartmentDraft[];
  readonly people: readonly PersonDraft[];
  /** Of everybody whose role names none. */
  readonly model?: PlacedText | undefined;
  readonly context: string;
}

/** `## Structure`: departments, roles and people by their headings. `capped` are the ids of what Department Caps names. */
export function readStructure(section: Section, capped: ReadonlySet<string>, notes: OrgNotes): ChartDraft {
  const chart: Collected = { roles: [], departments: [], people: [] };
  const { facts, rest } = takeFacts(section, structureKeys, notes);
  for (const child of section.children) readHeading(child, capped, chart, notes);
  return { ...chart, model: facts.get('model'), context: rest };
}

/** Whether these words name a person: `Human Principal`, `Alice (Human)`. */
export const isPersonName = (words: string): boolean =>
  /\bhuman principal\b|\(\s*human\b|^(?:the )?human$/i.test(words);

/** `Me (Human Principal)` is called Me. */
export function personName(words: string): string {
  const bare = words
    .slice(0, 300)
    .replace(/\s*\([^()]*\bhuman\b[^()]*\)/gi, '')
    .trim();
  return bare === '' || /^(?:the )?human(?: principal)?$/i.test(bare) ? 'Human Principal' : bare;
}

interface Collected {
  readonly roles: RoleDraft[];
  readonly departments: DepartmentDraft[];
  readonly people: PersonDraft[];
}

const roleNames = {
  model: [],
  domain: ['domains', 'expertise'],
  count: [],
  level: [],
  reports_to: ['reports'],
  id: [],
  limit: ['budget', 'per_agent_limit'],
};
const departmentNames = { goal: ['goals'], lead: [], cap: ['max_agents', 'max', 'agent_cap'] };
export const roleKeys = knownKeys(roleNames);
const departmentKeys = knownKeys(departmentNames);
export const headingKeys = knownKeys({ ...roleNames, ...departmentNames });
const personKeys = knownKeys({ id: [], approves: ['may_approve'], may_pause: ['can_pause', 'can_pause_any_agent'] });
const structureKeys = knownKeys({ model: ['default_model'] });

/** An H3, or whatever stands right below Structure: a person, a department, or a role beside the departments. */
function readHeading(section: Section, capped: ReadonlySet<string>, chart: Collected, notes: OrgNotes): void {
  if (isPersonName(section.title)) {
    const person = readPerson(section, notes);
    chart.people.push(person);
    for (const child of section.children) readRole(child, undefined, person, chart, notes);
    return;
  }
  const { facts } = takeFacts(section, headingKeys, { ...notes, warn: () => {} });
  if (!isDepartment(section, facts, capped)) {
    readRole(section, undefined, undefined, chart, notes);
    return;
  }
  const heads = isRole(section, facts);
  const { rest } = takeFacts(section, headingKeys, notes);
  const department: DepartmentDraft = {
    name: heads ? departmentOf(section.title, facts.get('id')) : section.title,
    place: section.place,
    goal: facts.get('goal'),
    lead: facts.get('lead'),
    cap: facts.get('cap'),
    context: rest,
  };
  chart.departments.push(department);
  if (heads) chart.roles.push({ ...roleOf(section, facts, rest), department, heads: true, under: undefined });
  for (const child of section.children) readRole(child, department, undefined, chart, notes);
}

function readRole(
  section: Section,
  department: DepartmentDraft | undefined,
  under: RoleDraft | PersonDraft | undefined,
  chart: Collected,
  notes: OrgNotes,
): void {
  if (isPersonName(section.title)) {
    const person = readPerson(section, notes);
    chart.people.push(person);
    for (const child of section.children) readRole(child, department, person, chart, notes);
    return;
  }
  const { facts, rest } = takeFacts(section, roleKeys, notes);
  const role: RoleDraft = { ...roleOf(section, facts, rest), department, heads: false, under };
  chart.roles.push(role);
  for (const child of section.children) readRole(child, department, role, chart, notes);
}

function roleOf(section: Section, facts: Facts, context: string): Omit<RoleDraft, 'department' | 'heads' | 'under'> {
  return {
    name: section.title,
    depth: section.depth,
    place: section.place,
    id: facts.get('id'),
    count: facts.get('count'),
    level: facts.get('level'),
    model: facts.get('model'),
    reportsTo: facts.get('reports_to'),
    domain: facts.get('domain'),
    limit: facts.get('limit'),
    context,
  };
}

function readPerson(section: Section, notes: OrgNotes): PersonDraft {
  const { facts, rest } = takeFacts(section, personKeys, notes);
  return {
    name: personName(section.title),
    place: section.place,
    id: facts.get('id'),
    approves: facts.get('approves'),
    mayPause: facts.get('may_pause'),
    context: rest,
  };
}

/** Who has roles under it is a department; so is an empty one that says so, or that a cap names. */
function isDepartment(section: Section, facts: Facts, capped: ReadonlySet<string>): boolean {
  if (section.children.length > 0) return true;
  if ([...roleKeys.values()].some((key) => facts.has(key))) return false;
  if ([...departmentKeys.values()].some((key) => facts.has(key))) return true;
  return capped.has(idFrom(section.title) ?? '') || /\b(?:team|department|dept|division)$/i.test(section.title);
}

/**
 * Whether the heading of a department is somebody too: it has a role's lines, or its name says that somebody leads
 * and no line says who else does.
 */
function isRole(section: Section, facts: Facts): boolean {
  if ([...roleKeys.values()].some((key) => facts.has(key))) return true;
  if (facts.has('lead')) return false;
  const words = plainTitle(section.title).split(' ');
  return [words[0], words.at(-1)].some(
    (word) => word !== undefined && word !== 'talent' && (levelByName(word) ?? 0) >= leadLevel,
  );
}

/**
 * `VP of Engineering` and `Engineering Lead` lead Engineering; a `CTO` leads what is called as they are, and so does a `🚀 Lead`.
 * Where even that gives no id, the one that the role was given does for both.
 */
function departmentOf(title: string, id: PlacedText | undefined): string {
  const bare = title
    .replace(/^(?:vp|director|lead|manager|chief)s?\s+(?:of\s+)?(?=\S)/i, '')
    .replace(/(?<=\S)\s+(?:lead|manager|director|vp)s?$/i, '')
    .trim();
  if (idFrom(bare) !== undefined) return bare;
  return idFrom(title) === undefined && id !== undefined ? plainWords(id.text) : title;
}
