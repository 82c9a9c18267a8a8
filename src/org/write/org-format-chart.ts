import type { Charter, Department, Member, Person } from '../../domain/staff/charter.ts';
import { idFrom, levelByDepth, levelByName, singular } from '../../domain/staff/role-name.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { formatFrontMatter } from '../../text/front-matter.ts';
import { paragraphs } from '../read/org-metadata.ts';
import { splitHeading } from '../read/org-names.ts';
import { formatPlaybooks, readPage } from '../read/org-page.ts';
import { formatQuantity } from '../read/org-quantity.ts';
import { readSections } from '../read/org-sections.ts';
import { formatCulture } from '../settings/org-culture.ts';
import { formatPolicies } from '../settings/org-policies.ts';
import { formatSdlc } from '../settings/org-sdlc.ts';
import { factLine } from '../settings/org-settings.ts';

/** The headings of `## Structure`, with every line that the headings alone would not say. */
function formatStructure({ people, departments, members }: Charter): string {
  const parts = people.filter((person) => !isSomebody(person, people)).map(formatPerson);
  const byId = new Map(departments.map((one) => [one.id, one] as const));
  const written = new Set<string>();
  let open: string | undefined;
  const write = (one: Department): void => {
    parts.push(formatDepartment(one));
    written.add(one.id);
    open = one.id;
  };
  // Departments without anybody come where the file had them: before the next one that has somebody.
  const writeUpTo = (end: string | undefined): void => {
    for (const one of departments) {
      if (one.id === end) return;
      if (!written.has(one.id) && !members.some(({ department }) => department === one.id)) write(one);
    }
  };
  for (const group of groupsOf(inOrder(members))) {
    const [{ department }] = group;
    const one = department === undefined ? undefined : byId.get(department);
    if (one !== undefined && open !== one.id) {
      writeUpTo(one.id);
      write(one);
    } else if (one === undefined) open = undefined;
    parts.push(formatRole(group, one === undefined ? 3 : 4));
  }
  writeUpTo(undefined);
  return parts.join('\n\n');
}

/** A heading that is read as these words. */
const formatTitle = (name: string): string => name.replace(/#+$/, (signs) => `\\${signs}`);

type Group = readonly [Member, ...Member[]];

/** A role with its lines, as one heading of this depth. */
export function formatRole(group: Group, depth: number): string {
  const [first] = group;
  const isNumbered = first.name !== first.role.name;
  const name = isNumbered && group.length === first.role.count ? first.role.name : first.name;
  const counted = isNumbered && name === first.role.name;
  const base = counted ? first.id.replace(/-1$/, '') : first.id;
  const { name: called } = splitHeading(name);
  const usual = idFrom(counted ? singular(called) : called);
  const level = levelByName(name) ?? levelByDepth(depth, false);
  const lines = [
    ...line('Model', first.modelWords),
    ...line('Effort', first.effort),
    ...line('Domain', first.domains.length === 0 ? undefined : first.domains.join(', ')),
    ...line('Count', counted ? String(group.length) : undefined),
    ...line('Level', level === first.level ? undefined : String(first.level)),
    ...line('Reports to', first.reportsTo),
    ...line('Id', usual === base ? undefined : base),
    ...line('Limit', first.limit === undefined ? undefined : formatQuantity(first.limit)),
  ];
  return paragraphs(`${'#'.repeat(depth)} ${formatTitle(name)}`, first.context, lines.join('\n'));
}

/** Members of one role that differ in nothing but their number, together; others alone. */
function groupsOf(members: readonly Member[]): readonly Group[] {
  const groups: Group[] = [];
  for (let at = 0; at < members.length; ) {
    const first = members[at];
    if (first === undefined) break;
    const { count, name } = first.role;
    const group = members.slice(at, at + count);
    const isWhole =
      first.name !== name &&
      group.length === count &&
      group.every((one, index) => one.role.index === index + 1 && isAlike(one, first) && isNumbered(one, first, index));
    groups.push(isWhole ? [first, ...group.slice(1)] : [first]);
    at += isWhole ? count : 1;
  }
  return groups;
}

/** Whether somebody has the name and the id of the next of a counted role, after so many. */
export const isNumbered = (one: Member, first: Member, before: number): boolean =>
  one.id === `${first.id.replace(/-1$/, '')}-${before + 1}` &&
  one.name === `${singular(first.role.name)} ${before + 1}`;

/** Whether two are alike in what the lines of a role say, also of somebody who was spawned. */
export const isOfSameKind = (one: Member, other: Member): boolean =>
  one.level === other.level &&
  one.department === other.department &&
  one.reportsTo === other.reportsTo &&
  one.domains.join() === other.domains.join() &&
  one.modelWords === other.modelWords &&
  one.effort === other.effort;

const isAlike = (one: Member, other: Member): boolean =>
  isOfSameKind(one, other) &&
  one.role.name === other.role.name &&
  one.role.count === other.role.count &&
  one.context === other.context &&
  JSON.stringify(one.limit) === JSON.stringify(other.limit);

/** An agent that was spawned into a department stands with it. */
function inOrder(members: readonly Member[]): readonly Member[] {
  const first = new Map<string, number>();
  members.forEach(({ department }, at) => {
    if (department !== undefined && !first.has(department)) first.set(department, at);
  });
  const ranks = new Map(members.map((member, at) => [member, first.get(member.department ?? '') ?? at]));
  const rank = (member: Member): number => ranks.get(member) ?? 0;
  return [...members].sort((a, b) => rank(a) - rank(b)); // Equals stay in the order of the file.
}

function formatDepartment({ name, context, goal, cap, lead }: Department): string {
  const lines = [
    ...line('Goal', goal),
    ...(cap === undefined ? [] : [factLine('Cap', String(cap.value), cap.why)]),
    ...line('Lead', lead ?? 'none'),
  ];
  return paragraphs(`### ${formatTitle(name)}`, context, lines.join('\n'));
}

/** The person that is there where a file names nobody. */
const isSomebody = (person: Person, people: readonly Person[]): boolean =>
  people.length === 1 &&
  person.id === 'human-principal' &&
  person.name === 'Human Principal' &&
  person.context === '' &&
  person.mayPause &&
  person.addresses.length === 0 &&
  person.approves.join() === '*';

function formatPerson({ id, name, approves, mayPause, addresses, context }: Person): string {
  const lines = [
    ...line('Approves', approves.join() === '*' ? undefined : approves.join(', ')),
    ...line('Git', addresses.join(', ') || undefined),
    ...line('Can pause', mayPause ? undefined : 'no'),
    ...line('Id', idFrom(name) === id ? undefined : id),
  ];
  const title = name === 'Human Principal' ? name : `${name} (Human)`;
  return paragraphs(`### ${title}`, context, lines.join('\n'));
}

const line = (label: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`- **${label}:** ${value}`];

/** An ORG.md that says all of this; readCharter is its inverse, except for where each value stands. */
export function formatCharter(charter: Charter): string {
  const body = paragraphs(
    `# ${formatTitle(charter.name)}`,
    titled('Identity', charter.identity),
    titled('Culture', formatCulture(charter.culture)),
    titled('SDLC', formatSdlc(charter.sdlc)),
    titled('Structure', formatStructure(charter)),
    titled('Policies', formatPolicies(charter.policies)),
    titled('Playbooks', formatPlaybooks(charter.playbooks)),
    ...charter.others.map(({ name, text }) => paragraphs(`## ${formatTitle(name)}`, text)),
  );
  const front = frontMatter(charter);
  return Object.values(front).every((value) => value === undefined) ? `${body}\n` : formatFrontMatter(front, body);
}

const titled = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n\n${text}`);

/** What has no place in the prose: pinned names of models, and the mission where the prose does not begin with it. */
function frontMatter({ models, mission, identity, logEveryToolCall }: Charter): Readonly<Record<string, unknown>> {
  const page = readPage(readSections(`## Identity\n\n${identity}`, 1, 'ORG.md'));
  const prose = page.mission?.text ?? page.opening;
  return {
    mission: prose === mission || mission === '' ? undefined : mission,
    models:
      models.size === 0
        ? undefined
        : Object.fromEntries([...models].map(([name, model]) => [name, formatModelId(model)])),
    governance: logEveryToolCall ? { audit: { log_every_tool_call: true } } : undefined,
  };
}
