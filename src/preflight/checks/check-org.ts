import { findsIdeasIn } from '../../agents/search/search-chief.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { agentsWithDuty, choiceOf, type Post, postsOf } from '../../domain/staff/staff.ts';
import { newcomer } from '../../domain/staff/trust.ts';
import { higherRisk, isAtLeast, riskOf } from '../../domain/words/spec.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import { checkersFor, criticsFor, hasOtherModel, type Reviewer } from '../../org/rules/roster.ts';
import { routeSpec, unroutable } from '../../org/rules/route.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { contentOf } from '../../score/arena/arena-directory.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { type Place, type Problem, problemAt } from '../../text/problem.ts';
import { importSpecs, type TrunkSpec } from '../open-checked.ts';

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
    ...idleEffort(charter, posts),
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

/** Only a model that is asked through its API can be told how hard to think. */
function idleEffort({ members }: Charter, posts: readonly Post[]): readonly Problem[] {
  const asked = posts.flatMap(({ id, choice }) => (choice.kind === 'api' ? [id] : []));
  const idle = members.find(({ id, effort }) => effort !== undefined && !asked.includes(id));
  if (idle === undefined) return [];
  const what = `${idle.id} has an effort, and asks no model through its API: it is not used`;
  return [doubt(idle.place, what, 'Give the role a model, or take its Effort out.')];
}

/** Specs whose domain is nobody's: they go to the top of the chart. */
function unreachable(charter: Charter, specs: readonly TrunkSpec[]): readonly Problem[] {
  const candidates = charter.members.map((member) => ({ member, open: 0, trust: newcomer(member.id) }));
  return specs.flatMap(({ spec, file }) => {
    if (spec.domain === undefined) return [];
    const route = routeSpec({ ...spec, priority: 'normal', risk: 'low' }, candidates, charter);
    if (route.kind === 'work') return [];
    const hint = 'Name a domain of the chart, or give it to a role.';
    return [doubt({ file, line: 1, column: 1 }, `${spec.title}: ${route.why}`, hint)];
  });
}

function named(members: readonly Pick<Member, 'id'>[]): string {
  const some = members.slice(0, 4).map(({ id }) => id);
  return members.length > 4 ? `${some.join(', ')} and ${members.length - 4} more` : some.join(', ');
}

const doubt = (place: Place | undefined, what: string, hint: string): Problem =>
  problemAt('org/structure', place ?? { file: 'ORG.md', line: 1, column: 1 }, what, hint);

/** Reviewers of what is risky that are not there, or think as its maker does. */
export async function missingReviewers(org: Org, pinned: PinnedBrief, specs: readonly TrunkSpec[]): Promise<Problem[]> {
  const { brief } = pinned;
  const open = [...specs.map(({ spec }) => spec), ...((await readQueue(org))?.specs ?? [])];
  const risk = open.reduce((most, spec) => higherRisk(most, riskOf(spec, brief)), brief.risk);
  const juniors = agentsWithDuty(brief, 'junior');
  const checkers = (agent: string): readonly Reviewer[] => checkersFor(brief.staff, { agent, model: undefined }, 0);
  const alike = juniors.filter((agent) => {
    const [first] = checkers(agent);
    return first !== undefined && !hasOtherModel(first.choice, choiceOf(brief.staff, agent));
  });
  const found: Omit<Parameters<typeof problemInBrief>[2], 'code'>[] = [];
  if (isAtLeast(risk, 'medium') && juniors.every((junior) => criticsFor(brief.staff, junior).length === 0))
    found.push({
      at: ['risk'],
      what: `there is work of ${risk} risk, and no critics: nobody challenges its plans`,
      hint: 'Write critics: [{ model: … }], of another house than the juniors.',
    });
  if (isAtLeast(risk, 'high') && checkers(juniors[0] ?? '').length === 0)
    found.push({
      at: ['risk'],
      what: `there is work of ${risk} risk, and no checker that is a model: every win of it waits for you`,
      hint: 'Write checker: { model: … }, another than the juniors.',
    });
  else if (isAtLeast(risk, 'high') && alike.length > 0)
    found.push({
      at: ['checker'],
      what: `what ${alike.join(', ')} makes is checked by the same model: it overlooks what it overlooked`,
      hint: 'Name a checker of another model.',
    });
  return Promise.all(found.map((wrong) => problemInBrief(org, pinned, { code: 'brief/value', ...wrong })));
}

/** A night of a person's own agents that nobody has given anything to do: it would end before it began. */
export async function missingIdeas(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  specs: readonly TrunkSpec[],
): Promise<Problem[]> {
  const { chief, juniors } = pinned.brief.staff;
  const waits = chief.kind === 'human' || (chief.kind === 'search' && juniors.every(({ kind }) => kind !== 'search'));
  if (!waits || (await checkOpenSpecs(org, specs))) return [];
  if (chief.kind === 'human') {
    const what = 'no spec is open, and the chief is a person';
    const hint = 'Say what to try: orgrepo submit "what to try", or a file in specs/.';
    return [await problemInBrief(org, pinned, { code: 'spec/missing', at: ['chief', 'agent'], what, hint })];
  }
  const zones = zonesOf(pinned.brief);
  for (const [path, { oid, mode }] of await entriesOfZones(org.repo, tree, zones)) {
    const mayChange = zones.sandbox.names(path) && mode.startsWith('100');
    if (mayChange && findsIdeasIn(path, await contentOf(org.repo, oid))) return [];
  }
  const what = 'no spec is open, and the chief finds no number or choice in the sandbox to write one about';
  const hint = 'Say what to try, or the night ends at once: orgrepo submit "what to try", or a file in specs/.';
  return [await problemInBrief(org, pinned, { code: 'spec/missing', at: ['agent'], what, hint })];
}

/** On the queue, or on the trunk and still to be put there. */
async function checkOpenSpecs(org: Org, specs: readonly TrunkSpec[]): Promise<boolean> {
  const queue = await readQueue(org);
  if (queue === undefined) return specs.length > 0;
  return queue.specs.length > 0 || (await importSpecs(org, queue, specs)).added.length > 0;
}
