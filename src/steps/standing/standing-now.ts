import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { untilInWords } from '../../domain/rules/stopping-rules.ts';
import { person, postsOf } from '../../domain/staff/staff.ts';
import { type Priority, priorityOf, type Spec } from '../../domain/words/spec.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import {
  allPausedInWords,
  type OrdersInForce,
  resumeCommand,
  type Standing,
  standingOf,
  whyAllPaused,
} from '../../org/rules/agent-standing.ts';
import type { RefusedClaim } from '../../policy/policy-decider.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { readPresence } from '../../records/queue/agent-book.ts';
import { ledgerAt } from '../../records/queue/queue.ts';
import { recordClosed } from '../../records/queue/spec-events.ts';
import { decisionsNow, noDecisions } from '../../records/requests/requests.ts';
import { Problem } from '../../text/problem.ts';
import type { KnownParts, Night, NightInForce, StandingParts } from '../night/night.ts';
import { chartNow, inTheBackground, isClosing, isPerson, showDoing, warn, worksHere } from '../night/night-basics.ts';
import { type NightStanding, noteNews, type OrdersOnQueue } from './night-standing.ts';

/** A claim that policies refused, and what was known then. */
export interface ClaimRefusal extends RefusedClaim {
  /** The policies that were in force. */
  readonly policies: string | undefined;
  /** How many requests and answers the queue had: a request may have been approved since. */
  readonly acts: number;
}

/** What an agent would begin: a spec, which policies may refuse to it, of a priority, which hours may make an exception for. */
interface Work {
  readonly spec?: string;
  readonly priority?: Priority;
}

/** May this agent go on, and if not, why? By what the run knows now. */
export function standingNow(night: KnownParts, id: string, work: Work = {}): Standing {
  const { inForce, standing } = night;
  const { spec, priority } = work;
  return standingOf({
    ...ordersFor(night, id),
    halted: standing.halted.get(id),
    isSpentUp: standing.spentUp.has(id),
    hasLeft: spec !== undefined && !worksHere(inForce, id),
    isRefused: spec !== undefined && refusalFor(night, id, spec) !== undefined,
    hours: priority && hoursOf(inForce),
    priority,
  });
}

/** Why an agent does nothing more with a spec in this run; an agent that is only paused may. */
export function whyGone(night: KnownParts, id: string, spec?: string): string | undefined {
  const now = standingNow(night, id, spec === undefined ? {} : { spec });
  return now.kind === 'stop' ? now.reason : undefined;
}

/** What keeps an agent from a spec, until the policies change or a request is answered. */
export function refusalFor(night: KnownParts, agent: string, spec: string): ClaimRefusal | undefined {
  const refusal = night.standing.refusedClaims.get(spec)?.get(agent);
  if (refusal === undefined || refusal.policies !== night.inForce.applied.policies) return undefined;
  return refusal.request !== undefined && refusal.acts !== night.standing.lastOrders.ledger.acts ? undefined : refusal;
}

/** Tells whether policies keep a spec from every agent that could work on it in this run. */
export const isRefusedToAll = (night: KnownParts, spec: string): boolean =>
  (night.standing.refusedClaims.get(spec)?.size ?? 0) > 0 &&
  night.inForce.juniors.every((id) => isPerson(night.inForce, id) || whyGone(night, id, spec) !== undefined);

/** What people's orders alone say of an agent. They are looked up a few times a second. */
export async function presentNow(night: StandingParts, agent: string): Promise<Standing> {
  const { orders } = await readOrders(night);
  const { of } = night.standing.presence;
  if (of !== orders && of.join() !== orders.join())
    night.standing.presence = { of: orders, now: await readPresence(night.run.org, orders) };
  return presentAsKnown(night, agent);
}

/** The same by what was last looked up. */
export const presentAsKnown = (night: KnownParts, id: string): Standing => standingOf(ordersFor(night, id));

/** Whether people keep an agent from writing specs or reviewing; a limit on attempts does not. */
export async function checkAway(night: StandingParts, agent: string): Promise<boolean> {
  const { kind } = await presentNow(night, agent);
  return kind === 'pause' || kind === 'stop';
}

/** Waits for as long as a person has the agent paused, and the run goes on. */
export async function untilPresent(night: StandingParts, agent: string): Promise<void> {
  while ((await presentNow(night, agent)).kind === 'pause' && !isClosing(night)) await wait(pace().pausedMs);
}

/** What people last ordered on the queue. It is read a few times a second, not before every attempt. */
export async function readOrders(night: Pick<Night, 'run' | 'standing'>): Promise<OrdersOnQueue> {
  const now = performance.now();
  if (now - night.standing.lastOrders.at <= pace().ordersMs) return night.standing.lastOrders.ledger;
  const ledger = await readOrdersAnew(night);
  if (night.standing.lastOrders.at <= now) night.standing.lastOrders = { at: now, ledger }; // Unless another lane has read it later, and was faster.
  return night.standing.lastOrders.ledger;
}

/**
 * Ends the run if a person has stopped it: an agent that waits for another does not look. What was read here is not kept for
 * the next attempt, which would begin by it although a stop has come since.
 */
export async function noteStop(night: Pick<Night, 'run' | 'standing'>): Promise<void> {
  const { state, frozen } = await readOrdersAnew(night);
  if (state === 'stopping' || frozen) night.standing.ending ??= 'stopped';
}

async function readOrdersAnew({ run, standing }: Pick<Night, 'run' | 'standing'>): Promise<OrdersOnQueue> {
  const { org } = run;
  const tip = await readEntry(org, queueRef);
  if (tip === undefined && !existsSync(org.repo.gitDir))
    throw new Problem('repo/none', `${org.repo.gitDir} is gone: somebody removed it`, 'Clone it again, and run.');
  if (tip === undefined) return standing.lastOrders.ledger;
  const ledger = await ledgerAt(org, tip);
  const { signing, frozen } = ledger.acts === 0 ? noDecisions() : await decisionsNow(org);
  return signing === undefined ? ledger : { ...ledger, frozen: frozen !== undefined };
}

/** Says what keeps an agent from beginning, when that is news. */
export function sayWaiting(night: StandingParts, agent: string, present: Standing, otherwise = ''): void {
  const doing = present.kind === 'wait' && otherwise === '' ? 'waiting' : 'paused';
  // A pause of the whole org outlasts any wait, so it is what is said.
  const isOnlyTheOrg = present.kind === 'go' || (present.kind === 'wait' && otherwise !== '');
  const detail = isOnlyTheOrg ? otherwise : presentInWords(present);
  if (night.standing.saidWaiting.get(agent) === detail) return;
  night.standing.saidWaiting.set(agent, detail);
  showDoing(night.run, agent, doing, detail);
  if (present.kind === 'pause') tellAllPaused(night);
}

/** Warns once that all agents are paused. */
function tellAllPaused(night: StandingParts): void {
  const { inForce, standing } = night;
  const left = inForce.juniors.filter((id) => !isPerson(inForce, id) && !isOut(standing, id) && id !== person);
  const workers = left.map((id) => ({ id, department: departmentOf(inForce, id) }));
  const all = whyAllPaused(standing.presence.now, workers);
  const what = all && allPausedInWords(all);
  if (all === undefined || standing.saidWaiting.get(everybody) === what) return;
  standing.saidWaiting.set(everybody, what ?? '');
  const message = `${what}. Nothing is begun until somebody says: ${resumeCommand(all)}`;
  warn(night.run, message);
}

/** Not the name of an agent. */
const everybody = '';

/** Forgets what was said of an agent that may go on. */
export function clearWaiting(standing: NightStanding, agent: string): void {
  standing.saidWaiting.delete(agent);
  standing.saidWaiting.delete(everybody);
}

/** Tells whether the rules have stopped an agent or its budget is used up. */
export const isOut = ({ halted, spentUp }: Pick<NightStanding, 'halted' | 'spentUp'>, agent: string): boolean =>
  halted.has(agent) || spentUp.has(agent);

/** `paused by Test Person: …`, or `…, until 08:00` by the clock of this machine. */
const presentInWords = (present: Exclude<Standing, { kind: 'go' }>): string =>
  present.kind === 'wait' && present.until !== undefined
    ? `${present.reason}, until ${new Date(present.until * 1000).toTimeString().slice(0, 5)}`
    : present.reason;

/** Whether the org's hours let an agent begin something of this priority. */
export const hoursNow = (inForce: NightInForce, id: string, priority: Priority): Standing =>
  standingOf({ agent: { id, department: undefined }, now: nowInSeconds(), hours: hoursOf(inForce), priority });

/** What a spec counts for: an agent's word makes nothing critical. */
export const priorityIn = (inForce: NightInForce, spec: Pick<Spec, 'priority' | 'by'>): Priority =>
  priorityOf(spec, (name) => isAgentIn(inForce, name));

/** Tells whether a name that a spec was written under is an agent's. */
export const isAgentIn = ({ pinned, agents }: NightInForce, name: string): boolean =>
  name === 'chief' || name === 'merge' || agents.has(name) || postsOf(pinned.brief).some(({ id }) => id === name);

/** Says that nothing is begun outside of the hours, and writes it down once for each closing: lanes ask several times a second. */
export function tellClosed(night: StandingParts, agent: string, now: Standing, spec?: string): void {
  if (now.kind !== 'wait' || now.cause !== 'hours') return;
  const until = untilInWords(hoursOf(night.inForce), now.until);
  if (noteNews(night.standing, `closed ${agent} ${now.until}`)) showDoing(night.run, agent, 'idle', until);
  if (!noteNews(night.standing, `closed ${now.until}`)) return;
  warn(night.run, `${now.reason}: nothing is begun ${until}`);
  inTheBackground(night.run, recordClosed(night.run.org, agent, spec, now.reason, until));
}

const hoursOf = ({ pinned }: NightInForce) => pinned.charter?.charter.policies.hours;

function ordersFor({ inForce, standing }: KnownParts, id: string) {
  const of = (agent: string): string | undefined => departmentOf(inForce, agent);
  const orders: OrdersInForce = { presence: standing.presence.now, begun: standing.attemptsBegun, departmentOf: of };
  return { agent: { id, department: of(id) }, now: nowInSeconds(), orders };
}

const departmentOf = (inForce: NightInForce, agent: string): string | undefined =>
  chartNow(inForce)?.members.find(({ id }) => id === agent)?.department;
