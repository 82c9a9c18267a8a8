import type PQueue from 'p-queue';
import { person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readKeeps } from '../../records/requests/requests.ts';
import { type Bench, prepareBench } from '../attempt/bench.ts';
import { nextWithoutWork } from '../night/end-night.ts';
import type { ClaimParts, Night } from '../night/night.ts';
import { isPerson, worksHere } from '../night/night-basics.ts';
import type { Left } from '../recover/recover.ts';
import { resumeClaim } from '../recover/resume-claim.ts';
import { haltByRules, noteUsedUp } from '../standing/halt.ts';
import type { NextStep } from '../standing/next-step.ts';
import { awaitDecision, countBegun, returnClaim, takeHandedBack, takeUndecided } from '../standing/night-standing.ts';
import { decideClaim, isWaitingForMany, nextAnswered } from '../standing/refusals.ts';
import { hoursNow, isRefusedToAll, presentNow, priorityIn } from '../standing/standing-now.ts';
import { showLive, waitingState } from './night-claims.ts';
import { takeSpec } from './routing.ts';

type NextSpec =
  | Exclude<NextStep, { kind: 'go' }>
  | { readonly kind: 'work'; readonly spec: Spec; readonly bench: Bench | undefined };

/** Returns a spec that an earlier run left, or a free one; or how long to wait for work, or that this lane ends. */
export async function nextSpec(night: Night, junior: string, left: Left[], claiming: PQueue): Promise<NextSpec> {
  if (!worksHere(night.inForce, junior)) return { kind: 'stop' };
  const abandoned = await nextLeft(night, junior, left);
  if (abandoned !== undefined)
    return { kind: 'work', spec: abandoned.spec, bench: await resumeClaim(night, abandoned, junior) };
  const taken = await claiming.add(() => takeSpec(night, junior));
  if (taken !== undefined && 'claim' in taken)
    return { kind: 'work', spec: taken.claim.spec, bench: await prepareBench(night.run.org, taken, 1) };
  if (taken?.kind === 'wait') return taken;
  if (!worksHere(night.inForce, junior)) return { kind: 'stop' };
  const next = await nextWithoutWork(night, junior);
  return next.kind === 'go' ? { kind: 'wait', ms: 0 } : next;
}

/**
 * The next claim that is to be gone on with: one that an earlier run left, or one that waited for a person's word. To take it
 * up is decided about like a claim: one that policies keep from this agent is left to others.
 */
async function nextLeft(night: Night, junior: string, left: Left[]): Promise<Left | undefined> {
  if (isPerson(night.inForce, junior) || (await haltByRules(night, junior))) return undefined;
  if ((await presentNow(night, junior)).kind !== 'go') return undefined;
  if (await noteUsedUp(night, junior)) return undefined; // An agent that has something left to spend goes on with it.
  const own = await allowed(night, junior);
  if (own !== undefined || isWaitingForMany(night.standing, junior)) return own;
  return (await leftBefore(night, junior, left)) ?? (await answered(night, junior)) ?? handedBack(night, junior);
}

/** A claim of an earlier run. */
async function leftBefore(night: ClaimParts, junior: string, left: Left[]): Promise<Left | undefined> {
  for (const one of [...left]) {
    const at = left.indexOf(one);
    if (at < 0) continue; // Another lane was faster.
    const begins = one.saved === undefined ? 0 : 1; // What was saved is measured first: one of those that --max allows.
    if (night.standing.begun + begins > (night.run.limits.max ?? Number.POSITIVE_INFINITY)) continue;
    left.splice(at, 1); // No other lane looks while we do.
    if (begins === 1) countBegun(night.standing, 1);
    if (await mayGoOn(night, junior, one)) return one;
    if (begins === 1) countBegun(night.standing, -1);
    left.push(one);
  }
  return undefined;
}

/** A claim that a colleague may not go on with, or that waited for the hours to begin. */
async function handedBack(night: ClaimParts, junior: string): Promise<Left | undefined> {
  for (const id of [...night.standing.handedBack]) {
    const spec = await specOn(night.run.org, id);
    const isClosed = spec && hoursNow(night.inForce, junior, priorityIn(night.inForce, spec)).kind !== 'go';
    if (isClosed || !takeHandedBack(night.standing, id)) continue; // Or another lane was faster.
    const one = await claimOn(night.run.org, spec);
    if (one === undefined) continue;
    if (await mayGoOn(night, junior, one)) return one;
    returnClaim(night.standing, id);
  }
  return undefined;
}

/** A claim of its own whose next attempt waited for a yes, and has an answer. */
async function allowed(night: ClaimParts, junior: string): Promise<Left | undefined> {
  const id = await nextAnswered(night, junior);
  const one = id && (await claimOn(night.run.org, await specOn(night.run.org, id)));
  return one && (await mayGoOn(night, junior, one)) ? one : undefined;
}

const specOn = async (org: Org, id: string): Promise<Spec | undefined> =>
  (await readQueue(org))?.specs.find((one) => one.id === id);

async function claimOn(org: Org, spec: Spec | undefined): Promise<Left | undefined> {
  const notebook = spec && (await readNotebook(org, spec.id));
  return spec === undefined || notebook === undefined || notebook.done
    ? undefined
    : { spec, notebook, saved: undefined };
}

/**
 * A claim that waited for a person who has spoken meanwhile: it is resumed like one that was left. What people hold
 * themselves the next run goes on with.
 */
async function answered(night: ClaimParts, junior: string): Promise<Left | undefined> {
  for (const id of night.standing.waitingForPerson) {
    takeUndecided(night.standing, id);
    const queue = await readQueue(night.run.org);
    const spec = queue?.specs.find((one) => one.id === id);
    const notebook = await readNotebook(night.run.org, id);
    if (queue === undefined || spec === undefined || notebook === undefined || notebook.agent === person) continue;
    const one = { spec, notebook, saved: undefined };
    const [keep] = await readKeeps(night.run.org, queue, [notebook]);
    const isAnswered = keep === undefined || keep.answer !== undefined;
    if (isAnswered && (await mayGoOn(night, junior, one))) return one;
    awaitDecision(night.standing, id);
    return undefined; // The next look is for the next one: a set keeps its order.
  }
  return undefined;
}

/** Whether policies let an agent go on with a claim. One that they keep from everybody waits for a person, and not the night for it. */
async function mayGoOn(night: ClaimParts, junior: string, { spec, notebook }: Left): Promise<boolean> {
  if (!(await decideClaim(night, junior, spec, notebook.agent === junior))) return true;
  const state = isRefusedToAll(night, spec.id) ? waitingState : 'claimed';
  showLive(night.claims, spec, notebook.agent, state, notebook.line.score);
  return false;
}
