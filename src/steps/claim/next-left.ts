import { person } from '../../domain/staff/agent-names.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { isWaiting } from '../../records/requests/approvals.ts';
import type { Night } from '../night/night.ts';
import { isPerson } from '../night/night-in-force.ts';
import type { RunConstants } from '../night/run-constants.ts';
import type { Left } from '../recover/recover.ts';
import { isWaitingForMany, nextAnswered } from '../standing/awaited.ts';
import { decideClaim, isRefusedToAll } from '../standing/claim-refusals.ts';
import { haltByRules, noteUsedUp } from '../standing/halt.ts';
import { openingNow, priorityIn } from '../standing/opening.ts';
import { presentNow } from '../standing/present.ts';
import { liveRow, waitingState } from './claim.ts';

/**
 * The next claim that is to be gone on with: one that an earlier run left, or one that waited for a person's word. To take it
 * up is decided about like a claim: one that policies keep from this agent is left to others.
 */
export async function nextLeft(night: Night, junior: string, left: Left[]): Promise<Left | undefined> {
  if (isPerson(night.inForce, junior) || (await haltByRules(night, junior))) return undefined;
  if ((await presentNow(night, junior)).kind !== 'go') return undefined;
  if (await noteUsedUp(night, junior)) return undefined; // Whoever has something left to spend goes on with it.
  const own = await allowed(night, junior);
  if (own !== undefined || isWaitingForMany(night.standing, junior)) return own;
  return (await leftBefore(night, junior, left)) ?? (await answered(night, junior)) ?? handedBack(night, junior);
}

/** A claim of an earlier run. */
async function leftBefore(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  junior: string,
  left: Left[],
): Promise<Left | undefined> {
  for (const one of [...left]) {
    const at = left.indexOf(one);
    if (at < 0) continue; // Somebody was faster.
    left.splice(at, 1); // Nobody else looks while we do.
    if (await mayGoOn(night, junior, one)) return one;
    left.push(one);
  }
  return undefined;
}

/** A claim that a colleague may not go on with, or that waited for the hours to begin. */
async function handedBack(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  junior: string,
): Promise<Left | undefined> {
  for (const id of [...night.standing.handedBack]) {
    const spec = (await readQueue(night.run.org))?.specs.find((one) => one.id === id);
    const opening = spec && openingNow(night.inForce, junior, priorityIn(night.inForce, spec));
    if (opening?.kind === 'closed' || !night.standing.handedBack.delete(id)) continue; // Or somebody was faster.
    const one = await claimOn(night.run, spec);
    if (one === undefined) continue;
    if (await mayGoOn(night, junior, one)) return one;
    night.standing.handedBack.add(id);
  }
  return undefined;
}

/** A claim of its own whose next attempt waited for a yes, and has an answer. */
async function allowed(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  junior: string,
): Promise<Left | undefined> {
  const id = await nextAnswered(night, junior);
  const one =
    id &&
    (await claimOn(
      night.run,
      (await readQueue(night.run.org))?.specs.find((spec) => spec.id === id),
    ));
  return one && (await mayGoOn(night, junior, one)) ? one : undefined;
}

async function claimOn({ org }: RunConstants, spec: Spec | undefined): Promise<Left | undefined> {
  const notebook = spec && (await readNotebook(org, spec.id));
  return spec === undefined || notebook === undefined || notebook.done
    ? undefined
    : { spec, notebook, saved: undefined };
}

/**
 * A claim that waited for a person who has spoken meanwhile: it is taken up again like one that was left. What people hold
 * themselves the next run goes on with.
 */
async function answered(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  junior: string,
): Promise<Left | undefined> {
  for (const id of night.standing.waitingForPerson) {
    night.standing.waitingForPerson.delete(id); // Nobody else looks while we do.
    const queue = await readQueue(night.run.org);
    const spec = queue?.specs.find((one) => one.id === id);
    const notebook = await readNotebook(night.run.org, id);
    if (queue === undefined || spec === undefined || notebook === undefined || notebook.agent === person) continue;
    const one = { spec, notebook, saved: undefined };
    if (!(await isWaiting(night.run.org, queue, notebook)) && (await mayGoOn(night, junior, one))) return one;
    night.standing.waitingForPerson.add(id);
    return undefined; // The next look is for the next one: a set keeps its order.
  }
  return undefined;
}

/** Whether policies let an agent go on with a claim. One that they keep from everybody waits for a person, and not the night for it. */
async function mayGoOn(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  junior: string,
  { spec, notebook }: Left,
): Promise<boolean> {
  if (!(await decideClaim(night, junior, spec, notebook.agent === junior))) return true;
  const state = isRefusedToAll(night, spec.id) ? waitingState : 'claimed';
  night.desk.live.set(spec.id, liveRow(spec, notebook.agent, state, notebook.line.score));
  return false;
}
