import { claimAct, type Principal } from '../../domain/rules/act.ts';
import { type Decision, isAllowed } from '../../domain/rules/decision.ts';
import { person } from '../../domain/staff/agent-names.ts';
import { riskOf } from '../../domain/words/risk.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { RefusedClaim } from '../../policy/governor.ts';
import { nowInSeconds } from '../../process/clock.ts';
import { wishFor, yesTo } from '../../records/requests/requests.ts';
import type { Night } from '../night/night.ts';
import { isPerson } from '../night/night-in-force.ts';
import { principalIn } from '../night/principal.ts';
import { presentAsKnown } from './present.ts';

/** A claim that policies refused, and what was known then. */
export interface ClaimRefusal extends RefusedClaim {
  /** The policies that were in force. */
  readonly policies: string | undefined;
  /** How often somebody had asked or answered on the queue: a yes may have come since. */
  readonly acts: number;
}

/**
 * Whether policies keep an agent from a spec, decided anew whenever it is asked and written down. `isHolder` of a claim that
 * the agent has already. What a person takes up is a person's affair.
 */
export async function decideClaim(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  spec: Spec,
  isHolder = false,
): Promise<boolean> {
  if (agent === person) return false;
  if (!(await decideOn(night, agent, spec, isHolder))) return false; // Else whoever routes it next gives it to somebody else,
  for (const other of night.inForce.juniors) if (other !== agent) await foreseeClaim(night, other, spec);
  return true; // and must not wait for somebody who is only paused and may do it as little.
}

/**
 * The same of an agent that is paused: it asks for nothing itself, and policies can be asked at any time. What would let it is not
 * used up: a person may never let it work. False of everybody who is not paused.
 */
export async function foreseeClaim(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  spec: Spec,
): Promise<boolean> {
  if (
    !night.inForce.governor.decides() ||
    isPerson(night.inForce, agent) ||
    presentAsKnown(night, agent).kind !== 'pause'
  )
    return false;
  const act = claimAct(principalIn(night, agent), spec, riskOf(spec, night.inForce.pinned.brief));
  const given = (decision: Decision) => yesTo(night.run.org, wishFor(decision), nowInSeconds());
  if (!isAllowed(await night.inForce.governor.foresee(act, given))) return decideOn(night, agent, spec, false);
  night.standing.refusedClaims.get(spec.id)?.delete(agent);
  return false;
}

/** True where it is refused, which is then on the books. */
async function decideOn(
  night: Pick<Night, 'inForce' | 'standing'>,
  agent: string,
  spec: Spec,
  isHolder: boolean,
): Promise<boolean> {
  const refused = night.standing.refusedClaims;
  const known = { policies: night.inForce.applied.policies, acts: night.standing.steered.ledger.acts };
  const act = (who: Principal) => claimAct(who, spec, riskOf(spec, night.inForce.pinned.brief));
  const refusal = await night.inForce.governor.refusesClaim(agent, act, isHolder);
  if (refusal === undefined) refused.get(spec.id)?.delete(agent);
  else refused.set(spec.id, (refused.get(spec.id) ?? new Map()).set(agent, { ...refusal, ...known }));
  return refusal !== undefined;
}

/** What keeps an agent from a spec, as long as nobody has changed the policies or said anything since. */
export function refusalFor(
  night: Pick<Night, 'inForce' | 'standing'>,
  agent: string,
  spec: string,
): ClaimRefusal | undefined {
  const refusal = night.standing.refusedClaims.get(spec)?.get(agent);
  if (refusal === undefined || refusal.policies !== night.inForce.applied.policies) return undefined;
  return refusal.request !== undefined && refusal.acts !== night.standing.steered.ledger.acts ? undefined : refusal;
}

/** Why an agent does nothing more with a spec tonight; whoever is only paused may yet. */
export function whyGone(night: Pick<Night, 'inForce' | 'standing'>, id: string, spec: string): string | undefined {
  if (night.standing.halted.has(id)) return `${id} is stopped: ${night.standing.halted.get(id)}`;
  if (night.standing.spentUp.has(id)) return `${id} has used up what it may`;
  const present = presentAsKnown(night, id);
  if (present.kind === 'stop') return present.reason;
  return refusalFor(night, id, spec) === undefined ? undefined : `a policy keeps ${id} from it`;
}

/** Whether policies keep a spec from everybody who could work on it tonight. */
export const isRefusedToAll = (night: Pick<Night, 'inForce' | 'standing'>, spec: string): boolean =>
  (night.standing.refusedClaims.get(spec)?.size ?? 0) > 0 &&
  night.inForce.juniors.every((id) => isPerson(night.inForce, id) || whyGone(night, id, spec) !== undefined);
