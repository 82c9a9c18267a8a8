import { type ActRequest, coveredBy, lackingOf, mayApprove } from '../../../domain/rules/request.ts';
import { answerAgainst, type Escalation, type EscalationAnswer } from '../../../domain/staff/escalation.ts';
import { agentOf } from '../../../domain/staff/staff.ts';
import { pinNow } from '../../../org/force/in-force.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { writeCheckpoint } from '../../../records/checkpoints.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import {
  type Answerable,
  answerAct,
  answerEscalation,
  answerInWords,
  answerKeep,
  findRequest,
  readActs,
} from '../../../records/requests/requests.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { experimentNumber, noExperiment } from '../../kit/find-experiment.ts';
import { asOption, reasonOption } from '../../kit/options.ts';
import { speakerAs } from '../../kit/person-who-may.ts';
import { withOrg, withOrgToWrite } from '../../kit/with-org.ts';

export const approve: Command = {
  ...decision('approve'),
  summary: 'Says yes to a win or an act that waits for a person; without one, lists the acts.',
  arguments: ['[n|A3|E3]'],
  examples: ['npx orgrepo approve 17 --reason "read it twice"', 'npx orgrepo approve A3 --reason "this once"'],
};

export const deny: Command = {
  ...decision('deny'),
  summary: 'Says no to a win or an act that waits for a person.',
  arguments: ['<n|A3|E3>'],
  examples: ['npx orgrepo deny 17 --reason "breaks the invoices"', 'npx orgrepo deny A3 --reason "not this month"'],
};

/** What a person says, as it was typed. */
interface Said {
  readonly verb: 'approve' | 'deny';
  readonly approves: boolean;
  readonly reason: string;
  readonly as: string | undefined;
}

/** A person's answer to a request: a commit on the queue. The run that goes on acts on it, or else the next one. */
function decision(verb: Said['verb']): Pick<Command, 'name' | 'options' | 'run'> {
  return {
    name: verb,
    options: {
      ...reasonOption,
      note: { type: 'string', value: 'text', help: 'the same as --reason', unlisted: true },
      ...asOption,
    },
    run: (call) => {
      const [word] = call.words;
      if (word === undefined) return withOrg(call, (org) => listActs(org, call));
      const reason = (call.value('reason') ?? call.value('note') ?? '').trim();
      const said: Said = { verb, approves: verb === 'approve', reason, as: call.value('as') };
      return withOrgToWrite(call, async (org) => {
        await refuseAgents(org);
        const request = await requestNamed(org, word, verb);
        if (request.kind === 'keep') await decideKeep(org, call, said, request);
        else if (request.kind === 'act') await decideAct(org, call, said, request);
        else await decideEscalation(org, call, said, request);
        await writeCheckpoint(org, `${verb} ${request.id}`);
        return 0;
      });
    },
  };
}

/** What waits, the oldest first. */
async function listActs(org: Org, call: VerbCall): Promise<number> {
  const waiting = (await readActs(org, Date.now() / 1000)).filter(({ stage }) => stage.kind === 'waits');
  const lines = waiting.map((request) => {
    const { id, words, reason, until } = request.asked;
    const lacks = lackingOf(request);
    const needs = lacks.length === 0 ? '' : `; needs ${lacks.join(' and ')}`;
    return `${id}  ${words}: ${reason}${needs}; until ${utc(until)}\n`;
  });
  const json = waiting.map((one) => ({ ...one.asked, lacks: lackingOf(one) }));
  call.answer({ schema: 'orgrepo/requests@1', waiting: json }, lines.join(''));
  if (waiting.length === 0) call.say('nothing waits for you here. Changes that do: npx orgrepo status\n');
  return 0;
}

const utc = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** An agent that reaches a shell has its name in the environment of its process. */
async function refuseAgents(org: Org): Promise<void> {
  const { email } = await org.person();
  const agent = process.env.ORGREPO_AGENT ?? (agentOf(email) === undefined ? undefined : email);
  if (agent === undefined) return;
  throw new Problem('org/approval', `${agent} is an agent, and only people approve`, 'Ask a person of the org.');
}

/** The request that a person means by `17`, `#17`, `A3` or `e3`. */
async function requestNamed(org: Org, word: string, verb: Said['verb']): Promise<Answerable> {
  const isNumber = !/^[ae][0-9]{1,9}$/i.test(word);
  const n = isNumber ? experimentNumber(word, `For example: npx orgrepo ${verb} 7`) : 0;
  const id = isNumber ? `${n}` : word.toUpperCase();
  const found = await findRequest(org, id, Date.now() / 1000);
  if (found !== undefined) return found;
  if (isNumber) throw noExperiment(n);
  const [what, list] = id.startsWith('A') ? ['request', 'approve'] : ['escalation', 'status'];
  throw new Problem('usage/argument', `there is no ${what} ${id}`, `See what waits: npx orgrepo ${list}`);
}

/** `17`: a win. An org may want everything approved that is landed, and most wins do not wait before that. */
async function decideKeep(
  org: Org,
  call: VerbCall,
  said: Said,
  request: Extract<Answerable, { kind: 'keep' }>,
): Promise<void> {
  const { verb, approves } = said;
  const { n, spec, title, event } = request.experiment;
  if (!request.waits && !(approves && event === 'keep'))
    throw new Problem(
      'usage/argument',
      `#${n} does not wait for a person`,
      'What does stands under NEEDS YOU: npx orgrepo status',
    );
  const { name: by } = await org.person();
  await answerKeep(org, request, { approves, by, reason: oneLine(said.reason) });
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, n, spec },
    `${approves ? 'approved' : 'denied'}: #${n} ${title}\n`,
  );
  if (!request.waits) call.say('It counts when it is landed: npx orgrepo land\n');
  else if (currentRunner(org) !== undefined) call.say('The run that goes on acts upon it.\n');
  else call.say('It counts with the next run: npx orgrepo run\n');
}

/** `A3`: an act. The answer holds for a day, and a yes lets this act pass once. */
async function decideAct(org: Org, call: VerbCall, said: Said, request: ActRequest): Promise<void> {
  const { verb, approves } = said;
  const { id, asked } = request;
  refuseSettled(request);
  const reason = oneLine(said.reason);
  if (!approves && reason === '') throw unexplained(`why is ${id} denied?`, id, 'not now');
  const { by, as } = await nameFor(org, asked, said.as);
  await answerAct(org, request, { approves, as, by, reason });
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, request: id, by, as },
    `${approves ? 'approved' : 'denied'}: ${id} ${asked.words}\n`,
  );
  if (!approves) return;
  const answered = await findRequest(org, id, Date.now() / 1000); // With what others have said before, or just now.
  const lacks = answered?.kind === 'act' ? lackingOf(answered) : [];
  if (lacks.length > 0) call.say(`It waits for ${lacks.join(' and ')} as well.\n`);
  else call.say('It counts once, for this very act, within 24 hours.\n');
}

/** `E3`: an agent that is stuck. The answer is what was missing, so that the work goes on; or the end of it. */
async function decideEscalation(org: Org, call: VerbCall, said: Said, request: Escalation): Promise<void> {
  const { id } = request;
  const { verb, approves, reason: text } = said;
  if (!approves && text === '') throw unexplained(`why is ${id} closed?`, id, 'not worth it');
  const answer: EscalationAnswer = { kind: approves ? 'context' : 'close', text };
  const by = await speakerOn(org, request, answer, said.as);
  const follow = await answerEscalation(org, request, { id: by, isPerson: true }, answer);
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, escalation: id, spec: request.raised.spec, follow: follow?.id },
    `${id} is answered, ${answerInWords(answer)}${follow === undefined ? '' : `: ${follow.id} ${follow.title}`}\n`,
  );
}

const unexplained = (what: string, id: string, example: string): Problem =>
  new Problem('usage/option', what, `For example: npx orgrepo deny ${id} --reason "${example}"`);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function refuseSettled({ id, stage }: ActRequest): void {
  if (stage.kind === 'waits' || stage.kind === 'approved') return;
  const what = {
    denied: 'was denied',
    used: 'was approved, and is done',
    expired: 'has expired: nobody answered in time',
  };
  throw new Problem('usage/argument', `${id} ${what[stage.kind]}`, 'See what waits: npx orgrepo approve');
}

/** The person who answers, and the names for which that counts. */
async function nameFor(
  org: Org,
  asked: ActRequest['asked'],
  as: string | undefined,
): Promise<{ readonly by: string; readonly as: readonly string[] }> {
  const git = await org.person();
  const people = (await pinBrief(org, await trunkTip(org))).charter?.charter.people ?? [];
  if (people.length === 0) return { by: git.name, as: asked.by.length === 0 ? [git.name] : asked.by };
  const person = speakerAs(people, as, git);
  const covered = person === undefined ? [] : coveredBy(person, asked);
  if (person !== undefined && covered.length > 0) return { by: person.id, as: covered };
  const may = mayApprove(people, asked);
  throw new Problem(
    'org/approval',
    `${person?.id ?? git.name} may not approve ${asked.id}: ${asked.words}`,
    may.length === 0
      ? `No person in ORG.md approves ${asked.by.join(' and ') || asked.act}. Name one there.`
      : `It is for ${may.join(' or ')}. Ask them: npx orgrepo approve ${asked.id}`,
  );
}

/** The person who answers. Refuses one whom the org in force does not let give this answer. */
async function speakerOn(
  org: Org,
  escalation: Escalation,
  answer: EscalationAnswer,
  as: string | undefined,
): Promise<string> {
  const git = await org.person();
  const charter = (await pinNow(org)).charter?.charter;
  if (charter === undefined) return git.name;
  const person = speakerAs(charter.people, as, git);
  if (person === undefined)
    throw new Problem(
      'org/approval',
      `${git.name} <${git.email}> is not listed as a person in ORG.md`,
      `The people are ${charter.people.map(({ id }) => id).join(', ')}. Add your address below one of them: - **Git:** ${git.email}`,
    );
  const against = answerAgainst(escalation, { id: person.id, isPerson: true }, answer, charter);
  if (against === undefined) return person.id;
  throw new Problem('usage/argument', `${escalation.id}: ${against}`, 'See what waits: npx orgrepo status');
}
