import type { Charter, Member } from '../../domain/staff/charter.ts';
import { readCharter } from '../read/org-file.ts';
import { withChildren } from '../read/org-sections.ts';
import {
  applyEdits,
  type Edits,
  insertAfter,
  lastWritten,
  type OrgPlaces,
  type PlacedSection,
  placesOf,
  removeLines,
  setCount,
  setFact,
} from './org-edits.ts';
import { formatCharter, formatRole, isNumbered, isOfSameKind } from './org-format-chart.ts';

/**
 * ORG.md with the org as it runs now: counts raised and lowered, spawned roles below their department, those who left taken out.
 * Every other byte stays, line ends and byte order mark included; nothing has changed where nobody has.
 */
export function exportOrg(text: string, charter: Charter, now: Pick<Charter, 'members'>): string {
  if (isUnchanged(charter.members, now.members)) return text;
  let result = editStructure(text, charter, now.members);
  // What the headings now say by themselves may be another chart: lines are added until it is the right one.
  for (let round = 0; round < maxRounds; round++) {
    const read = readCharter({ orgMd: result }, { resolve: false }).charter;
    if (!isSameStaff(read.members, now.members)) break;
    const wrong = differing(read, charter, now.members);
    if (wrong.length === 0) return result;
    result = correct(result, wrong);
  }
  const ids = new Set(now.members.map(({ id }) => id));
  const departments = charter.departments.map((one) => (ids.has(one.lead ?? '') ? one : { ...one, lead: undefined }));
  return formatCharter({ ...charter, departments, members: now.members });
}

const maxRounds = 4;

const isUnchanged = (was: readonly Member[], now: readonly Member[]): boolean =>
  was === now || (was.length === now.length && was.every((one, at) => JSON.stringify(one) === JSON.stringify(now[at])));

function isSameStaff(one: readonly Member[], other: readonly Member[]): boolean {
  const departments = new Map(one.map(({ id, department }) => [id, department ?? 'none'] as const));
  return (
    one.length === other.length && other.every(({ id, department = 'none' }) => departments.get(id) === department)
  );
}

function editStructure(text: string, charter: Charter, members: readonly Member[]): string {
  const page = placesOf(text);
  const left = new Map(members.map((member) => [member.id, member] as const));
  const known = new Set(charter.members.map(({ id }) => id));
  const spawned = members.filter(({ id }) => !known.has(id));
  const taken = new Set<string>();
  for (const role of rolesOf(charter.members)) {
    const place = page.at(role[0].place.line);
    if (place === undefined) continue;
    const stays = role.flatMap((member) => left.get(member.id) ?? []);
    if (stays.length > 0) changeLines(page.edits, place, role[0], stays);
    editRole(page.edits, place, role, { stays, spawned, taken });
  }
  for (const one of charter.departments) {
    const place = page.at(one.place.line);
    if (place === undefined) continue;
    const isEmptied =
      charter.members.some(({ department }) => department === one.id) &&
      !members.some(({ department }) => department === one.id);
    const isLost = one.lead !== undefined && !left.has(one.lead);
    const saysLead =
      place.facts.has('lead') ||
      charter.members.some(({ id, place: { line } }) => id === one.lead && line === one.place.line);
    if (isEmptied || (isLost && saysLead)) setFact(page.edits, place, 'Lead', 'none');
  }
  // Those of departments first: where both come after the same line, a heading beside the departments ends the last of them.
  const others = spawned.filter(({ id }) => !taken.has(id));
  for (const member of others.filter(({ department }) => department !== undefined)) appendRole(page, charter, member);
  for (const member of others.filter(({ department }) => department === undefined)) appendRole(page, charter, member);
  return applyEdits(page.edits);
}

type Role = readonly [Member, ...Member[]];

/** The members of each heading, in the order of the file. */
function rolesOf(members: readonly Member[]): readonly Role[] {
  const roles = new Map<number, [Member, ...Member[]]>();
  for (const member of members) {
    const line = member.place.line ?? 0;
    const role = roles.get(line);
    if (role === undefined) roles.set(line, [member]);
    else role.push(member);
  }
  return [...roles.values()];
}

/** What the role itself says that is not so any more, such as its superior. */
function changeLines(edits: Edits, place: PlacedSection, was: Member, stays: readonly Member[]): void {
  const [now] = stays;
  if (now === undefined || stays.some((one) => one.reportsTo !== now.reportsTo || one.level !== now.level)) return;
  if (now.reportsTo !== was.reportsTo && now.reportsTo !== undefined && place.facts.has('reports_to'))
    setFact(edits, place, 'Reports to', now.reportsTo);
}

/** Those of a role that stay, and those that were spawned; the ones that have found their place are taken. */
interface Staying {
  readonly stays: readonly Member[];
  readonly spawned: readonly Member[];
  readonly taken: Set<string>;
}

/** A count raised or lowered, a role taken out, or those who stay of a broken row as roles of their own. */
function editRole(edits: Edits, place: PlacedSection, role: Role, { stays, spawned, taken }: Staying): void {
  const [first] = role;
  const isCounted = place.facts.has('count');
  const row = stays.filter(({ id }, index) => id === role[index]?.id);
  let count = row.length;
  if (isCounted && count === role.length) {
    for (;;) {
      const next = spawned.find((one) => isNumbered(one, first, count) && isOfSameKind(one, first));
      if (next === undefined) break;
      taken.add(next.id);
      count += 1;
    }
  }
  if (count === 0) removeRole(edits, place);
  else if (isCounted && count !== role.length) setCount(edits, place, count);
  const alone = stays.slice(row.length);
  const end = lastWritten(edits, place.from, place.to);
  for (const member of alone) insertAfter(edits, end, sectionOf(member, place.section.depth));
}

/** A role with its prose; of one that its department's heading is, only what made it a role. */
function removeRole(edits: Edits, { section, from, to, facts }: PlacedSection): void {
  if (section.children.length === 0 || section.depth > 3) removeLines(edits, from, to);
  else
    for (const [key, { place, end }] of facts)
      if (!['goal', 'lead', 'cap'].includes(key)) removeLines(edits, place.line, end);
}

function appendRole({ edits, structure, at }: OrgPlaces, charter: Charter, member: Member): void {
  const department = charter.departments.find(({ id }) => id === member.department);
  const home = at(department?.place.line)?.section ?? structure;
  const depth = department === undefined ? 3 : 4;
  if (home === undefined) {
    const end = edits.lines.length;
    insertAfter(edits, end, [...(edits.inserted.has(end) ? [] : ['', '## Structure']), ...sectionOf(member, depth)]);
    return;
  }
  const last = withChildren(home).at(-1) ?? home;
  insertAfter(edits, lastWritten(edits, home.place.line, last.end), sectionOf(member, depth));
}

const sectionOf = (member: Member, depth: number): readonly string[] => [
  '',
  ...formatRole([member], depth).split('\n'),
];

interface Difference {
  readonly member: Member;
  readonly label: string;
  readonly value: string;
}

/** Where the file, read again, says something else of somebody. */
function differing(read: Charter, charter: Charter, members: readonly Member[]): readonly Difference[] {
  const found = new Map(read.members.map((member) => [member.id, member] as const));
  const agents = new Set(members.map(({ id }) => id));
  // People may be named by org.yaml, which is not read here.
  const isPerson = (id: string | undefined): boolean => id !== undefined && !agents.has(id);
  const people = new Set(charter.people.map(({ id }) => id));
  return members.flatMap((member): readonly Difference[] => {
    const same = found.get(member.id);
    if (same === undefined) return [];
    const bothPeople = isPerson(member.reportsTo) && isPerson(same.reportsTo) && people.size === 1;
    return [
      ...(same.reportsTo === member.reportsTo || member.reportsTo === undefined || bothPeople
        ? []
        : [{ member: same, label: 'Reports to', value: member.reportsTo }]),
      ...(same.level === member.level ? [] : [{ member: same, label: 'Level', value: String(member.level) }]),
    ];
  });
}

function correct(text: string, wrong: readonly Difference[]): string {
  const page = placesOf(text);
  // Those of one role share its lines, so each line is set once.
  const lines = new Map(wrong.map((one) => [`${one.member.place.line} ${one.label}`, one] as const));
  for (const { member, label, value } of lines.values()) {
    const place = page.at(member.place.line);
    if (place !== undefined) setFact(page.edits, place, label, value);
  }
  return applyEdits(page.edits);
}
