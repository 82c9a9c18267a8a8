import { type ActRequest, coveredBy, lackingOf, mayApprove } from '../../domain/rules/request.ts';
import type { Subject } from '../../domain/rules/statement.ts';
import type { Person } from '../../domain/staff/charter.ts';
import { answerAgainst, type Escalation, type EscalationAnswer } from '../../domain/staff/escalation.ts';
import { pinNow } from '../../org/force/in-force.ts';
import { cleanBody } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import {
  type Answerable,
  answerAct,
  answerEscalation,
  answerInWords,
  answerKeep,
  answerKey,
  decisionsNow,
  findRequest,
  winSubject,
} from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { visible } from '../../terminal/visible.ts';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';
import { agreesTo } from './options.ts';
import { type Decider, deciderOf, noteIn } from './sign-decision.ts';

/** What a person says, as it was typed. */
export interface Said {
  readonly verb: 'approve' | 'deny';
  readonly approves: boolean;
  readonly reason: string;
}

/** Wins and acts can be decided together, with one signature. An escalation has an answer of its own. */
export type Decidable = Exclude<Answerable, Escalation>;

/** Decides wins and acts: all are checked before anything is asked, signed or written. False where the person says no to the list. */
export async function decideAll(
  org: Org,
  call: VerbCall,
  said: Said,
  requests: readonly Decidable[],
  people: readonly Person[],
): Promise<boolean> {
  for (const request of requests) refuseAnswered(said, request);
  const decider = await deciderOf(org, call, people);
  const names = new Map(requests.map((one) => [one.id, one.kind === 'act' ? namesFor(decider, people, one) : []]));
  const isList = requests.length > 1 || call.flag('all');
  // A statement names acts by their keys, so a person reads the words first.
  if (isList || decider.signing !== undefined) call.say(requests.map((one) => `${inWords(one)}\n`).join(''));
  if (isList) {
    const what = `${requests.length} requests are decided at once`;
    if (!(await agreesTo(call, what, `${said.verb} these ${requests.length}?`, 'nothing was decided'))) return false;
  }
  const note = noteIn(said.reason);
  const signed = await decider.sign({ kind: said.verb, note, about: await subjectsOf(org, requests) });
  for (const request of requests) {
    const answer = { approves: said.approves, by: decider.by, reason: note };
    if (request.kind === 'act') await answerAct(org, request, { ...answer, as: names.get(request.id) ?? [] }, signed);
    else await answerKeep(org, request, answer, signed);
  }
  sayDecided(call, said, decider.by, requests, names);
  await sayNext(org, call, said, requests);
  return true;
}

/** As their commits name them: a statement that names other commits answers other requests. */
async function subjectsOf(org: Org, requests: readonly Decidable[]): Promise<readonly Subject[]> {
  const state = await decisionsNow(org);
  return requests.map((one) => {
    const found = one.kind === 'keep' ? winSubject(state, one.id, one.experiment.commit) : state.asked.get(one.id);
    const { ask, act, agents } = found ?? { ask: undefined, act: '', agents: [] };
    return { id: one.id, ask, act, agents };
  });
}

const inWords = (request: Decidable): string =>
  visible(
    request.kind === 'keep'
      ? `#${request.id} ${request.experiment.title}`
      : `${request.id} ${request.asked.words}${alsoFor(request)}`,
  );

/** The agents that asked for the same later. */
export const alsoFor = ({ asked: { agents } }: ActRequest): string =>
  agents.length < 2 ? '' : ` (also ${agents.slice(1).join(', ')})`;

function sayDecided(
  call: VerbCall,
  { verb, approves }: Said,
  by: string,
  requests: readonly Decidable[],
  names: ReadonlyMap<string, readonly string[]>,
): void {
  const text = requests.map((one) => `${approves ? 'approved' : 'denied'}: ${inWords(one)}\n`).join('');
  const [first] = requests;
  const did = { schema: 'orgrepo/steer@1', did: verb };
  if (first === undefined || requests.length > 1)
    call.answer({ ...did, requests: requests.map(({ id }) => id), by }, text);
  else if (first.kind === 'keep') call.answer({ ...did, n: first.experiment.n, spec: first.experiment.spec }, text);
  else call.answer({ ...did, request: first.id, by, as: names.get(first.id) ?? [] }, text);
}

/** When the answers count, each thing said once. */
async function sayNext(org: Org, call: VerbCall, { approves }: Said, requests: readonly Decidable[]): Promise<void> {
  const said = new Set<string>();
  for (const request of requests) {
    if (request.kind === 'keep' && !request.waits) said.add('It counts when it is landed: orgrepo land');
    else if (request.kind === 'keep')
      said.add(
        currentRunner(org) === undefined
          ? 'It counts with the next run: orgrepo run'
          : 'The run that goes on acts upon it.',
      );
    else if (approves) {
      const answered = await findRequest(org, request.id, Date.now() / 1000); // With what others have said before, or just now.
      const lacks = answered?.kind === 'act' ? lackingOf(answered) : [];
      said.add(
        lacks.length > 0
          ? `It waits for ${lacks.join(' and ')} as well.`
          : 'It counts once, for this very act, within 24 hours.',
      );
    }
  }
  for (const line of said) call.say(`${line}\n`);
}

/** A win that does not wait can be approved before it is landed. A no needs a reason, and what was answered stays as it is. */
function refuseAnswered({ verb, approves, reason }: Said, request: Decidable): void {
  if (request.kind === 'act') {
    refuseSettled(request);
    if (!approves && reason === '') throw unexplained(`why is ${request.id} denied?`, request.id, 'not now');
    return;
  }
  const { n, event } = request.experiment;
  if (request.waits || (approves && event === 'keep')) return;
  throw new Problem(
    'usage/argument',
    `#${n} does not wait for a person`,
    `See what does, under NEEDS YOU: orgrepo status. ${verb === 'deny' ? 'Only what waits can be denied.' : ''}`.trim(),
  );
}

function refuseSettled({ id, stage }: ActRequest): void {
  if (stage.kind === 'waits' || stage.kind === 'approved') return;
  const what = {
    denied: 'was denied',
    used: 'was approved, and is done',
    expired: 'has expired: nobody answered in time',
  };
  throw new Problem('usage/argument', `${id} ${what[stage.kind]}`, 'See what waits: orgrepo approve');
}

/** The names for which the yes of this person counts. */
function namesFor(
  { signing, person, by }: Decider,
  people: readonly Person[],
  { asked }: ActRequest,
): readonly string[] {
  const known = signing?.rights.people ?? people;
  if (known.length === 0) return asked.by.length === 0 ? [by] : asked.by;
  const covered = person === undefined ? [] : coveredBy(person, asked);
  if (covered.length > 0) return covered;
  const may = mayApprove(known, asked);
  throw new Problem(
    'org/approval',
    `${by} may not approve ${asked.id}: ${asked.words}`,
    may.length === 0
      ? `No person in ORG.md approves ${asked.by.join(' and ') || asked.act}. Name one there.`
      : `It is for ${may.join(' or ')}. Ask them: orgrepo approve ${asked.id}`,
  );
}

/** `E3`: an agent that is stuck. The answer is what was missing, so that the work goes on; or the end of it. */
export async function decideStuck(
  org: Org,
  call: VerbCall,
  said: Said,
  request: Escalation,
  people: readonly Person[],
): Promise<void> {
  const { id } = request;
  const { verb, approves } = said;
  const text = cleanBody(hideSecrets(said.reason)); // As it is stored: what is signed is what stands there.
  if (!approves && text === '') throw unexplained(`why is ${id} closed?`, id, 'not worth it');
  const answer: EscalationAnswer = { kind: approves ? 'context' : 'close', text };
  const decider = await deciderOf(org, call, (await pinNow(org)).charter?.charter.people ?? people);
  const by = await answererOf(org, request, answer, decider);
  const { raised } = request;
  if (decider.signing !== undefined)
    call.say(visible(`${id} ${raised.by}, ${raised.reason}: ${raised.text}`).concat('\n'));
  const ask = (await decisionsNow(org)).asked.get(id)?.ask;
  const about = [{ id, ask, act: answerKey(answer), agents: [] }];
  const signed = await decider.sign({ kind: 'answer', note: noteIn(text), about });
  const follow = await answerEscalation(org, request, { id: by, isPerson: true }, answer, signed);
  call.answer(
    { schema: 'orgrepo/steer@1', did: verb, escalation: id, spec: request.raised.spec, follow: follow?.id },
    `${id} is answered, ${answerInWords(answer)}${follow === undefined ? '' : `: ${follow.id} ${follow.title}`}\n`,
  );
}

/** The person who answers. Refuses one whom the org in force does not let give this answer. */
async function answererOf(
  org: Org,
  escalation: Escalation,
  answer: EscalationAnswer,
  { person, by }: Decider,
): Promise<string> {
  const charter = (await pinNow(org)).charter?.charter;
  if (charter === undefined) return by;
  if (person === undefined) {
    const git = await org.person();
    throw new Problem(
      'org/approval',
      `${git.name} <${git.email}> is not listed as a person in ORG.md`,
      `The people are ${charter.people.map(({ id }) => id).join(', ')}. Add your address below one of them: - **Git:** ${git.email}`,
    );
  }
  const against = answerAgainst(escalation, { id: person.id, isPerson: true }, answer, charter);
  if (against === undefined) return person.id;
  throw new Problem('usage/argument', `${escalation.id}: ${against}`, 'See what waits: orgrepo status');
}
const unexplained = (what: string, id: string, example: string): Problem =>
  new Problem('usage/option', what, `For example: orgrepo deny ${id} --reason "${example}"`);
