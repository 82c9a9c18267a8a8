import { speakerIn } from '../../../domain/rules/request.ts';
import { answerAgainst, type Escalation, type EscalationAnswer } from '../../../domain/staff/escalation.ts';
import { pinNow } from '../../../org/force/charter-now.ts';
import type { Org } from '../../../records/org.ts';
import { inWords, readEscalations, writeAnswer } from '../../../records/requests/escalations.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { VerbCall } from '../../kit/command.ts';
import { refuseAgents } from './decide-request.ts';

/** `E3`: somebody is stuck. */
export const isEscalationId = (word: string): boolean => /^e[0-9]{1,9}$/i.test(word);

/** A person's answer, at any time: what was missing, so that the work goes on; or the end of it. */
export async function decideEscalation(
  org: Org,
  call: VerbCall,
  name: 'approve' | 'deny',
  word: string,
): Promise<number> {
  refuseAgents(await org.person());
  const escalation = await findEscalation(org, word.toUpperCase());
  const { id, spec } = escalation.raised;
  const text = (call.value('note') ?? call.value('reason') ?? '').trim();
  const answer: EscalationAnswer = { kind: name === 'approve' ? 'context' : 'close', text };
  if (name === 'deny' && text === '')
    throw new Problem(
      'usage/option',
      `why is ${id} closed?`,
      `For example: npx orgrepo deny ${id} --reason "not worth it"`,
    );
  const { by, against } = await speaker(org, escalation, answer, call.value('as'));
  if (against !== undefined)
    throw new Problem('usage/argument', `${id}: ${against}`, 'See what waits: npx orgrepo status');
  const follow = await writeAnswer(org, escalation, { id: by, isPerson: true }, answer);
  if (call.json)
    call.out(`${formatJson({ schema: 'orgrepo/steer@1', did: name, escalation: id, spec, follow: follow?.id })}\n`);
  else
    call.out(`${id} is answered, ${inWords(answer)}${follow === undefined ? '' : `: ${follow.id} ${follow.title}`}\n`);
  return 0;
}

async function findEscalation(org: Org, id: string): Promise<Escalation> {
  const found = (await readEscalations(org, Date.now() / 1000)).find(({ raised }) => raised.id === id);
  if (found !== undefined) return found;
  throw new Problem('usage/argument', `there is no escalation ${id}`, 'See what waits: npx orgrepo status');
}

async function speaker(
  org: Org,
  escalation: Escalation,
  answer: EscalationAnswer,
  as: string | undefined,
): Promise<{ readonly by: string; readonly against: string | undefined }> {
  const git = await org.person();
  const { charter: reading } = await pinNow(org);
  const charter = reading?.charter;
  if (charter === undefined) return { by: git.name, against: undefined };
  const person = speakerIn(charter.people, { as, ...git });
  if (person === undefined)
    throw new Problem(
      'org/approval',
      `${as ?? git.name} is none of the people of the org`,
      `They are ${charter.people.map(({ id }) => id).join(', ')}: say who you are with --as.`,
    );
  return { by: person.id, against: answerAgainst(escalation, { id: person.id, isPerson: true }, answer, charter) };
}
