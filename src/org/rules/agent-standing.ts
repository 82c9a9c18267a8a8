import { openingFor } from '../../domain/rules/stopping-rules.ts';
import type { Member, WorkingHours } from '../../domain/staff/charter.ts';
import { type Begun, mayAct, type Presence } from '../../domain/staff/presence.ts';
import { person } from '../../domain/staff/staff.ts';
import type { Priority } from '../../domain/words/spec.ts';

/**
 * Whether an agent may go on, and if not, why. A wait ends by itself, a pause ends when a person resumes the agent, and a stop
 * lasts until a person changes something.
 */
export type Standing = { readonly kind: 'go' } | Hindrance;

export interface Hindrance {
  readonly kind: 'wait' | 'pause' | 'stop';
  readonly cause: 'halted' | 'budget' | 'left' | 'stopped' | 'policy' | 'paused' | 'rate' | 'approval' | 'hours';
  readonly reason: string;
  /** When a wait ends, in seconds since 1970; undefined if that is not known. */
  readonly until?: number | undefined;
}

/** What is known of an agent. A field that is left out keeps nobody from anything. */
export interface StandingFacts {
  readonly agent: Pick<Member, 'id' | 'department'>;
  readonly now: number;
  /** Why the rules stopped the agent. */
  readonly halted?: string | undefined;
  /** True if the agent has used up its budget. */
  readonly isSpentUp?: boolean | undefined;
  /** True if the agent works no specs any more. */
  readonly hasLeft?: boolean;
  /** What people ordered, and the attempts of the last hour, which a limit counts. */
  readonly orders?: OrdersInForce;
  /** True if a policy keeps the agent from the spec. */
  readonly isRefused?: boolean;
  /** The request that has to be approved before the agent begins: `A3`. */
  readonly request?: string | undefined;
  readonly hours?: WorkingHours | undefined;
  /** How urgent the spec is: hours may make an exception for critical ones. */
  readonly priority?: Priority | undefined;
}

export interface OrdersInForce {
  readonly presence: Presence;
  readonly begun: readonly Begun[];
  readonly departmentOf: (agent: string) => string | undefined;
}

/** Tells whether an agent may go on. Reasons that last longer come first. */
export function standingOf(facts: StandingFacts): Standing {
  const { agent, now, orders, request } = facts;
  const { id } = agent;
  if (id === person) return { kind: 'go' };
  const stop = (cause: Hindrance['cause'], reason: string): Hindrance => ({ kind: 'stop', cause, reason });
  if (facts.halted !== undefined) return stop('halted', `${id} is stopped: ${facts.halted}`);
  if (facts.isSpentUp) return stop('budget', `${id} has used up what it may`);
  if (facts.hasLeft) return stop('left', `${id} has left the chart`);
  const present = orders && mayAct(orders.presence, agent, now, orders.begun, orders.departmentOf);
  if (present?.kind === 'stop') return stop('stopped', present.reason);
  if (facts.isRefused) return stop('policy', `a policy keeps ${id} from it`);
  if (present?.kind === 'pause') return { ...present, cause: 'paused' };
  if (present?.kind === 'wait') return { ...present, cause: 'rate' };
  if (request !== undefined) return { kind: 'wait', cause: 'approval', reason: `waits for ${request}` };
  const opening = openingFor(facts.hours, now, facts.priority ?? 'normal');
  if (opening.kind === 'open') return { kind: 'go' };
  return { kind: 'wait', cause: 'hours', reason: opening.reason, until: opening.opensAt };
}
