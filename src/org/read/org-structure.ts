import { idFrom, leadLevel, levelByName } from '../../domain/staff/role-name.ts';
import type { Place } from '../../text/problem.ts';
import { type Facts, type Known, knownKeys, type OrgNotes, type PlacedText, takeFacts } from './org-metadata.ts';
import { isPersonName, personName } from './org-names.ts';
import { plainTitle, plainWords, type Section } from './org-sections.ts';

/** A person or a department as it stands in a file: what its lines or keys say, by the keys that ORG.md has for them. */
export interface PartDraft {
  readonly name: string;
  readonly place: Place;
  readonly said: ReadonlyMap<string, PlacedText>;
  readonly context: string;
}

/** A role: not yet counted, numbered or put under anybody. */
export interface RoleDraft extends PartDraft {
  /** Of its heading: 3 to 6. */
  readonly depth: number;
  readonly department: PartDraft | undefined;
  /** Whether its own heading opened the department: then it leads it. */
  readonly heads: boolean;
  /** Under whose heading it stands, if that is nobody's department. */
  readonly under: RoleDraft | PartDraft | undefined;
}

/** What a file says of who there is, in its order. */
export interface ChartDraft {
  readonly roles: readonly RoleDraft[];
  readonly departments: readonly PartDraft[];
  readonly people: readonly PartDraft[];
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

interface Collected {
  readonly roles: RoleDraft[];
  readonly departments: PartDraft[];
  readonly people: PartDraft[];
}

const roleNames = {
  model: [],
  effort: ['reasoning_effort', 'thinking'],
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
const personKeys = knownKeys({
  id: [],
  approves: ['may_approve'],
  may_pause: ['can_pause', 'can_pause_any_agent'],
  git: ['git_address', 'email', 'address', 'addresses'],
});
const structureKeys = knownKeys({ model: ['default_model'] });

/** An H3, or whatever stands right below Structure: a person, a department, or a role beside the departments. */
function readHeading(section: Section, capped: ReadonlySet<string>, chart: Collected, notes: OrgNotes): void {
  const isPerson = isPersonName(section.title);
  const facts: Facts = isPerson ? new Map() : takeFacts(section, headingKeys).facts;
  if (isPerson || !isDepartment(section, facts, capped)) {
    readRole(section, undefined, undefined, chart, notes);
    return;
  }
  const heads = isRole(section, facts);
  const draft = draftOf(section, headingKeys, notes);
  const department = heads ? { ...draft, name: departmentOf(section.title, facts.get('id')) } : draft;
  chart.departments.push(department);
  if (heads) chart.roles.push({ ...draft, depth: section.depth, department, heads, under: undefined });
  for (const child of section.children) readRole(child, department, undefined, chart, notes);
}

function readRole(
  section: Section,
  department: PartDraft | undefined,
  above: RoleDraft | PartDraft | undefined,
  chart: Collected,
  notes: OrgNotes,
): void {
  let under: RoleDraft | PartDraft;
  if (isPersonName(section.title)) {
    under = { ...draftOf(section, personKeys, notes), name: personName(section.title) };
    chart.people.push(under);
  } else {
    const role = { ...draftOf(section, roleKeys, notes), depth: section.depth, department, heads: false, under: above };
    chart.roles.push(role);
    under = role;
  }
  for (const child of section.children) readRole(child, department, under, chart, notes);
}

function draftOf(section: Section, known: Known, notes: OrgNotes): PartDraft {
  const { facts, rest } = takeFacts(section, known, notes);
  return { name: section.title, place: section.place, said: facts, context: rest };
}

const saysAny = (facts: Facts, known: Known): boolean => [...known.values()].some((key) => facts.has(key));

/** An entry with roles under it is a department; so is an empty one that says so, or that a cap names. */
function isDepartment(section: Section, facts: Facts, capped: ReadonlySet<string>): boolean {
  if (section.children.length > 0) return true;
  if (saysAny(facts, roleKeys)) return false;
  if (saysAny(facts, departmentKeys)) return true;
  return capped.has(idFrom(section.title) ?? '') || /\b(?:team|department|dept|division)$/i.test(section.title);
}

/**
 * Whether the heading of a department is somebody too: it has a role's lines, or its name says that somebody leads
 * and no line says who else does.
 */
function isRole(section: Section, facts: Facts): boolean {
  if (saysAny(facts, roleKeys)) return true;
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
