import { setTimeout as pause } from 'node:timers/promises';
import { type Ending, nightEnds } from '../../domain/rules/stopping-rules.ts';
import { person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { shortRef } from '../../git/refs/ref-names.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { whoPaused } from '../../records/queue/agent-book.ts';
import type { Bench } from '../attempt/bench.ts';
import { adoptBrief, adoptOrg, reserveOf } from '../night/adopt-org.ts';
import type { AttemptParts, Night } from '../night/night.ts';
import { warn } from '../night/night-basics.ts';
import { haltByRules, noteUsedUp, whyEnough, whyHalted } from './halt.ts';
import { noteBegun } from './night-standing.ts';
import {
  clearWaiting,
  presentNow,
  priorityIn,
  readOrders,
  sayWaiting,
  standingNow,
  tellClosed,
} from './standing-now.ts';

/** What an agent does next. Only the loop waits and ends: nothing here does. */
export type NextStep = { readonly kind: 'go' } | { readonly kind: 'wait'; readonly ms: number } | StopStep;

interface StopStep {
  readonly kind: 'stop';
  /** Why the whole run ends with it, where it does. */
  readonly ending?: Ending | undefined;
}

/** Decides whether an agent begins another attempt at its spec, and counts the attempt if it does. */
export async function nextAttempt(night: AttemptParts, agent: string, spec: Spec): Promise<NextStep> {
  const { standing, inForce } = night;
  if (standing.spentSpecs.has(spec.id)) return { kind: 'stop' };
  const next = await nextFor(night, agent, 'patient', spec.id);
  const now = standingNow(night, agent, { priority: priorityIn(inForce, spec) });
  if (next.kind === 'stop' && now.kind === 'stop') standing.leaving.add(spec.id);
  if (next.kind !== 'go') return next;
  if (now.kind === 'wait' && now.cause === 'rate') return { kind: 'wait', ms: 0 }; // Another lane took the last one of this hour.
  if (now.kind === 'wait') {
    tellClosed(night, agent, now, spec.id);
    standing.leaving.add(spec.id);
    return { kind: 'stop' };
  }
  noteBegun(standing, agent, nowInSeconds());
  return next;
}

/** Waits until an agent begins another attempt; false if it does not. */
export async function beginAttempt(night: AttemptParts, agent: string, spec: Spec): Promise<boolean> {
  for (;;) {
    const next = await nextAttempt(night, agent, spec);
    if (next.kind !== 'wait') return next.kind === 'go';
    await pause(next.ms);
  }
}

/**
 * Waits until the next attempt at the spec of a bench begins. If it does not, says why the work on the spec ends; the reason is
 * empty if another agent or the next run goes on with it.
 */
export async function beginNext(night: AttemptParts, bench: Bench): Promise<string | undefined> {
  const { agent, spec } = bench.claim;
  const enough = whyEnough(night, bench);
  if (enough !== undefined) return enough;
  return (await beginAttempt(night, agent, spec)) ? undefined : whyHalted(night.standing, agent, spec.id);
}

/** Decides whether an agent may claim another spec; a changed brief takes effect here. */
export async function nextClaim(night: AttemptParts, agent: string): Promise<NextStep> {
  if (await endIfTouched(night)) return { kind: 'stop' };
  const next = await nextFor(night, agent, 'at once');
  if (next.kind !== 'go') return next;
  await adoptBrief(night);
  return nextFor(night, agent, 'at once');
}

/** Decides by the run's limits, the rules and people's orders. A patient agent holds a spec and waits; others are answered at once. */
async function nextFor(
  night: AttemptParts,
  agent: string,
  how: 'patient' | 'at once',
  spec?: string,
): Promise<NextStep> {
  const { run, inForce, standing, tally } = night;
  await adoptOrg(night);
  const { startedAt } = run;
  const { sinceKeep, best } = tally;
  const progress = { startedAt, begun: standing.begun, sinceKeep, best: best.score, reserveMs: reserveOf(night) };
  standing.ending ??= nightEnds(progress, inForce.pinned.brief, run.limits, Date.now());
  if (standing.spentUp.has(agent) || (await haltByRules(night, agent))) return { kind: 'stop' };
  const { state, frozen } = await readOrders(night);
  if (state === 'stopping' || frozen) standing.ending ??= 'stopped';
  if (standing.ending !== undefined || run.signal.aborted) return { kind: 'stop' };
  const present = await presentNow(night, agent);
  if (present.kind === 'stop') return { kind: 'stop' };
  if (state !== 'paused' && present.kind === 'go') {
    if (agent !== person && (await noteUsedUp(night, agent, spec))) return { kind: 'stop' };
    clearWaiting(standing, agent);
    return { kind: 'go' };
  }
  if (state !== 'paused' && how === 'at once') return { kind: 'stop' };
  const by = await whoPaused(run.org, { state });
  sayWaiting(night, agent, present, state === 'paused' ? `by ${by ?? 'a person'}: orgrepo resume` : '');
  return { kind: 'wait', ms: pace().pausedMs };
}

/**
 * Ends the run if somebody has changed how git works in this repository since it began; true if it did. The person's next git
 * command would run what was changed.
 */
export async function endIfTouched(night: Pick<Night, 'run' | 'standing'>): Promise<boolean> {
  if (night.standing.touched !== undefined) return true;
  const lost = night.run.org.repo.refs.putBack();
  if (lost.length > 0) warn(night.run, lostInWords(lost));
  const changes = await night.run.tamperCheck.changes();
  if (changes.length === 0) return false;
  const [first = ''] = changes;
  const more = changes.length === 1 ? '' : ` and ${changes.length - 1} more`;
  night.standing.touched = `${first}${more}`;
  night.standing.ending = 'touched';
  warn(
    night.run,
    `somebody has changed how git works here: ${changes.join(', ')}. The night ends. Look at it before you use git in this repository; if it was you, run again`,
  );
  return true;
}

const lostInWords = (refs: readonly string[]): string =>
  `refs were gone and are back where this run left them: ${refs.map(shortRef).join(', ')}. Either .git/packed-refs was lost or somebody deleted them. Check your own branches: git branch -a`;
