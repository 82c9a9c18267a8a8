import { type GitPerson, isAnybody, isListed, personCalled, speakerIn } from '../../domain/rules/request.ts';
import type { Person } from '../../domain/staff/charter.ts';
import { agentOf } from '../../domain/staff/staff.ts';
import { charterNow } from '../../org/force/in-force.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

/**
 * The person of the org who is at the keyboard. Anybody can type `--as board`, so it counts only where ORG.md lists the address
 * that git has of them under that name.
 */
export function speakerAs(people: readonly Person[], as: string | undefined, git: GitPerson): Person | undefined {
  const known = speakerIn(people, git);
  if (as === undefined || people.length === 0) return known;
  const named = personCalled(people, [as]);
  if (named === undefined)
    throw new Problem(
      'org/approval',
      `${as} is not listed as a person in ORG.md`,
      `The people are ${people.map(({ id }) => id).join(', ')}.`,
    );
  if (named === known || isListed(named, git.email)) return named;
  throw new Problem(
    'org/approval',
    `you are ${git.name} <${git.email}>, and ORG.md does not list that address under ${named.id}`,
    `If you are ${named.id}, add this line below ${named.id} in ORG.md, commit it and run orgrepo apply:  - **Git:** ${git.email}`,
  );
}

/**
 * The person who gives the order, by the name in the chart, else by git's. Refuses a person with `Can pause: no` before anything is
 * written. A chart that cannot be read refuses nobody, because a run that goes wrong must be stoppable.
 */
export async function personWhoMay(org: Org, call: VerbCall, verb: string): Promise<string> {
  await refuseAgents(org);
  const people = (await charterNow(org))?.people ?? [];
  const git = await org.person();
  const person = speakerAs(people, call.value('as'), git);
  const may = people.filter(({ mayPause }) => mayPause).map(({ id }) => id);
  if (person === undefined) return git.name;
  if (person.mayPause) return isAnybody(person) ? git.name : person.id;
  throw new Problem(
    'org/approval',
    `${person.id} may not ${verb} anything here: ORG.md says so`,
    may.length === 0
      ? 'No person in ORG.md may. Take out "Can pause: no" below one of them.'
      : `It is for ${may.join(' or ')}. Ask them.`,
  );
}

/** An agent that reaches a shell has its name in the environment of its process. */
export async function refuseAgents(org: Org): Promise<void> {
  const { email } = await org.person();
  const agent = process.env.ORGREPO_AGENT ?? (agentOf(email) === undefined ? undefined : email);
  if (agent === undefined) return;
  throw new Problem('org/approval', `${agent} is an agent, and only people decide`, 'Ask a person of the org.');
}
