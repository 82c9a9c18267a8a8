import { isAnybody, speakerIn } from '../../../domain/rules/request.ts';
import { type OrderTarget, type OrderWord, parseTarget } from '../../../domain/staff/presence.ts';
import { postsOf } from '../../../domain/staff/staff.ts';
import { charterNow, pinNow } from '../../../org/force/in-force.ts';
import type { Org } from '../../../records/org.ts';
import { type OrderedBy, rateInWords, recordPresence, resumeAgent } from '../../../records/queue/agent-book.ts';
import { type Queue, readQueue } from '../../../records/queue/queue.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { nearestName, Problem } from '../../../text/problem.ts';
import type { VerbCall } from '../../kit/command.ts';
import { wrongOption } from '../../kit/options.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export type SteerVerb = 'pause' | 'resume' | 'stop';

/** What a person says of an agent or a department: a commit on the queue, which a run that goes on reads before its next attempt. */
export function steerSome(call: VerbCall, verb: SteerVerb, name: string): Promise<number> {
  return withOrgToWrite(call, async (org) => {
    const said = { by: await whoMayPause(org, call, verb), reason: call.value('reason') };
    const target = await targetNamed(org, name);
    const queue = await readQueue(org);
    if (verb === 'resume') await resumeSome(org, queue, target, said);
    else {
      if (verb === 'stop' && !isUnderway(org, queue))
        throw new Problem(
          'usage/command',
          'nothing runs here, and a stop is for one run',
          `Keep it from working in the next one too: npx orgrepo pause ${name}`,
        );
      await recordPresence(org, { kind: verb, target, by: said.by, reason: '' }, said);
    }
    return answerSteered(
      call,
      verb,
      target,
      { pause: pausedWords(name), resume: `${name} goes on`, stop: stopWords }[verb],
    );
  });
}

/** So many attempts an hour, for an agent, a department or, without a name, everybody together. */
export function limitSome(call: VerbCall, rate: string, name: string | undefined): Promise<number> {
  return withOrgToWrite(call, async (org) => {
    const perHour = readRate(rate);
    const by = await whoMayPause(org, call, 'pause');
    const target: OrderTarget = name === undefined ? { kind: 'org' } : await targetNamed(org, name);
    await recordPresence(org, { kind: 'limit', target, perHour, by }, { by, reason: call.value('reason') });
    return answerSteered(call, 'limit', target, `${name ?? 'the org'}: ${rateInWords(perHour)}`);
  });
}

const pausedWords = (name: string): string => `${name} gets no more work. Go on: npx orgrepo resume ${name}`;
const stopWords = 'it ends what it has begun, and others go on with its spec';

/** Lifts what was said of the very same target; of an agent also what the breaker says. */
async function resumeSome(org: Org, queue: Queue | undefined, target: OrderTarget, said: OrderedBy): Promise<void> {
  const { halted = [], orders = [] } = queue?.ledger ?? {};
  const isSaid = orders.some((word) => word === `pause:${pathIn(target)}` || word === `stop:${pathIn(target)}`);
  const isTripped = target.kind === 'agent' && halted.includes(target.id) && queue?.ledger.state !== 'ended';
  if (queue !== undefined && isTripped) await resumeAgent(org, target.id, queue, said);
  else if (isSaid) await recordPresence(org, { kind: 'resume', target }, said);
  else throw notHeld(target, isUnderway(org, queue), halted, orders);
}

function notHeld(target: OrderTarget, runs: boolean, halted: readonly string[], orders: readonly OrderWord[]): Problem {
  const paused = orders.filter((word) => /^(?:pause|stop):/.test(word)).map((word) => word.split(/[:/]/).at(-1));
  const held = [
    ...(runs && halted.length > 0 ? [`Stopped: ${halted.join(', ')}`] : []),
    ...(paused.length > 0 ? [`Paused: ${paused.join(', ')}`] : []),
  ].join('. ');
  const nobody = runs ? 'Nobody is. See: npx orgrepo status' : 'A new run gives everybody work again: npx orgrepo run';
  const what = `${JSON.stringify(nameIn(target))} is not stopped, and not paused`;
  return new Problem('usage/argument', runs ? what : `nothing runs here, and ${what}`, held === '' ? nobody : held);
}

const nameIn = (target: OrderTarget): string => (target.kind === 'org' ? 'org' : target.id);
const pathIn = (target: OrderTarget): string => (target.kind === 'org' ? 'org' : `${target.kind}/${target.id}`);

export const isUnderway = (org: Org, queue: Queue | undefined): boolean =>
  currentRunner(org) !== undefined ||
  (queue !== undefined && queue.ledger.state !== 'ended' && queue.ledger.state !== 'never');

/** An agent by its name, else a department by its id or its name. */
async function targetNamed(org: Org, name: string): Promise<OrderTarget> {
  const pinned = await pinNow(org);
  const agents = postsOf(pinned.brief).map(({ id }) => id);
  if (agents.includes(name)) return { kind: 'agent', id: name };
  const departments = pinned.charter?.charter.departments ?? [];
  const called = name.toLowerCase();
  const department = departments.find((one) => one.id === name || one.name.toLowerCase() === called);
  if (department !== undefined) return { kind: 'department', id: department.id };
  const said = (await readQueue(org))?.ledger.orders ?? [];
  const gone = said.map((word) => parseTarget(word.slice(word.indexOf(':') + 1).replace('/', ' ')));
  const held = gone.find((one) => one !== undefined && one.kind !== 'org' && one.id === name);
  if (held !== undefined) return held; // The chart has it no more, and what was said of it can still be lifted.
  const people = pinned.charter?.charter.people ?? [];
  if (people.some(({ id }) => id === name))
    throw new Problem('usage/argument', `${name} is a person, and nobody's to pause`, 'Tell them.');
  const all = [...new Set([...agents, ...departments.map(({ id }) => id)])];
  const near = nearestName(name, all);
  throw new Problem(
    'usage/argument',
    `nobody here is called ${JSON.stringify(name)}`,
    near === undefined ? `There are: ${all.slice(0, 20).join(', ')}` : `Did you mean ${near}?`,
  );
}

/** `6/h`, `6`; `none` lifts it. */
function readRate(text: string): number | undefined {
  if (text === 'none') return undefined;
  const [, count] = /^([1-9][0-9]{0,5})(?:\s*(?:\/|per|an)\s*h(?:our)?)?$/.exec(text) ?? [];
  if (count !== undefined) return Number(count);
  const hint = 'For example: --rate 6/h, and --rate none to lift it. To let somebody do nothing, leave --rate out.';
  throw wrongOption('rate', text, 'attempts an hour', hint);
}

export function answerSteered(call: VerbCall, did: string, target: OrderTarget, words: string): number {
  const who = target.kind === 'org' ? {} : { [target.kind]: target.id };
  call.answer({ schema: 'orgrepo/steer@1', did, ...who }, `${words}\n`);
  return 0;
}

/**
 * Who is speaking, by the name that the chart has for them, else by git's. Refuses a person of whom the org says `Can pause: no`, before anything is written. Where the chart cannot be read nobody is
 * refused: a run that goes wrong must be stoppable. Somebody whom the chart does not know is nobody it could have said that of.
 */
export async function whoMayPause(org: Org, call: VerbCall, verb: SteerVerb): Promise<string> {
  const as = call.value('as');
  const people = (await charterNow(org))?.people ?? [];
  const git = await org.person();
  const person = speakerIn(people, { as, ...git });
  const may = people.filter(({ mayPause }) => mayPause).map(({ id }) => id);
  if (person === undefined && as !== undefined && people.length > 0)
    throw new Problem(
      'org/approval',
      `${as} is none of the people of the org`,
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
