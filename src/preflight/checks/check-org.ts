import type { Charter, Member } from '../../domain/staff/charter.ts';
import { type Post, postsOf } from '../../domain/staff/staff.ts';
import { newcomer } from '../../domain/staff/trust.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { hasOtherModel } from '../../org/rules/reviewers.ts';
import { routeSpec, unroutable } from '../../org/rules/route.ts';
import { type Place, type Problem, problemAt } from '../../text/problem.ts';
import type { TrunkSpec } from '../trunk-specs.ts';

/** What of an organisation will not work as people may think: the reader's own words, and what only shows when it is staffed. */
export function doubtsAboutOrg(pinned: PinnedBrief, specs: readonly TrunkSpec[]): readonly Problem[] {
  if (pinned.charter === undefined) return [];
  const { charter, warnings } = pinned.charter;
  if (charter.members.length === 0) return warnings;
  const posts = postsOf(pinned.brief);
  return [
    ...warnings,
    ...idle(charter),
    ...crowded(charter),
    ...withoutChief(charter, posts),
    ...alike(charter, posts),
    ...unreachable(charter, specs),
  ];
}

function idle(charter: Charter): readonly Problem[] {
  const [first, ...more] = unroutable(charter);
  if (first === undefined) return [];
  const what = `${named([first, ...more])} ${more.length === 0 ? 'has' : 'have'} no domain, and others have: no spec is routed there, only what is delegated`;
  return [doubt(first.place, what, 'Give the role a domain: - **Domain:** testing')];
}

function crowded({ departments, members, policies: { anyDepartment } }: Charter): readonly Problem[] {
  return departments.flatMap(({ id, name, cap, place }) => {
    const count = members.filter(({ department }) => department === id).length;
    const most = cap ?? anyDepartment;
    if (most === undefined || count <= most.value) return [];
    const what = `${name} has ${count} agents, and at most ${most.value} (${most.from})`;
    return [doubt(place, what, 'Lower a count, or raise the cap.')];
  });
}

function withoutChief(charter: Charter, posts: readonly Post[]): readonly Problem[] {
  if (posts.some(({ duties }) => duties.includes('chief'))) return [];
  const { value, from } = charter.policies.permissions.create;
  const what = `nobody may write specs: L${value}+ can (${from}), and nobody is of that level. Only people's are worked on`;
  return [doubt(charter.members[0]?.place, what, 'Raise the level of a lead, or lower who may create specs.')];
}

/** Of two who think alike one overlooks what the other overlooked. */
function alike(charter: Charter, posts: readonly Post[]): readonly Problem[] {
  const checkers = posts.filter(({ duties, choice }) => duties.includes('checker') && choice.kind === 'api');
  if (checkers.length === 0) return [];
  const alone = posts.filter(
    ({ id, duties, choice }) =>
      duties.includes('junior') &&
      choice.kind === 'api' &&
      !checkers.some((checker) => checker.id !== id && hasOtherModel(checker.choice, choice)),
  );
  const [first] = alone;
  if (first === undefined) return [];
  const what = `what ${named(alone)} makes can be checked only by the same model: it overlooks what it overlooked`;
  const place = charter.members.find(({ id }) => id === first.id)?.place;
  return [doubt(place, what, 'Give a role that may review another model.')];
}

/** Specs whose domain is nobody's: they go to the top of the chart. */
function unreachable(charter: Charter, specs: readonly TrunkSpec[]): readonly Problem[] {
  const candidates = charter.members.map((member) => ({ member, open: 0, trust: newcomer(member.id) }));
  return specs.flatMap(({ spec, file }) => {
    if (spec.domain === undefined) return [];
    const route = routeSpec({ ...spec, priority: 'normal', risk: 'low' }, candidates, charter);
    if (route.kind === 'work') return [];
    return [
      doubt(
        { file, line: 1, column: 1 },
        `${spec.title}: ${route.why}`,
        'Name a domain of the chart, or give it to a role.',
      ),
    ];
  });
}

function named(members: readonly Pick<Member, 'id'>[]): string {
  const some = members.slice(0, 4).map(({ id }) => id);
  return members.length > 4 ? `${some.join(', ')} and ${members.length - 4} more` : some.join(', ');
}

const doubt = (place: Place | undefined, what: string, hint: string): Problem =>
  problemAt('org/structure', place ?? { file: 'ORG.md', line: 1, column: 1 }, what, hint);
