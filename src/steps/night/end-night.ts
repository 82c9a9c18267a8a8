import type { ActRequest } from '../../domain/rules/request.ts';
import { type Ending, endingInWords, wroteNothing } from '../../domain/rules/stopping-rules.ts';
import { agentsWithDuty } from '../../domain/staff/staff.ts';
import { formatGain, type Gain } from '../../domain/words/score.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { tipsNow } from '../../records/notebook/run-end.ts';
import { changeQueue, type QueueChange, readQueue } from '../../records/queue/queue.ts';
import { formatRefused, type RefusedSpec } from '../../records/queue/spec-text.ts';
import { readAsked, readWaiting } from '../../records/requests/requests.ts';
import { formatCapName } from '../../spend/books/spent-so-far.ts';
import { waitingState } from '../claim/night-claims.ts';
import { isLow, openSpecs } from '../claim/refill.ts';
import { haltByRules, mayAsk } from '../standing/halt.ts';
import type { NextStep } from '../standing/next-step.ts';
import { foreseeClaim, isAwaited, isWaitingForMany, noteNewRefusals } from '../standing/refusals.ts';
import { hoursNow, isRefusedToAll, presentNow, refusalFor, sayWaiting, standingNow } from '../standing/standing-now.ts';
import type { AttemptParts, ClaimParts, KnownParts, Night, StandingParts } from './night.ts';
import { areAll, chiefOf, isPerson } from './night-basics.ts';

/**
 * Decides what a lane without work does: wait if there may still be some for it, or end. An agent that is stopped waits for a person
 * as long as others work, and the lane of a junior who is a person leaves that to the others.
 */
export async function nextWithoutWork(night: Night, agent: string): Promise<NextStep> {
  const { run, inForce, claims, standing } = night;
  const present = await presentNow(night, agent);
  if (present.kind === 'pause') sayWaiting(night, agent, present);
  const worked = [...claims.live.values()].some(({ state }) => state !== waitingState); // A person may come or not.
  const others = inForce.juniors.some((junior) => !isPerson(inForce, junior));
  const chief = chiefOf(inForce, agent);
  const spentUp = standing.spentUp.has(agent);
  const mayWork = !spentUp && !isWaitingForMany(standing, agent);
  const asks = mayWork && mayAsk(night, chief) && !isAwaited(standing, chief) && !(await checkStalled(night));
  const theirs = (isPerson(inForce, agent) && others) || (await haltByRules(night, agent));
  const mayAnswer = inForce.pinned.charter !== undefined && !spentUp && !isPerson(inForce, agent);
  const answers = mayAnswer && (await readAsked(run.org, nowInSeconds())).length > 0;
  const news = noteNewRefusals(standing, agent) || worked || asks || answers || theirs;
  const hold: Hold = news ? { kind: 'waits' } : await findHold(night, agent);
  if (hold.kind === 'ends') return { kind: 'stop', ending: standing.ending ?? hold.ending };
  const mayCome = hold.kind === 'waits' || (await checkOpenToOthers(night));
  if (standing.ending === undefined && !run.signal.aborted && mayCome) return { kind: 'wait', ms: pace().idleMs };
  // An agent over its cap ends alone while the others go on; without a chief that may ask there will be no ideas.
  return { kind: 'stop', ending: spentUp ? undefined : (standing.ending ?? (await endingWithoutWork(night, chief))) };
}

/** Tells "no ideas left" from "all remaining work needs a person", and from a chief that was stopped because it could not work. */
async function endingWithoutWork(night: ClaimParts, chief: string | undefined): Promise<Ending> {
  if (night.standing.spentUp.has(chief ?? '')) return 'capped';
  const { refused, waiting } = await whatStalls(night);
  if (refused.length + waiting.length > 0) return 'refused';
  const why = night.standing.halted.get(chief ?? '');
  return why === undefined || why.endsWith(wroteNothing) ? 'no-ideas' : 'halted';
}

type Hold = { readonly kind: 'waits' | 'free' } | { readonly kind: 'ends'; readonly ending: Ending };

/** Finds out whether there is work that only people's orders, the hours or the chart hold up now. */
async function findHold(night: ClaimParts, agent: string): Promise<Hold> {
  const holdIf = (is: boolean): Hold => ({ kind: is ? 'waits' : 'free' });
  const present = await presentNow(night, agent);
  if (present.kind === 'stop' && areAll(night.inForce, (id) => standingNow(night, id).kind === 'stop'))
    return { kind: 'ends', ending: 'stopped' };
  if (present.kind !== 'go') {
    sayWaiting(night, agent, present);
    return holdIf(present.kind !== 'pause' || !(await checkIdleThoughPaused(night, agent)));
  }
  if (hoursNow(night.inForce, agent, 'normal').kind !== 'go') return holdIf(true);
  if (night.claims.waitingSpecs.size > 0) return holdIf(true);
  if ([...night.standing.handedBack].some((spec) => !isRefusedToAll(night, spec))) return holdIf(true);
  for (const chief of agentsWithDuty(night.inForce.pinned.brief, 'chief'))
    if ((await presentNow(night, chief)).kind === 'pause') return holdIf(true);
  return holdIf(false);
}

/** Work that waits for a person: for a change of the policies, or for an answer. */
export interface Stalled {
  /** Specs that policies keep from everybody, open or left. */
  readonly refused: readonly RefusedSpec[];
  /** Requests that people have not answered. */
  readonly waiting: readonly ActRequest[];
}

export async function whatStalls(night: ClaimParts): Promise<Stalled> {
  const { org } = night.run;
  const { live } = night.claims;
  const waiting = (await readWaiting(org, nowInSeconds())).filter((one) => one.kind === 'act');
  if (night.standing.refusedClaims.size === 0) return { refused: [], waiting };
  const specs = ((await readQueue(org))?.specs ?? []).filter(
    ({ id }) => isRefusedToAll(night, id) && (live.get(id)?.state ?? waitingState) === waitingState,
  );
  const asked = new Set(waiting.map((one) => one.asked.key));
  return { refused: specs.flatMap((spec) => refusedIn(night, spec, asked) ?? []), waiting };
}

/** The decision that refuses a spec; undefined if an answer to a request could let an agent have it. */
function refusedIn(night: KnownParts, { id }: Spec, asked: ReadonlySet<string>): RefusedSpec | undefined {
  const refusals = night.inForce.juniors.flatMap((junior) => refusalFor(night, junior, id) ?? []);
  const [first] = refusals;
  if (first === undefined || refusals.some(({ request }) => request !== undefined && asked.has(request)))
    return undefined;
  return { spec: id, n: first.n, words: first.words };
}

/** Finds out whether the queue is full of specs that no agent may claim: then no chief is asked for more. */
export async function checkStalled(night: ClaimParts): Promise<boolean> {
  if (night.standing.refusedClaims.size === 0) return false;
  const open = await openSpecs(night);
  return !isLow(night, open) && open.every(({ id }) => isRefusedToAll(night, id));
}

/** Whether an agent that is paused has nothing to come back to: there is work, and policies keep all of it from everybody, itself too. */
export async function checkIdleThoughPaused(night: ClaimParts, agent: string): Promise<boolean> {
  if (!night.inForce.policies.hasPolicies()) return false;
  const open = await openSpecs(night);
  for (const spec of open)
    if (refusalFor(night, agent, spec.id) === undefined && !(await foreseeClaim(night, agent, spec))) return false;
  return open.length > 0 && open.every(({ id }) => isRefusedToAll(night, id));
}

/** Finds out whether a spec that policies keep from one agent may still go to another that has not asked for it. */
export async function checkOpenToOthers(night: ClaimParts): Promise<boolean> {
  if (night.standing.refusedClaims.size === 0) return false;
  const wasRefused = ({ id }: Spec): boolean => (night.standing.refusedClaims.get(id)?.size ?? 0) > 0;
  return (await openSpecs(night)).some((spec) => wasRefused(spec) && !isRefusedToAll(night, spec.id));
}

/** `0001 is kept from everybody (D1: …); A1 waits for a yes (orgrepo approve A1)`. */
export function stalledInWords({ refused, waiting }: Stalled): string {
  const [first] = refused;
  const others = refused.length === 1 ? '' : ` and ${refused.length - 1} more`;
  const ids = waiting.map(({ asked }) => asked.id);
  const wait = ids.length === 1 ? 'waits' : 'wait';
  return [
    ...(first === undefined ? [] : [`${first.spec}${others} kept from everybody (D${first.n}: ${first.words})`]),
    ...(ids.length === 0 ? [] : [`${ids.join(', ')} ${wait} for a yes (orgrepo approve ${ids[0]})`]),
  ].join('; ');
}

/** Why the night is over, in words; of a cap, which one it was; of a change, what was changed; of what policies refuse, which they are. */
export function whyOver(
  {
    run: { limits },
    standing: { touched, cap, halted, waitingForPerson: waiting },
    inForce: { pinned },
  }: StandingParts,
  ending: Ending,
  stalled: Stalled,
): string {
  const words = endingInWords(ending, pinned.brief, limits);
  const why = [...new Set(halted.values())].join('; ');
  const reasons = { touched, capped: cap?.reason, refused: stalledInWords(stalled), halted: why };
  const which = ending in reasons ? reasons[ending as keyof typeof reasons] : undefined;
  const whole = which === undefined || which === '' ? words : `${words}: ${which}`;
  const waits = waiting.size === 1 ? '1 change waits for a person' : `${waiting.size} changes wait for a person`;
  return waiting.size === 0 ? whole : `${whole}; ${waits}`;
}

export interface EndOfRun {
  readonly ending: Ending;
  readonly reason: string;
  /** What the run was worth, where that was measured. */
  readonly gain: Gain | undefined;
  /** Specs that policies keep from everybody. */
  readonly refused: readonly RefusedSpec[];
  /** The table of the specs that stay claimed. */
  readonly files: NonNullable<QueueChange['files']>;
}

/** Closes the run on the queue, with what it was worth. Specs that are still claimed stay claimed: the next run goes on with them. */
export async function endNight(night: AttemptParts, { ending, reason, gain, refused, files }: EndOfRun): Promise<void> {
  await night.inForce.models.written();
  await night.inForce.policies.written();
  const tips = await tipsNow(night.run.org);
  await changeQueue(night.run.org, (queue) => ({
    event: 'end',
    title: `end: ${night.run.id}, ${reason}`,
    body: formatRefused(refused),
    files,
    ledger: { state: 'ended', experiments: Math.max(queue.ledger.experiments, night.tally.experiments) },
    trailers: {
      Run: night.run.id,
      Host: night.run.org.host,
      Ending: ending,
      Reason: reason,
      ...(ending === 'capped' && night.standing.cap
        ? { Cap: formatCapName(night.standing.cap.scope, night.standing.cap.what), By: night.standing.cap.agent }
        : {}),
      Tips: tips,
      ...(gain === undefined ? {} : { Metric: night.inForce.pinned.brief.metric, ...formatGain(gain) }),
    },
  }));
}
