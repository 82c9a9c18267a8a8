import { mostStrikes, strikesInWords } from '../../domain/rules/breaker.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { haltAgent } from '../../records/queue/strike-book.ts';
import { readEscalations } from '../../records/requests/escalations.ts';
import { areAll, isChief, type Night, type Reached } from '../night/night.ts';
import { raiseOverBudget } from '../people/raise-stuck.ts';
import { forgive, whyStop } from './attempt-breaker.ts';
import { steeringOf } from './steering.ts';

/**
 * Whether an agent gets no work until a person has looked: it tampered once too often this night, or came to nothing too
 * often, and nobody has said since that it may go on. The night ends when that is so for everybody.
 */
export async function isHalted(night: Night, agent: string): Promise<boolean> {
  const { halted } = await steeringOf(night);
  if (night.halted.has(agent) && !halted.includes(agent)) {
    night.halted.delete(agent); // A person said: orgrepo resume <agent>.
    forgive(night, agent);
  }
  if (!night.halted.has(agent)) await stopByRules(night, agent);
  // That a person is needed is worth more than that as much was done as was asked for.
  const nobodyLeft = areAll(night, (junior) => night.halted.has(junior) || night.spentUp.has(junior));
  if (nobodyLeft && (night.ending === undefined || night.ending === 'max')) night.ending = 'halted';
  return night.halted.has(agent);
}

async function stopByRules(night: Night, agent: string): Promise<void> {
  if ((night.strikes.get(agent) ?? 0) >= mostStrikes)
    return stopAgent(night, agent, strikesInWords, 'npx orgrepo log --event tampered');
  const why = whyStop(night, agent);
  if (why !== undefined) await stopAgent(night, agent, why, lookAt(night, agent));
}

/** A chief has no notebook: what it came to is on the queue. */
const lookAt = (night: Night, agent: string): string =>
  isChief(night, agent) ? 'git log --grep=^failed: orgrepo/queue' : 'npx orgrepo log';

/** The last words in the notebook of a claim that its holder may not go on with; empty for any other end. */
export const whyHalted = (night: Night, agent: string, spec: string): string =>
  night.spentSpecs.get(spec) ?? (night.halted.has(agent) ? `${agent} was stopped: ${night.halted.get(agent)}` : '');

/** An agent gets no more work until a person has looked. */
export async function stopAgent(night: Night, agent: string, why: string, look = 'npx orgrepo log'): Promise<void> {
  const { ledger } = await haltAgent(night.org, agent, why);
  night.halted.set(agent, why);
  night.steered = { at: performance.now(), ledger }; // Whoever read the queue before this knows less.
  const at = nowInSeconds();
  night.say({
    kind: 'warning',
    at,
    message: `${agent} is stopped: ${why}. Look: ${look}. Let it go on: npx orgrepo resume ${agent}`,
  });
  night.say({ kind: 'doing', at, agent, doing: 'idle', detail: `stopped: orgrepo resume ${agent}` });
}

/**
 * Whether an agent may begin nothing more because a limit of the org's is used up, tonight or before: then it takes up no claim and
 * makes no attempt, and what it holds is for others. Who asks no model spends nothing that counts.
 */
export async function isUsedUp(night: Night, agent: string, spec?: string): Promise<boolean> {
  if (night.spentUp.has(agent)) return true;
  const { kind } = choiceOf(night.pinned.brief.staff, agent);
  const refused = kind === 'api' || kind === 'program' ? await night.office.usedUp(agent) : undefined;
  if (refused === undefined) return false;
  const reason = refused.reason ?? '';
  if (night.spentUp.has(agent)) return true; // Somebody asked for it meanwhile.
  night.spentUp.add(agent);
  if (spec !== undefined || !(await hasSaidOverBudget(night, agent)))
    raiseOverBudget(night, agent, refused.scope, reason, spec);
  noteCap(night, agent, { ...refused, reason }, spec);
  return true;
}

/** Once a day is enough of somebody who has nothing in hand. */
async function hasSaidOverBudget({ org }: Night, agent: string): Promise<boolean> {
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
export function reachCap(night: Night, agent: string, cap: CapMet, spec?: string): void {
  raiseOverBudget(night, agent, cap.scope, cap.reason, spec);
  noteCap(night, agent, cap, spec);
}

type CapMet = Pick<Reached, 'reason' | 'scope'> & Partial<Pick<Reached, 'what'>>;

function noteCap(night: Night, agent: string, { reason, scope, what }: CapMet, spec: string | undefined): void {
  night.say({ kind: 'warning', at: nowInSeconds(), message: `${agent}: ${reason}` });
  if (scope === 'spec' && spec !== undefined) night.spentSpecs.set(spec, reason);
  if (scope === 'agent' || spec === undefined) night.spentUp.add(agent);
  const nobodyLeft = areAll(night, (junior) => night.spentUp.has(junior));
  const ends = night.ending === undefined && (scope === 'night' || scope === 'day' || nobodyLeft);
  if (ends) night.ending = 'capped';
  // A chief that may ask no more ends the night too, once there is nothing left to work on.
  if (ends || (spec === undefined && night.cap === undefined)) night.cap = { agent, scope, what, reason };
}
