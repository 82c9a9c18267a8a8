import type { AgentChoice } from '../../domain/staff/staff.ts';
import { type PinnedBrief, placeInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import type { Place } from '../../text/problem.ts';

/** A key of the brief, or a role of the chart. */
export type Where = readonly [string, ...string[]] | Place;

/** The line that says whom somebody asks; what single roles leave to the usual model stands there. */
export async function placeOfModel(org: Org, pinned: PinnedBrief, where: Where): Promise<Place> {
  if ('file' in where) return where;
  const own = await placeInBrief(org, pinned, where);
  return (own.line ?? 1) > 1 ? own : placeInBrief(org, pinned, ['model']);
}

/** Everybody with the place where the brief would name them; whom it does not name stands for the usual one. Models of the chart by their role. */
export function placesOfModels({ brief, charter }: PinnedBrief): readonly (readonly [Where, AgentChoice])[] {
  const { chief, juniors, checkers, critics, posts } = brief.staff;
  const all = { chief: [chief], junior: juniors, checker: checkers, critics };
  const members = charter?.charter.members ?? [];
  const charted = members.flatMap(({ id, model, place }): readonly (readonly [Where, AgentChoice])[] => {
    const choice = posts?.find((post) => post.id === id)?.choice;
    return model === undefined || choice === undefined ? [] : [[place, choice]];
  });
  const asked = new Set(posts?.map(({ choice }) => choice));
  const briefed = Object.entries(all).flatMap(([role, choices]) =>
    choices.map((choice, at) => [choices.length === 1 ? [role, 'model'] : [role, String(at)], choice] as const),
  ) as readonly (readonly [Where, AgentChoice])[];
  return [...charted, ...briefed.filter(([, choice]) => posts === undefined || asked.has(choice))];
}
