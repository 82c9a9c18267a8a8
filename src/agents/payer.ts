import type { Refused } from '../domain/words/spending.ts';
import type { AgentTask, AgentWork, TaskSpending } from './agent-contract.ts';
import type { ModelPayer } from './model-access.ts';
import { Fault } from './models/model-contract.ts';

/**
 * On whose behalf a task spends. Every try is an attempt of its spec, and so is each time that somebody only talks of it, with a
 * name of its own (`0001.plan-1`, `0001.checker-1-7`): what one of them used up must not be missing to another.
 */
export function payerOf({
  role,
  agent,
  spec,
  attempt,
}: Pick<AgentTask, 'role' | 'agent' | 'spec' | 'attempt'>): ModelPayer {
  if (spec === undefined) return { agent, spec: undefined, attempt: undefined, errand: `${agent}-${attempt}` };
  const which = role === 'junior' ? attempt : `${role === 'planner' ? 'plan' : agent}-${attempt}`;
  const name = `${spec.id}.${which}`;
  return { agent, spec: spec.id, attempt: name, errand: name };
}

/** What stands against the first call of an agent, where a person can say yes to it: then nothing was done so far. */
export function waitsFor(error: unknown, spent?: TaskSpending): Extract<AgentWork, { kind: 'waits' }> | undefined {
  if (!(error instanceof Fault) || error.request === undefined) return undefined;
  if (spent !== undefined && spent.tokensIn + spent.tokensOut > 0) return undefined;
  return { kind: 'waits', reason: error.message, request: error.request };
}

/** A refusal as the end of an agent's work. Only the org's own limits say in their own words why. */
export const capOf = ({ scope, what, reason }: Refused): Pick<Capped, 'scope' | 'what' | 'ofPeriod'> => ({
  ...{ scope, what },
  ofPeriod: reason !== undefined,
});

type Capped = Extract<AgentWork, { kind: 'capped' }>;
