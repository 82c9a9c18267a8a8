import type { Charter, Member } from './charter.ts';

/** Who is above whom. */
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

/** Whoever nobody reports to: those who do the work, and the top of a chart of one. */
export function workersOf({ members }: Pick<Chart, 'members'>): readonly Member[] {
  const managers = new Set(members.map(({ reportsTo }) => reportsTo));
  return members.filter(({ id }) => !managers.has(id));
}

function managerOf(chart: Chart, id: string): Member | undefined {
  const above = memberOf(chart, id)?.reportsTo;
  return above === undefined ? undefined : memberOf(chart, above);
}
