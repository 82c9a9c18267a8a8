import { mostStrikes, strikesInWords } from '../../domain/rules/breaker.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { haltAgent } from '../../records/queue/agent-book.ts';
import { readEscalations } from '../../records/requests/escalations.ts';
import type { Night } from '../night/night.ts';
import type { NightInForce } from '../night/night-in-force.ts';
import { areAll, isChief } from '../night/night-in-force.ts';
import type { RunConstants } from '../night/run-constants.ts';
import { raiseOverBudget } from '../people/raise-stuck.ts';
import { forgive, whyStop } from './attempt-breaker.ts';
import type { NightStanding, Reached } from './night-standing.ts';
import { steeringOf } from './steering.ts';

/**
 * Whether an agent gets no work until a person has looked: it tampered once too often this night, or came to nothing too
 * often, and nobody has said since that it may go on. The night ends when that is so for everybody.
 */
export async function haltByRules(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
): Promise<boolean> {
  const { halted } = await steeringOf(night);
  if (night.standing.halted.has(agent) && !halted.includes(agent)) {
    night.standing.halted.delete(agent); // A person said: orgrepo resume <agent>.
    forgive(night, agent);
  }
  if (!night.standing.halted.has(agent)) await stopByRules(night, agent);
  // That a person is needed is worth more than that as much was done as was asked for.
  const nobodyLeft = areAll(
    night.inForce,
    (junior) => night.standing.halted.has(junior) || night.standing.spentUp.has(junior),
  );
  if (nobodyLeft && (night.standing.ending === undefined || night.standing.ending === 'max'))
    night.standing.ending = 'halted';
  return night.standing.halted.has(agent);
}

async function stopByRules(night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>, agent: string): Promise<void> {
  if ((night.standing.strikes.get(agent) ?? 0) >= mostStrikes)
    return stopAgent(night, agent, strikesInWords, 'npx orgrepo log --event tampered');
  const why = whyStop(night, agent);
  if (why !== undefined) await stopAgent(night, agent, why, lookAt(night.inForce, agent));
}

/** A chief has no notebook: what it came to is on the queue. */
const lookAt = (inForce: NightInForce, agent: string): string =>
  isChief(inForce, agent) ? 'git log --grep=^failed: orgrepo/queue' : 'npx orgrepo log';

/** The last words in the notebook of a claim that its holder may not go on with; empty for any other end. */
export const whyHalted = (standing: NightStanding, agent: string, spec: string): string =>
  standing.spentSpecs.get(spec) ??
  (standing.halted.has(agent) ? `${agent} was stopped: ${standing.halted.get(agent)}` : '');

/** An agent gets no more work until a person has looked. */
export async function stopAgent(
  night: Pick<Night, 'run' | 'standing'>,
  agent: string,
  why: string,
  look = 'npx orgrepo log',
): Promise<void> {
  const { ledger } = await haltAgent(night.run.org, agent, why);
  night.standing.halted.set(agent, why);
  night.standing.steered = { at: performance.now(), ledger }; // Whoever read the queue before this knows less.
  const at = nowInSeconds();
  night.run.say({
    kind: 'warning',
    at,
    message: `${agent} is stopped: ${why}. Look: ${look}. Let it go on: npx orgrepo resume ${agent}`,
  });
  night.run.say({ kind: 'doing', at, agent, doing: 'idle', detail: `stopped: orgrepo resume ${agent}` });
}

/**
 * Whether an agent may begin nothing more because a limit of the org's is used up, tonight or before: then it takes up no claim and
 * makes no attempt, and what it holds is for others. Who asks no model spends nothing that counts.
 */
export async function noteUsedUp(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  spec?: string,
): Promise<boolean> {
  if (night.standing.spentUp.has(agent)) return true;
  const { kind } = choiceOf(night.inForce.pinned.brief.staff, agent);
  const refused = kind === 'api' || kind === 'program' ? await night.inForce.office.usedUp(agent) : undefined;
  if (refused === undefined) return false;
  const reason = refused.reason ?? '';
  if (night.standing.spentUp.has(agent)) return true; // Somebody asked for it meanwhile.
  night.standing.spentUp.add(agent);
  if (spec !== undefined || !(await findOverBudgetSaid(night.run, agent)))
    raiseOverBudget(night, agent, refused.scope, reason, spec);
  noteCap(night, agent, { ...refused, reason }, spec);
  return true;
}

/** Once a day is enough of somebody who has nothing in hand. */
async function findOverBudgetSaid({ org }: RunConstants, agent: string): Promise<boolean> {
  const now = nowInSeconds();
  return (await readEscalations(org, now)).some(
    ({ raised }) => raised.by === agent && raised.reason === 'OVER_BUDGET' && now - raised.at < 86_400,
  );
}

/**
 * A cap of the person's: on the night or the day it ends the night, on an agent it is that agent's end for tonight, on a
 * spec that spec's, also when somebody met it who only talks of it. A call or an attempt ends alone; but a chief, who has no
 * spec, will not find a call cheaper that is too dear.
 */
export function reachCap(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  cap: CapMet,
  spec?: string,
): void {
  raiseOverBudget(night, agent, cap.scope, cap.reason, spec);
  noteCap(night, agent, cap, spec);
}

type CapMet = Pick<Reached, 'reason' | 'scope'> & Partial<Pick<Reached, 'what'>>;

function noteCap(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  { reason, scope, what }: CapMet,
  spec: string | undefined,
): void {
  night.run.say({ kind: 'warning', at: nowInSeconds(), message: `${agent}: ${reason}` });
  if (scope === 'spec' && spec !== undefined) night.standing.spentSpecs.set(spec, reason);
  if (scope === 'agent' || spec === undefined) night.standing.spentUp.add(agent);
  const nobodyLeft = areAll(night.inForce, (junior) => night.standing.spentUp.has(junior));
  const ends = night.standing.ending === undefined && (scope === 'night' || scope === 'day' || nobodyLeft);
  if (ends) night.standing.ending = 'capped';
  // A chief that may ask no more ends the night too, once there is nothing left to work on.
  if (ends || (spec === undefined && night.standing.cap === undefined))
    night.standing.cap = { agent, scope, what, reason };
}
