import { setTimeout as wait } from 'node:timers/promises';
import {
  allPausedInWords,
  mayAct,
  type Presence,
  type Present,
  resumeCommand,
  whyAllPaused,
} from '../../domain/staff/presence.ts';
import { person } from '../../domain/staff/staff.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readPresence } from '../../records/queue/agent-book.ts';
import { isClosing } from '../night/closing.ts';
import type { Night } from '../night/night.ts';
import type { NightInForce } from '../night/night-in-force.ts';
import { areAll, chartNow, isPerson } from '../night/night-in-force.ts';
import type { NightStanding } from './night-standing.ts';
import { steeringOf } from './steering.ts';

/** Whether people let an agent work now. What they said is looked up a few times a second. */
export async function presentNow(night: Pick<Night, 'run' | 'inForce' | 'standing'>, agent: string): Promise<Present> {
  const presence = await presenceNow(night);
  if (presence.size === 0 || agent === person) return { kind: 'go' };
  return presentIn(night, presence, agent);
}

/** The same of somebody who writes specs or reviews: attempts an hour are nothing to them. */
export async function checkAway(night: Pick<Night, 'run' | 'inForce' | 'standing'>, agent: string): Promise<boolean> {
  const { kind } = await presentNow(night, agent);
  return kind === 'pause' || kind === 'stop';
}

/** Waits for as long as a person has it paused, and the night goes on. */
export async function untilPresent(night: Pick<Night, 'run' | 'inForce' | 'standing'>, agent: string): Promise<void> {
  while ((await presentNow(night, agent)).kind === 'pause' && !isClosing(night)) await wait(pace().pausedMs);
}

/** By what was last looked up. */
export const presentAsKnown = (night: Pick<Night, 'inForce' | 'standing'>, agent: string): Present =>
  presentIn(night, night.standing.presence.now, agent);

/** Nobody is left who may work until a person says so. */
export const areAllStopped = (night: Pick<Night, 'inForce' | 'standing'>): boolean =>
  areAll(
    night.inForce,
    (agent) =>
      presentAsKnown(night, agent).kind === 'stop' ||
      night.standing.halted.has(agent) ||
      night.standing.spentUp.has(agent),
  );

/** Tells what keeps an agent from beginning, when that is news. */
export function sayHeldUp(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  present: Present,
  otherwise = '',
): void {
  const doing = present.kind === 'wait' && otherwise === '' ? 'waiting' : 'paused';
  // A pause of the whole org outlasts any wait, so it is what is said.
  const isOnlyTheOrg = present.kind === 'go' || (present.kind === 'wait' && otherwise !== '');
  const detail = isOnlyTheOrg ? otherwise : presentInWords(present);
  if (night.standing.heldUp.get(agent) === detail) return;
  night.standing.heldUp.set(agent, detail);
  night.run.say({ kind: 'doing', at: nowInSeconds(), agent, doing, detail });
  if (present.kind === 'pause') tellAllPaused(night);
}

/** Nobody wants a night in which nothing happens and nothing is said: that all are paused is told aloud, once. */
function tellAllPaused(night: Pick<Night, 'run' | 'inForce' | 'standing'>): void {
  const left = night.inForce.juniors.filter(
    (id) =>
      !isPerson(night.inForce, id) &&
      !night.standing.halted.has(id) &&
      !night.standing.spentUp.has(id) &&
      id !== person,
  );
  const workers = left.map((id) => ({ id, department: departmentOf(night.inForce, id) }));
  const all = whyAllPaused(night.standing.presence.now, workers);
  const what = all && allPausedInWords(all);
  if (all === undefined || night.standing.heldUp.get(everybody) === what) return;
  night.standing.heldUp.set(everybody, what ?? '');
  const message = `${what}. Nothing is begun until somebody says: ${resumeCommand(all)}`;
  night.run.say({ kind: 'warning', at: nowInSeconds(), message });
}

/** Not the name of an agent. */
const everybody = '';

/** Somebody may go on. */
export function noLongerHeldUp(standing: NightStanding, agent: string): void {
  standing.heldUp.delete(agent);
  standing.heldUp.delete(everybody);
}

/** `paused by Test Person: …`, `until 08:00`: for whoever looks at the screen. */
const presentInWords = (present: Exclude<Present, { kind: 'go' }>): string =>
  present.kind === 'wait' && present.until !== undefined
    ? `${present.reason}, until ${clockAt(present.until)}`
    : present.reason;

/** The clock of this machine. */
export const clockAt = (seconds: number): string => new Date(seconds * 1000).toTimeString().slice(0, 5);

async function presenceNow(night: Pick<Night, 'run' | 'standing'>): Promise<Presence> {
  const { orders } = await steeringOf(night);
  const { of } = night.standing.presence;
  if (of !== orders && of.join() !== orders.join())
    night.standing.presence = { of: orders, now: await readPresence(night.run.org, orders) };
  return night.standing.presence.now;
}

const presentIn = (night: Pick<Night, 'inForce' | 'standing'>, presence: Presence, agent: string): Present =>
  mayAct(
    presence,
    { id: agent, department: departmentOf(night.inForce, agent) },
    nowInSeconds(),
    night.standing.attemptsBegun,
    (name) => departmentOf(night.inForce, name),
  );

const departmentOf = (inForce: NightInForce, agent: string): string | undefined =>
  chartNow(inForce)?.members.find(({ id }) => id === agent)?.department;
