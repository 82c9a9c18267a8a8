import type { Scope } from '../domain/spending.ts';
import { mostStrikes } from '../domain/strikes.ts';
import { haltAgent } from '../records/strikes.ts';
import { type Night, nowInSeconds } from './night.ts';
import { steeringOf } from './steering.ts';

/**
 * Whether an agent gets no work until a person has looked: it tampered once too often this night, and nobody has said
 * since that it may go on. The night ends when that is so for everybody.
 */
export async function isHalted(night: Night, agent: string): Promise<boolean> {
  const { halted } = await steeringOf(night);
  if (night.halted.has(agent) && !halted.includes(agent)) {
    night.halted.delete(agent); // A person said: orgrepo resume <agent>.
    night.strikes.delete(agent);
  }
  if (!night.halted.has(agent) && (night.strikes.get(agent) ?? 0) >= mostStrikes)
    await stopAgent(night, agent, strikesInWords, 'npx orgrepo log --event tampered');
  if (night.juniors.every((junior) => night.halted.has(junior))) night.ending ??= 'halted';
  return night.halted.has(agent);
}

/** The last words in the notebook of a claim that its holder may not go on with; empty for any other end. */
export const whyHalted = (night: Night, agent: string): string =>
  night.halted.has(agent) ? `${agent} was stopped: ${night.halted.get(agent)}` : '';

const strikesInWords = `${mostStrikes} attempts of one night were tampered with`;

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

/** A cap of the person's: on the night or the day it ends the night, on an agent it is that agent's end for tonight. */
export function reachCap(night: Night, agent: string, { reason, scope }: { reason: string; scope: Scope }): void {
  night.say({ kind: 'warning', at: nowInSeconds(), message: `${agent}: ${reason}` });
  if (scope === 'night' || scope === 'day') night.ending ??= 'capped';
  if (scope === 'agent') night.spentUp.add(agent);
  if (night.juniors.every((junior) => night.spentUp.has(junior))) night.ending ??= 'capped';
}
