import { idFrom, leadLevel, levelByName } from '../../domain/staff/role-name.ts';
import { type Place, problemAt, shown } from '../../text/problem.ts';
import { describing, type LineHome, noteUnknown } from './org-limits.ts';
import { type Facts, type Known, knownKeys, type OrgNotes, type PlacedText, takeFacts } from './org-metadata.ts';
import { splitHeading, type TitledHeading } from './org-names.ts';
import { isPersonName, personHeading } from './org-people.ts';
import { plainTitle, plainWords, type Section } from './org-sections.ts';

/** A person or a department as it stands in a file: what its lines or keys say, by the keys that ORG.md has for them. */
export interface PartDraft {
  readonly name: string;
  /** Where its heading is a name and a title. */
  readonly heading?: TitledHeading | undefined;
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
  const { facts, rest, unknown } = takeFacts(section, structureKeys);
  noteUnknown(unknown, 'structure', structureKeys, notes);
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
const withDescribing = (keys: Readonly<Record<string, readonly string[]>>): Known =>
  new Map([...describing, ...knownKeys(keys)]);
export const roleKeys = withDescribing(roleNames);
const departmentKeys = knownKeys(departmentNames);
export const headingKeys = withDescribing({ ...roleNames, ...departmentNames });
const personKeys = withDescribing({
  id: [],
  approves: ['may_approve'],
  may_pause: ['can_pause', 'can_pause_any_agent'],
  git: ['git_address', 'email', 'address', 'addresses'],
});
const structureKeys = withDescribing({ model: ['default_model'] });

/** An H3, or whatever stands right below Structure: a person, a department, or a role beside the departments. */
function readHeading(section: Section, capped: ReadonlySet<string>, chart: Collected, notes: OrgNotes): void {
  const isPerson = isPersonName(section.title);
  const facts: Facts = isPerson ? new Map() : takeFacts(section, headingKeys).facts;
  if (isPerson || !isDepartment(section, facts, capped)) {
    readRole(section, undefined, undefined, chart, notes);
    return;
  }
  const heads = isRole(section, facts);
  if (heads && !leads(section.title)) refuseLoneLimit(section, facts, notes);
  const draft = draftOf(section, headingKeys, heads ? 'role' : 'department', notes);
  const own = { name: departmentOf(draft, facts.get('id')), heading: undefined };
  const department = heads ? { ...draft, ...own } : draft;
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
    const draft = draftOf(section, personKeys, 'person', notes);
    under = { ...draft, ...personHeading(section.title, draft.context) };
    chart.people.push(under);
  } else {
    const role = {
      ...draftOf(section, roleKeys, 'role', notes),
      depth: section.depth,
      department,
      heads: false,
      under: above,
    };
    chart.roles.push(role);
    under = role;
  }
  for (const child of section.children) readRole(child, department, under, chart, notes);
}

function draftOf(section: Section, known: Known, home: LineHome, notes: OrgNotes): PartDraft {
  const { facts, rest, unknown } = takeFacts(section, known);
  noteUnknown(unknown, home, known, notes);
  return { ...splitHeading(section.title), place: section.place, said: facts, context: rest };
}

/** A budget alone would make an agent of a department: nobody means that, and departments have none. */
function refuseLoneLimit({ title }: Section, facts: Facts, notes: OrgNotes): void {
  const limit = facts.get('limit');
  const roleFacts = new Set(roleKeys.values());
  if (limit === undefined || [...facts.keys()].some((key) => key !== 'limit' && roleFacts.has(key))) return;
  const what = `${shown(title)} is a department, and a department has no budget of its own`;
  const line = `- **Limit:** ${limit.text}`;
  notes.refuse(problemAt('org/structure', limit.place, what, `Write ${line} below each of its roles.`));
}

const saysAny = (facts: Facts, known: Known): boolean => [...known.values()].some((key) => facts.has(key));

/** An entry with roles under it is a department; so is an empty one that says so, or that a cap names. */
function isDepartment(section: Section, facts: Facts, capped: ReadonlySet<string>): boolean {
  if (section.children.length > 0) return true;
  if (saysAny(facts, roleKeys)) return false;
  if (saysAny(facts, departmentKeys)) return true;
  return [section.title, splitHeading(section.title).name].some(
    (name) => capped.has(idFrom(name) ?? '') || /\b(?:team|department|dept|division)$/i.test(name),
  );
}

/**
 * Whether the heading of a department is somebody too: it has a role's lines, or its name says that somebody leads
 * and no line says who else does.
 */
function isRole(section: Section, facts: Facts): boolean {
  if (saysAny(facts, roleKeys)) return true;
  return !facts.has('lead') && leads(section.title);
}

/** Whether a heading, or the title in it, begins or ends with a word of rank. */
function leads(words: string): boolean {
  const { name, heading } = splitHeading(words);
  return [name, heading?.title ?? ''].some((part) => {
    const all = plainTitle(part).split(' ');
    return [all[0], all.at(-1)].some(
      (word) => word !== undefined && word !== 'talent' && (levelByName(word) ?? 0) >= leadLevel,
    );
  });
}

/**
 * `VP of Engineering`, `Engineering Lead` and `Ada — Engineering Lead` lead Engineering; a `CTO` leads what is called as they are,
 * and so does a `🚀 Lead`. Where even that gives no id, the one that the role was given does for both.
 */
function departmentOf({ name, heading }: PartDraft, id: PlacedText | undefined): string {
  const bare = name
    .replace(/^(?:vp|director|lead|manager|chief)s?\s+(?:of\s+)?(?=\S)/i, '')
    .replace(/(?<=\S)\s+(?:lead|manager|director|vp)s?$/i, '')
    .trim();
  const led = /^(?:vp|director|lead|manager|head) of (\S.*)$|^(\S.*) (?:lead|manager|director|vp)$/i.exec(
    heading?.title ?? '',
  );
  if (bare === name && led !== null) return led[1] ?? led[2] ?? name;
  if (idFrom(bare) !== undefined) return bare;
  return idFrom(name) === undefined && id !== undefined ? plainWords(id.text) : name;
}
