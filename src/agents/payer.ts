import type { Refused } from '../domain/spending.ts';
import type { Task, Work } from './contract.ts';
import type { Payer } from './office.ts';

/**
 * On whose behalf a task spends. Every try is an attempt of its spec, and so is each time that somebody only talks of it, with a
 * name of its own (`0001.plan-1`, `0001.checker-1-7`): what one of them used up must not be missing to another.
 */
export function payerOf({ role, agent, spec, attempt }: Pick<Task, 'role' | 'agent' | 'spec' | 'attempt'>): Payer {
  if (spec === undefined) return { agent, spec: undefined, attempt: undefined };
  const which = role === 'junior' ? attempt : `${role === 'planner' ? 'plan' : agent}-${attempt}`;
  return { agent, spec: spec.id, attempt: `${spec.id}.${which}` };
}

/** A refusal as the end of an agent's work. Only the org's own limits say in their own words why. */
export const capOf = ({ scope, what, reason }: Refused): Pick<Capped, 'scope' | 'what' | 'ofPeriod'> => ({
  ...{ scope, what },
  ofPeriod: reason !== undefined,
});

type Capped = Extract<Work, { kind: 'capped' }>;
