import { coveredBy, lackingOf, mayApprove, type Request, speakerIn } from '../../../domain/rules/request.ts';
import { answerAgainst, type Escalation, type EscalationAnswer } from '../../../domain/staff/escalation.ts';
import { pinNow } from '../../../org/force/in-force.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { writeApproval } from '../../../records/requests/approvals.ts';
import { inWords, readEscalations, writeAnswer } from '../../../records/requests/escalations.ts';
import { answerRequest, readRequests } from '../../../records/requests/requests.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { findExperiment } from '../../kit/find-experiment.ts';
import { asOption, reasonOption } from '../../kit/options.ts';
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

/** A person's word on what waits for it: a commit on the queue, which the run that goes on, or the next, acts upon. */
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
      if (word === undefined) return withOrg(call, (org) => listRequests(org, call));
      const reason = (call.value('reason') ?? call.value('note') ?? '').trim();
      const said: Said = { verb, approves: verb === 'approve', reason, as: call.value('as') };
      return withOrgToWrite(call, async (org) => {
        if (/^[ae][0-9]{1,9}$/i.test(word)) refuseAgents(await org.person());
        if (/^e[0-9]{1,9}$/i.test(word)) await decideEscalation(org, call, said, word.toUpperCase());
        else if (/^a[0-9]{1,9}$/i.test(word)) await decideRequest(org, call, said, word.toUpperCase());
        else await decideKeep(org, call, said, word);
        return 0;
      });
    },
  };
}

/** `17`: a win. */
async function decideKeep(org: Org, call: VerbCall, { verb, approves, reason }: Said, word: string): Promise<void> {
  const { experiment, notebook } = await findExperiment(org, word, verb);
  const { n, commit, title } = experiment;
  const isWaited = notebook.waits === commit;
  // An org may want everything reviewed that is landed, and most wins wait for nobody before.
  if (!isWaited && !(approves && experiment.event === 'keep'))
    throw new Problem(
      'usage/argument',
      `#${n} does not wait for a person`,
      'What does stands under NEEDS YOU: npx orgrepo status',
    );
  const { name: by } = await org.person();
  await writeApproval(org, notebook.spec, n, { approves, by, reason: oneLine(reason), keep: commit });
  const runs = currentRunner(org) !== undefined;
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, n, spec: notebook.spec },
    `${approves ? 'approved' : 'denied'}: #${n} ${title}\n`,
  );
  if (!isWaited) call.say('It counts when it is landed: npx orgrepo land\n');
  else call.say(runs ? 'The run that goes on acts upon it.\n' : 'It counts with the next run: npx orgrepo run\n');
}

/** `A3`: an act. The word names the act, holds for a day, and lets it pass once. */
async function decideRequest(org: Org, call: VerbCall, said: Said, id: string): Promise<void> {
  const { verb, approves } = said;
  const request = await findRequest(org, id);
  refuseSettled(request);
  const reason = oneLine(said.reason);
  if (!approves && reason === '') throw unexplained(`why is ${id} denied?`, id, 'not now');
  const { by, as } = await nameFor(org, request.asked, said.as);
  await answerRequest(org, request, { approves, as, by, reason });
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, request: id, by, as },
    `${approves ? 'approved' : 'denied'}: ${id} ${request.asked.words}\n`,
  );
  const lacks = lackingOf(await findRequest(org, id)); // With what others have said before, or just now.
  if (lacks.length > 0 && approves) call.say(`It waits for ${lacks.join(' and ')} as well.\n`);
  else if (approves) call.say('It counts once, for this very act, within 24 hours.\n');
}

/** `E3`: an agent that is stuck. The answer is what was missing, so that the work goes on; or the end of it. */
async function decideEscalation(org: Org, call: VerbCall, said: Said, id: string): Promise<void> {
  const escalation = (await readEscalations(org, Date.now() / 1000)).find(({ raised }) => raised.id === id);
  if (escalation === undefined)
    throw new Problem('usage/argument', `there is no escalation ${id}`, 'See what waits: npx orgrepo status');
  const { verb, approves, reason: text } = said;
  if (!approves && text === '') throw unexplained(`why is ${id} closed?`, id, 'not worth it');
  const answer: EscalationAnswer = { kind: approves ? 'context' : 'close', text };
  const by = await speakerOn(org, escalation, answer, said.as);
  const follow = await writeAnswer(org, escalation, { id: by, isPerson: true }, answer);
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, escalation: id, spec: escalation.raised.spec, follow: follow?.id },
    `${id} is answered, ${inWords(answer)}${follow === undefined ? '' : `: ${follow.id} ${follow.title}`}\n`,
  );
}

const unexplained = (what: string, id: string, example: string): Problem =>
  new Problem('usage/option', what, `For example: npx orgrepo deny ${id} --reason "${example}"`);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** What waits, the oldest first. */
async function listRequests(org: Org, call: VerbCall): Promise<number> {
  const waiting = (await readRequests(org, Date.now() / 1000)).filter(({ stage }) => stage.kind === 'waits');
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

/** An agent that found its way to a shell has the run's own name for it in its environment. */
function refuseAgents({ email }: { readonly email: string }): void {
  const agent = process.env.ORGREPO_AGENT ?? (email.endsWith('@agents.invalid') ? email : undefined);
  if (agent === undefined) return;
  throw new Problem('org/approval', `${agent} is an agent, and only people approve`, 'Ask a person of the org.');
}

async function findRequest(org: Org, id: string): Promise<Request> {
  const found = (await readRequests(org, Date.now() / 1000)).find(({ asked }) => asked.id === id);
  if (found !== undefined) return found;
  throw new Problem('usage/argument', `there is no request ${id}`, 'See what waits: npx orgrepo approve');
}

function refuseSettled({ asked, stage }: Request): void {
  if (stage.kind === 'waits' || stage.kind === 'approved') return;
  const what = {
    denied: 'was denied',
    used: 'was approved, and is done',
    expired: 'has expired: nobody answered in time',
  };
  throw new Problem('usage/argument', `${asked.id} ${what[stage.kind]}`, 'See what waits: npx orgrepo approve');
}

/** Whose word it is, and for which of the names it counts. */
async function nameFor(
  org: Org,
  asked: Request['asked'],
  as: string | undefined,
): Promise<{ readonly by: string; readonly as: readonly string[] }> {
  const git = await org.person();
  const people = (await pinBrief(org, await trunkTip(org))).charter?.charter.people ?? [];
  if (people.length === 0) return { by: git.name, as: asked.by.length === 0 ? [git.name] : asked.by };
  const person = speakerIn(people, { as, ...git });
  const covered = person === undefined ? [] : coveredBy(person, asked);
  if (person !== undefined && covered.length > 0) return { by: person.id, as: covered };
  const may = mayApprove(people, asked);
  throw new Problem(
    'org/approval',
    `${person?.id ?? as ?? git.name} may not approve ${asked.id}: ${asked.words}`,
    may.length === 0
      ? `Nobody of the org approves ${asked.by.join(' and ') || asked.act}: name somebody in ORG.md.`
      : `It is for ${may.join(' or ')}: npx orgrepo approve ${asked.id} --as ${may[0]}`,
  );
}

/** Whose answer it is. Refuses a person whom the org in force does not let give it. */
async function speakerOn(
  org: Org,
  escalation: Escalation,
  answer: EscalationAnswer,
  as: string | undefined,
): Promise<string> {
  const git = await org.person();
  const charter = (await pinNow(org)).charter?.charter;
  if (charter === undefined) return git.name;
  const person = speakerIn(charter.people, { as, ...git });
  if (person === undefined)
    throw new Problem(
      'org/approval',
      `${as ?? git.name} is none of the people of the org`,
      `They are ${charter.people.map(({ id }) => id).join(', ')}: say who you are with --as.`,
    );
  const against = answerAgainst(escalation, { id: person.id, isPerson: true }, answer, charter);
  if (against === undefined) return person.id;
  throw new Problem('usage/argument', `${escalation.raised.id}: ${against}`, 'See what waits: npx orgrepo status');
}

const utc = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
