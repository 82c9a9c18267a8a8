import { setTimeout as pause } from 'node:timers/promises';
import { type Ending, nightEnds } from '../../domain/rules/ending.ts';
import { agentsWithDuty, person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { whoPaused } from '../../records/queue/agent-book.ts';
import { waitingState } from '../claim/claim.ts';
import { adoptBrief, reserveOf } from '../night/adopt-brief.ts';
import { adoptOrg } from '../night/adopt-org.ts';
import { endIfTouched } from '../night/look-for-tampering.ts';
import type { Night } from '../night/night.ts';
import { chiefOf, isPerson } from '../night/night-in-force.ts';
import { lookForQuestions } from '../people/answer-stuck.ts';
import { mayAsk } from './attempt-breaker.ts';
import { isAwaited, isWaitingForMany } from './awaited.ts';
import { isRefusedToAll } from './claim-refusals.ts';
import { haltByRules, noteUsedUp } from './halt.ts';
import { noteBegun } from './night-standing.ts';
import { openingNow, priorityIn, tellClosed } from './opening.ts';
import { areAllStopped, noLongerHeldUp, presentAsKnown, presentNow, sayHeldUp } from './present.ts';
import { checkIdleThoughPaused, checkOpenToOthers, checkStalled, noteNewRefusals, whatStalls } from './stalled.ts';
import { steeringOf } from './steering.ts';

/** What an agent does next. Only the loop waits and ends: nothing here does. */
export type NextStep = { readonly kind: 'go' } | { readonly kind: 'wait'; readonly ms: number } | StopStep;

interface StopStep {
  readonly kind: 'stop';
  /** Why the whole run ends with it, where it does. */
  readonly ending?: Ending | undefined;
}

type StandingParts = Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>;

/** Decides whether an agent begins another attempt at its spec, and counts the attempt if it does. */
export async function nextAttempt(night: StandingParts, agent: string, spec: Spec): Promise<NextStep> {
  const { standing, inForce } = night;
  if (standing.spentSpecs.has(spec.id)) return { kind: 'stop' };
  const next = await nextFor(night, agent, 'patient', spec.id);
  const present = presentAsKnown(night, agent);
  if (next.kind === 'stop' && (present.kind === 'stop' || standing.spentUp.has(agent))) standing.leaving.add(spec.id);
  if (next.kind !== 'go') return next;
  if (agent !== person && present.kind === 'wait') return { kind: 'wait', ms: 0 }; // Another lane took the last one of this hour.
  const opening = openingNow(inForce, agent, priorityIn(inForce, spec));
  if (opening.kind === 'closed') {
    tellClosed(night, agent, opening, spec.id);
    standing.leaving.add(spec.id);
    return { kind: 'stop' };
  }
  noteBegun(standing, agent, nowInSeconds());
  return next;
}

/** Waits until an agent begins another attempt; false if it does not. */
export async function beginAttempt(night: StandingParts, agent: string, spec: Spec): Promise<boolean> {
  for (;;) {
    const next = await nextAttempt(night, agent, spec);
    if (next.kind !== 'wait') return next.kind === 'go';
    await pause(next.ms);
  }
}

/** Decides whether an agent may claim another spec; a changed brief takes effect here. */
export async function nextClaim(night: StandingParts, agent: string): Promise<NextStep> {
  if (await endIfTouched(night)) return { kind: 'stop' };
  const next = await nextFor(night, agent, 'at once');
  if (next.kind !== 'go') return next;
  await adoptBrief(night);
  return nextFor(night, agent, 'at once');
}

/**
 * Decides what a lane without work does: wait if somebody may still give it some, or end. An agent that is stopped waits for a person
 * as long as others work, and the lane of a junior who is a person leaves that to the others.
 */
export async function nextWithoutWork(night: Night, agent: string): Promise<NextStep> {
  const { run, inForce, desk, standing } = night;
  const present = await presentNow(night, agent);
  if (present.kind === 'pause') sayHeldUp(night, agent, present);
  const worked = [...desk.live.values()].some(({ state }) => state !== waitingState); // A person may come or not.
  const others = inForce.juniors.some((junior) => !isPerson(inForce, junior));
  const chief = chiefOf(inForce, agent);
  const spentUp = standing.spentUp.has(agent);
  const mayWork = !spentUp && !isWaitingForMany(standing, agent);
  const asks = mayWork && mayAsk(night, chief) && !isAwaited(standing, chief) && !(await checkStalled(night));
  const theirs = (isPerson(inForce, agent) && others) || (await haltByRules(night, agent));
  const answers = !spentUp && !isPerson(inForce, agent) && (await lookForQuestions(night));
  const news = noteNewRefusals(standing, agent) || worked || asks || answers || theirs;
  const held: Hold = news ? { kind: 'held' } : await findHold(night, agent);
  if (held.kind === 'ends') return { kind: 'stop', ending: standing.ending ?? held.ending };
  const mayCome = held.kind === 'held' || (await checkOpenToOthers(night));
  if (standing.ending === undefined && !run.signal.aborted && mayCome) return { kind: 'wait', ms: pace().idleMs };
  // An agent over its cap ends alone while the others go on; without a chief that may ask there will be no ideas.
  return { kind: 'stop', ending: spentUp ? undefined : (standing.ending ?? (await endingWithoutWork(night, chief))) };
}

/** Tells "no ideas left" from "all remaining work needs a person". */
async function endingWithoutWork(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  chief: string | undefined,
): Promise<Ending> {
  if (night.standing.spentUp.has(chief ?? '')) return 'capped';
  const { refused, waiting } = await whatStalls(night);
  return refused.length + waiting.length > 0 ? 'refused' : 'no-ideas';
}

type Hold = { readonly kind: 'held' | 'free' } | { readonly kind: 'ends'; readonly ending: Ending };

/** Finds out whether there is work that only people's orders, the hours or the chart hold up now. */
async function findHold(night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>, agent: string): Promise<Hold> {
  const held = (is: boolean): Hold => ({ kind: is ? 'held' : 'free' });
  const present = await presentNow(night, agent);
  if (present.kind === 'stop' && areAllStopped(night)) return { kind: 'ends', ending: 'stopped' };
  if (present.kind !== 'go') {
    sayHeldUp(night, agent, present);
    return held(present.kind !== 'pause' || !(await checkIdleThoughPaused(night, agent)));
  }
  if (openingNow(night.inForce, agent, 'normal').kind === 'closed') return held(true);
  if (night.desk.waitingSpecs.size > 0) return held(true);
  if ([...night.standing.handedBack].some((spec) => !isRefusedToAll(night, spec))) return held(true);
  for (const chief of agentsWithDuty(night.inForce.pinned.brief, 'chief'))
    if ((await presentNow(night, chief)).kind === 'pause') return held(true);
  return held(false);
}

/** Decides by the run's limits, the rules and people's orders. A patient agent holds a spec and waits; others are answered at once. */
async function nextFor(
  night: StandingParts,
  agent: string,
  how: 'patient' | 'at once',
  spec?: string,
): Promise<NextStep> {
  const { run, inForce, standing, tally } = night;
  await adoptOrg(night);
  const progress = {
    startedAt: run.startedAt,
    begun: standing.begun,
    sinceKeep: tally.sinceKeep,
    best: tally.best.score,
    reserveMs: reserveOf(night),
  };
  standing.ending ??= nightEnds(progress, inForce.pinned.brief, run.limits, Date.now());
  if (standing.spentUp.has(agent) || (await haltByRules(night, agent))) return { kind: 'stop' };
  const { state } = await steeringOf(night);
  if (state === 'stopping') standing.ending ??= 'stopped';
  if (standing.ending !== undefined || run.signal.aborted) return { kind: 'stop' };
  const present = await presentNow(night, agent);
  if (present.kind === 'stop') return { kind: 'stop' };
  if (state !== 'paused' && present.kind === 'go') {
    if (agent !== person && (await noteUsedUp(night, agent, spec))) return { kind: 'stop' };
    noLongerHeldUp(standing, agent);
    return { kind: 'go' };
  }
  if (state !== 'paused' && how === 'at once') return { kind: 'stop' };
  const by = await whoPaused(run.org, { state });
  sayHeldUp(night, agent, present, state === 'paused' ? `by ${by ?? 'a person'}: orgrepo resume` : '');
  return { kind: 'wait', ms: pace().pausedMs };
}
