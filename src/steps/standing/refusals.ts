import { agentPrincipal, claimAct, type Decision, isAllowed, type Principal } from '../../domain/rules/act.ts';
import { memberOf } from '../../domain/staff/chart.ts';
import { person } from '../../domain/staff/staff.ts';
import { riskOf, type Spec } from '../../domain/words/spec.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { draftFor, readActs, yesTo } from '../../records/requests/requests.ts';
import type { KnownParts, Night, StandingParts } from '../night/night.ts';
import { chartNow, isPerson } from '../night/night-basics.ts';
import { type NightStanding, trustNow } from './night-standing.ts';
import { presentAsKnown } from './standing-now.ts';

/**
 * Decides whether policies keep an agent from a spec, and writes the decision down. `isHolder` says that the agent has the claim
 * already. Policies do not keep people from specs.
 */
export async function decideClaim(night: StandingParts, agent: string, spec: Spec, isHolder = false): Promise<boolean> {
  if (agent === person) return false;
  if (!(await decideOn(night, agent, spec, isHolder))) return false;
  // Routing gives it to another agent next, and must not wait for a paused one that policies keep from it too.
  for (const other of night.inForce.juniors) if (other !== agent) await foreseeClaim(night, other, spec);
  return true;
}

/**
 * Decides the same for an agent that is paused and asks for nothing itself. An approval that would let it is not used up: a person
 * may never resume it. False for an agent that is not paused.
 */
export async function foreseeClaim(night: StandingParts, agent: string, spec: Spec): Promise<boolean> {
  if (
    !night.inForce.policies.hasPolicies() ||
    isPerson(night.inForce, agent) ||
    presentAsKnown(night, agent).kind !== 'pause'
  )
    return false;
  const act = claimAct(principalIn(night, agent), spec, riskOf(spec, night.inForce.pinned.brief));
  const given = (decision: Decision) => yesTo(night.run.org, draftFor(decision), nowInSeconds());
  if (!isAllowed(await night.inForce.policies.foresee(act, given))) return decideOn(night, agent, spec, false);
  night.standing.refusedClaims.get(spec.id)?.delete(agent);
  return false;
}

/** True if it is refused, which is then on the books. */
async function decideOn(night: KnownParts, agent: string, spec: Spec, isHolder: boolean): Promise<boolean> {
  const refused = night.standing.refusedClaims;
  const known = { policies: night.inForce.applied.policies, acts: night.standing.lastOrders.ledger.acts };
  const act = (who: Principal) => claimAct(who, spec, riskOf(spec, night.inForce.pinned.brief));
  const refusal = await night.inForce.policies.refusesClaim(agent, act, isHolder);
  if (refusal === undefined) refused.get(spec.id)?.delete(agent);
  else refused.set(spec.id, (refused.get(spec.id) ?? new Map()).set(agent, { ...refusal, ...known }));
  return refusal !== undefined;
}

/**
 * Tells whether policies have refused something since this agent last asked: then a chief may be asked for other specs. A refusal
 * that came again after a request was made or answered is new too, because the answer might have changed it.
 */
export function noteNewRefusals(standing: NightStanding, agent: string): boolean {
  const refusals = JSON.stringify(
    [...standing.refusedClaims].map(([spec, by]) => [spec, [...by].map(([who, { acts }]) => [who, acts])]),
  );
  const isNew = refusals !== (standing.refusalsSeen.get(agent) ?? '[]');
  standing.refusalsSeen.set(agent, refusals);
  return isNew;
}

/** An agent as policies see it: by the chart that is in force, and by the trust that it has earned. */
export function principalIn(night: KnownParts, agent: string): Principal {
  const chart = chartNow(night.inForce);
  return agentPrincipal(agent, chart && memberOf(chart, agent), trustNow(night.standing, agent).score);
}

/** What an agent would begin once a person approves it. */
export interface Awaited {
  readonly agent: string;
  /** Undefined for a chief, which would write specs. */
  readonly spec: string | undefined;
  /** The request, by its key. */
  readonly request: string;
}

/** So many specs of one agent wait at the most, so that people are not asked about a hundred of them. */
const mostAwaited = 3;

/** Notes what an agent cannot begin yet. It has cost no attempt, and there may be other work. */
export function awaitYes(standing: NightStanding, awaited: Awaited): void {
  standing.awaited.push(awaited);
}

/** Tells whether an agent gets no other spec before people have answered. */
export const isWaitingForMany = (standing: NightStanding, agent: string): boolean =>
  standing.awaited.filter((one) => one.agent === agent).length >= mostAwaited;

/** Tells whether a chief waits to write specs, as far as is known. */
export const isAwaited = (standing: NightStanding, chief: string | undefined): boolean =>
  standing.awaited.some((one) => one.agent === chief && one.spec === undefined);

/** Finds out whether a chief waits to write specs and has no answer yet. */
export async function checkChiefWaiting(night: Pick<Night, 'run' | 'standing'>, chief: string): Promise<boolean> {
  const awaited = night.standing.awaited.find((one) => one.agent === chief && one.spec === undefined);
  return awaited !== undefined && !(await takeAnswered(night, awaited));
}

/** A spec of an agent that waited and has an answer now. A denial ends the attempt. */
export async function nextAnswered(night: Pick<Night, 'run' | 'standing'>, agent: string): Promise<string | undefined> {
  for (const awaited of night.standing.awaited.filter((one) => one.agent === agent && one.spec !== undefined))
    if (await takeAnswered(night, awaited)) return awaited.spec;
  return undefined;
}

/** True once, when there is an answer. */
async function takeAnswered({ run, standing }: Pick<Night, 'run' | 'standing'>, awaited: Awaited): Promise<boolean> {
  const requests = await readActs(run.org, nowInSeconds());
  if (requests.some(({ asked, stage }) => asked.key === awaited.request && stage.kind === 'waits')) return false;
  const at = standing.awaited.indexOf(awaited);
  if (at >= 0) standing.awaited.splice(at, 1);
  return at >= 0;
}
