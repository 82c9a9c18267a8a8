import { isAnybody, speakerIn } from '../../domain/rules/request.ts';
import { charterNow } from '../../org/force/in-force.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

/**
 * The person who gives the order, by the name in the chart, else by git's. Refuses a person with `Can pause: no` before anything is
 * written. A chart that cannot be read refuses nobody, because a run that goes wrong must be stoppable.
 */
export async function personWhoMay(org: Org, call: VerbCall, verb: string): Promise<string> {
  const as = call.value('as');
  const people = (await charterNow(org))?.people ?? [];
  const git = await org.person();
  const person = speakerIn(people, { as, ...git });
  const may = people.filter(({ mayPause }) => mayPause).map(({ id }) => id);
  if (person === undefined && as !== undefined && people.length > 0)
    throw new Problem(
      'org/approval',
      `${as} is not listed as a person in ORG.md`,
      `They are ${people.map(({ id }) => id).join(', ')}.`,
    );
  if (person === undefined) return git.name;
  if (person.mayPause) return isAnybody(person) ? git.name : person.id;
  throw new Problem(
    'org/approval',
    `${person.id} may not ${verb} anything here: ORG.md says so`,
    may.length === 0
      ? 'Nobody of the org may: let somebody in ORG.md, by taking out "Can pause: no".'
      : `It is for ${may.join(' or ')}: ask, or say who you are with --as, where git knows you by another name.`,
  );
}
