import { person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { isWaiting } from '../../records/requests/approvals.ts';
import { isPerson, type Night } from '../night/night.ts';
import type { Left } from '../recover/recover.ts';
import { isWaitingForMany, nextAnswered } from '../standing/awaited.ts';
import { isForbidden, isRefusedToAll } from '../standing/claim-refusals.ts';
import { isHalted, isUsedUp } from '../standing/halt.ts';
import { openingNow, priorityIn } from '../standing/opening.ts';
import { presentNow } from '../standing/present.ts';
import { liveRow, waitingState } from './claim.ts';

/**
 * The next claim that is to be gone on with: one that an earlier run left, or one that waited for a person's word. To take it
 * up is decided about like a claim: one that policies keep from this agent is left to others.
 */
export async function nextLeft(night: Night, junior: string, left: Left[]): Promise<Left | undefined> {
  if (isPerson(night, junior) || (await isHalted(night, junior))) return undefined;
  if ((await presentNow(night, junior)).kind !== 'go') return undefined;
  if (await isUsedUp(night, junior)) return undefined; // Whoever has something left to spend goes on with it.
  const own = await allowed(night, junior);
  if (own !== undefined || isWaitingForMany(night, junior)) return own;
  return (await leftBefore(night, junior, left)) ?? (await answered(night, junior)) ?? handedBack(night, junior);
}

/** A claim of an earlier run. */
async function leftBefore(night: Night, junior: string, left: Left[]): Promise<Left | undefined> {
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
async function handedBack(night: Night, junior: string): Promise<Left | undefined> {
  for (const id of [...night.floor.handedBack]) {
    const spec = (await readQueue(night.org))?.specs.find((one) => one.id === id);
    const opening = spec && openingNow(night, junior, priorityIn(night, spec));
    if (opening?.kind === 'closed' || !night.floor.handedBack.delete(id)) continue; // Or somebody was faster.
    const one = await claimOn(night, spec);
    if (one === undefined) continue;
    if (await mayGoOn(night, junior, one)) return one;
    night.floor.handedBack.add(id);
  }
  return undefined;
}

/** A claim of its own whose next attempt waited for a yes, and has an answer. */
async function allowed(night: Night, junior: string): Promise<Left | undefined> {
  const id = await nextAnswered(night, junior);
  const one =
    id &&
    (await claimOn(
      night,
      (await readQueue(night.org))?.specs.find((spec) => spec.id === id),
    ));
  return one && (await mayGoOn(night, junior, one)) ? one : undefined;
}

async function claimOn({ org }: Night, spec: Spec | undefined): Promise<Left | undefined> {
  const notebook = spec && (await readNotebook(org, spec.id));
  return spec === undefined || notebook === undefined || notebook.done
    ? undefined
    : { spec, notebook, saved: undefined };
}

/**
 * A claim that waited for a person who has spoken meanwhile: it is taken up again like one that was left. What people hold
 * themselves the next run goes on with.
 */
async function answered(night: Night, junior: string): Promise<Left | undefined> {
  for (const id of night.waiting) {
    night.waiting.delete(id); // Nobody else looks while we do.
    const queue = await readQueue(night.org);
    const spec = queue?.specs.find((one) => one.id === id);
    const notebook = await readNotebook(night.org, id);
    if (queue === undefined || spec === undefined || notebook === undefined || notebook.agent === person) continue;
    const one = { spec, notebook, saved: undefined };
    if (!(await isWaiting(night.org, queue, notebook)) && (await mayGoOn(night, junior, one))) return one;
    night.waiting.add(id);
    return undefined; // The next look is for the next one: a set keeps its order.
  }
  return undefined;
}

/** Whether policies let an agent go on with a claim. One that they keep from everybody waits for a person, and not the night for it. */
async function mayGoOn(night: Night, junior: string, { spec, notebook }: Left): Promise<boolean> {
  if (!(await isForbidden(night, junior, spec, notebook.agent === junior))) return true;
  const state = isRefusedToAll(night, spec.id) ? waitingState : 'claimed';
  night.live.set(spec.id, liveRow(spec, notebook.agent, state, notebook.line.score));
  return false;
}
