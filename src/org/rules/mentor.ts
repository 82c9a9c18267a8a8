import { isSameField } from '../../domain/rules/domain-words.ts';
import { type Chart, managersAbove, memberOf } from '../../domain/staff/chart.ts';
import type { Member } from '../../domain/staff/charter.ts';

/** From this level on somebody is a senior, and may show others how it is done. */
const seniorLevel = 6;

/**
 * Who looks after an agent while it is new: the closest senior of its domain by the chart, else of its department, else the
 * agent that it reports to. Nobody below its own level. Undefined where only people are above it.
 */
export function mentorOf(chart: Chart, id: string): Member | undefined {
  const newcomer = memberOf(chart, id);
  if (newcomer === undefined) return undefined;
  const seniors = chart.members
    .filter((one) => one.id !== id && one.level >= Math.max(seniorLevel, newcomer.level))
    .map((member) => ({ member, steps: stepsBetween(chart, id, member.id) }))
    .sort((a, b) => a.steps - b.steps) // Equals stay in the order of the file.
    .map(({ member }) => member);
  const isAkin = ({ domains }: Member): boolean =>
    domains.some((one) => newcomer.domains.some((other) => isSameField(one, other)));
  const isNear = ({ department }: Member): boolean => department !== undefined && department === newcomer.department;
  return seniors.find(isAkin) ?? seniors.find(isNear) ?? managersAbove(chart, id)[0];
}

/** How many lines of the chart lie between two of its agents; those who have nobody above both are far apart. */
function stepsBetween(chart: Chart, one: string, other: string): number {
  const [up, down] = [one, other].map((id) => [id, ...managersAbove(chart, id).map((manager) => manager.id)]);
  const meet = up?.findIndex((id) => down?.includes(id)) ?? -1;
  return meet < 0 ? Number.MAX_SAFE_INTEGER : meet + (down?.indexOf(up?.[meet] ?? '') ?? 0);
}
