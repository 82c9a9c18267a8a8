import { type Charter, type Member, type Permitted, topOf } from './charter.ts';

/** Which agents and people are above which. */
export type Chart = Pick<Charter, 'members' | 'people' | 'departments'>;

export const memberOf = ({ members }: Pick<Chart, 'members'>, id: string): Member | undefined =>
  members.find((member) => member.id === id);

/** The agents above one, the direct manager first. A circle, which no charter should have, ends where it closes. */
export function managersAbove(chart: Chart, id: string): readonly Member[] {
  const above: Member[] = [];
  let next = managerOf(chart, id);
  while (next !== undefined && next.id !== id && !above.includes(next)) {
    above.push(next);
    next = managerOf(chart, next.id);
  }
  return above;
}

export const isAbove = (chart: Chart, manager: string, id: string): boolean =>
  managersAbove(chart, id).some((one) => one.id === manager);

/** The person at the end of the line above an agent: the one whom its highest manager reports to, else the first there is. */
export function personAbove(chart: Chart, id: string): string | undefined {
  const highest = managersAbove(chart, id).at(-1) ?? memberOf(chart, id);
  const named = chart.people.find((person) => person.id === highest?.reportsTo);
  return (named ?? chart.people[0])?.id;
}

export const isLead = ({ departments }: Pick<Chart, 'departments'>, id: string): boolean =>
  departments.some(({ lead }) => lead === id);

/** Agents without reports: those that do the work, and the top of a chart of one. */
export function workersOf({ members }: Pick<Chart, 'members'>): readonly Member[] {
  const managers = new Set(members.map(({ reportsTo }) => reportsTo));
  return members.filter(({ id }) => !managers.has(id));
}

function managerOf(chart: Chart, id: string): Member | undefined {
  const above = memberOf(chart, id)?.reportsTo;
  return above === undefined ? undefined : memberOf(chart, above);
}

/** What an agent wants to do. */
export type PermittedAct =
  | { readonly act: 'create' }
  | { readonly act: 'escalate' }
  | { readonly act: 'review' /** The agent that made what is reviewed. */; readonly maker: string }
  | { readonly act: 'delegate'; readonly to: string }
  | { readonly act: 'spawn'; readonly department: string | undefined; readonly level: number };

/** `person` waits for a person's approval. Reasons are for a commit and for the agent that asked. */
export type Permit =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'person'; readonly reason: string };

/** Where no cap is written down a person is asked from here on: the specification's own figure. */
const unsaidCap = 15;

type Org = Pick<Charter, 'members' | 'people' | 'departments' | 'policies'>;

/** Whether an agent may do it. Spawned agents must be among the members: caps count them. */
export function may(member: Member, act: PermittedAct, org: Org): Permit {
  return levelAgainst(member, act.act, org) ?? chartAgainst(member, act, org) ?? { kind: 'allowed' };
}

const doing: Readonly<Record<Permitted, string>> = {
  create: 'create specs',
  spawn: 'spawn agents',
  review: 'review',
  delegate: 'delegate',
  escalate: 'escalate',
};

function levelAgainst(member: Member, act: Permitted, org: Org): Permit | undefined {
  const { value: least, from } = org.policies.permissions[act];
  if (member.level >= least || isOnlyHope(member, act, org)) return undefined;
  return refuse(`${member.id} is of level ${member.level}, and L${least}+ can ${doing[act]} (${from})`);
}

/**
 * A small chart may have nobody of the level that writes specs and shares them out. Then the top of it does, unless people
 * have said from which level on: their word may mean that only they do.
 */
function isOnlyHope(member: Member, act: Permitted, org: Org): boolean {
  const { value: least, from } = org.policies.permissions[act];
  if ((act !== 'create' && act !== 'delegate') || from !== 'default') return false;
  return topOf(org)?.id === member.id && org.members.every(({ level }) => level < least);
}

function chartAgainst(member: Member, act: PermittedAct, org: Org): Permit | undefined {
  switch (act.act) {
    case 'create':
    case 'escalate':
      return undefined;
    case 'review':
      return act.maker === member.id ? refuse(`${member.id} made it, and nobody reviews their own work`) : undefined;
    case 'delegate':
      return delegationAgainst(member, act.to, org);
    case 'spawn':
      return spawnAgainst(member, act, org);
  }
}

/** Down the line, or to the agent that shares out the work of another department. */
function delegationAgainst(member: Member, to: string, org: Org): Permit | undefined {
  if (memberOf(org, to) === undefined) return refuse(`${to} is not in the chart`);
  if (to === member.id) return refuse(`${member.id} cannot delegate to itself`);
  if (isAbove(org, member.id, to) || (isLead(org, to) && !isAbove(org, to, member.id))) return undefined;
  return refuse(`${to} does not report to ${member.id}, and leads no department`);
}

function spawnAgainst(member: Member, act: Extract<PermittedAct, { act: 'spawn' }>, org: Org): Permit | undefined {
  if (act.level >= member.level)
    return refuse(`${member.id} is of level ${member.level} and can spawn only below it, not level ${act.level}`);
  if (act.department === undefined)
    return topOf(org)?.id === member.id
      ? crowdAgainst('outside of all departments', undefined, org)
      : refuse(`${member.id} is not at the top of the chart, and can spawn only into a department`);
  const department = org.departments.find(({ id }) => id === act.department);
  if (department === undefined) return refuse(`there is no department ${act.department}`);
  const { lead, name, cap } = department;
  const own = member.department === department.id || topOf(org)?.id === member.id;
  if (!own && (lead === undefined || !isAbove(org, member.id, lead)))
    return refuse(`${member.id} is not of ${name}, and not above its lead`);
  const count = countIn(department.id, org);
  if (cap !== undefined && count >= cap.value)
    return refuse(`${name} has ${count} agents, and at most ${cap.value} (${cap.from})`);
  return crowdAgainst(name, department.id, org, cap?.value);
}

/** More than any department may have is for a person to say. A cap of its own is enough where nothing is said of all of them. */
function crowdAgainst(name: string, id: string | undefined, org: Org, cap?: number): Permit | undefined {
  const { anyDepartment } = org.policies;
  const most = anyDepartment?.value ?? cap ?? unsaidCap;
  const count = countIn(id, org);
  if (count < most) return undefined;
  const from = anyDepartment === undefined ? 'no cap is written down' : anyDepartment.from;
  return { kind: 'person', reason: `${name} has ${count} agents, and a person decides on more than ${most} (${from})` };
}

const countIn = (department: string | undefined, { members }: Pick<Org, 'members'>): number =>
  members.filter((member) => member.department === department).length;

const refuse = (reason: string): Permit => ({ kind: 'refused', reason });
