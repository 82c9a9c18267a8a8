import { chiefFindsIdeasIn } from '../../agents/choose-agent.ts';
import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import { higherRisk, isAtLeast, riskOf } from '../../domain/words/risk.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import { checkersFor, criticsFor, hasOtherModel } from '../../org/rules/reviewers.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { contentOf, entriesOfZones, zonesOf } from '../../score/arena/zone-files.ts';
import type { Problem } from '../../text/problem.ts';
import { importSpecs, type TrunkSpec } from '../trunk-specs.ts';

/** Whoever should look at what is risky, and is not there, or thinks as its maker does. */
export async function missingReviewers(org: Org, pinned: PinnedBrief, specs: readonly TrunkSpec[]): Promise<Problem[]> {
  const { brief } = pinned;
  const open = [...specs.map(({ spec }) => spec), ...((await readQueue(org))?.specs ?? [])];
  const risk = open.reduce((most, spec) => higherRisk(most, riskOf(spec, brief)), brief.risk);
  const juniors = agentsWithDuty(brief, 'junior');
  const warn = (key: string, what: string, hint: string): Promise<Problem> =>
    problemInBrief(org, pinned, 'brief/value', [key], what, hint);
  const found: Promise<Problem>[] = [];
  if (isAtLeast(risk, 'medium') && juniors.every((junior) => criticsFor(brief.staff, junior).length === 0))
    found.push(
      warn(
        'risk',
        `there is work of ${risk} risk, and no critics: nobody challenges its plans`,
        'Write critics: [{ model: … }], of another house than the juniors.',
      ),
    );
  const alike = juniors.filter((agent) => {
    const [first] = checkersFor(brief.staff, { agent, model: undefined }, 0);
    return first !== undefined && !hasOtherModel(first.choice, choiceOf(brief.staff, agent));
  });
  if (
    isAtLeast(risk, 'high') &&
    checkersFor(brief.staff, { agent: juniors[0] ?? '', model: undefined }, 0).length === 0
  )
    found.push(
      warn(
        'risk',
        `there is work of ${risk} risk, and no checker that is a model: every win of it waits for you`,
        'Write checker: { model: … }, another than the juniors.',
      ),
    );
  else if (isAtLeast(risk, 'high') && alike.length > 0)
    found.push(
      warn(
        'checker',
        `what ${alike.join(', ')} makes is checked by the same model: it overlooks what it overlooked`,
        'Name a checker of another model.',
      ),
    );
  return Promise.all(found);
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
    const hint = 'Say what to try: npx orgrepo submit "what to try", or a file in specs/.';
    return [
      await problemInBrief(
        org,
        pinned,
        'spec/missing',
        ['chief', 'agent'],
        'no spec is open, and the chief is a person',
        hint,
      ),
    ];
  }
  const zones = zonesOf(pinned.brief);
  for (const [path, { oid, mode }] of await entriesOfZones(org.repo, tree, zones)) {
    const mayChange = zones.sandbox.names(path) && mode.startsWith('100');
    if (mayChange && chiefFindsIdeasIn(path, await contentOf(org.repo, oid))) return [];
  }
  const what = 'no spec is open, and the chief finds no number or choice in the sandbox to write one about';
  const hint = 'Say what to try, or the night ends at once: npx orgrepo submit "what to try", or a file in specs/.';
  return [await problemInBrief(org, pinned, 'spec/missing', ['agent'], what, hint)];
}

/** On the queue, or on the trunk and still to be put there. */
async function checkOpenSpecs(org: Org, specs: readonly TrunkSpec[]): Promise<boolean> {
  const queue = await readQueue(org);
  if (queue === undefined) return specs.length > 0;
  return queue.specs.length > 0 || (await importSpecs(org, queue, specs)).added.length > 0;
}
