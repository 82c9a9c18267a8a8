import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import { higherRisk, isAtLeast, riskOf } from '../../domain/words/spec.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import { checkersFor, criticsFor, hasOtherModel } from '../../org/rules/reviewers.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import type { Problem } from '../../text/problem.ts';
import type { TrunkSpec } from '../trunk-specs.ts';

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
