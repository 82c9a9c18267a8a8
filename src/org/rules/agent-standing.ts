import { openingFor } from '../../domain/rules/stopping-rules.ts';
import type { Member, WorkingHours } from '../../domain/staff/charter.ts';
import { type Order, type OrderTarget, type Presence, targetInWords } from '../../domain/staff/presence.ts';
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
  readonly agent: Covered;
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
  const present = orders && presentBy(orders, agent, now);
  if (present?.kind === 'stop') return stop('stopped', present.reason);
  if (facts.isRefused) return stop('policy', `a policy keeps ${id} from it`);
  if (present?.kind === 'pause') return { ...present, cause: 'paused' };
  if (present?.kind === 'wait') return { ...present, cause: 'rate' };
  if (request !== undefined) return { kind: 'wait', cause: 'approval', reason: `waits for ${request}` };
  const opening = openingFor(facts.hours, now, facts.priority ?? 'normal');
  if (opening.kind === 'open') return { kind: 'go' };
  return { kind: 'wait', cause: 'hours', reason: opening.reason, until: opening.opensAt };
}

/** An attempt that was begun. A limit on the org counts those of all agents. */
export interface Begun {
  readonly agent: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Whether an agent may begin an attempt by people's orders. `stop` means that it finishes its spec and leaves. */
type Present =
  | { readonly kind: 'go' }
  | { readonly kind: 'pause' | 'stop'; readonly reason: string }
  | { readonly kind: 'wait'; readonly until: number | undefined; readonly reason: string };

/** Any order that covers an agent applies to it: a pause of its department pauses it, whatever is said of it alone. */
function presentBy(inForce: OrdersInForce, member: Covered, now: number): Present {
  const orders = ordersFor(inForce.presence, member);
  const halts = haltsOf(inForce.presence, member);
  const halt = halts.find(({ halted }) => halted?.kind === 'stop') ?? halts[0];
  if (halt?.halted !== undefined) return { kind: halt.halted.kind, reason: haltInWords(halt.target, halt.halted) };
  const waits = orders.flatMap((order) => waitFor(order, now, inForce));
  return waits.reduce<Present>((latest, wait) => (isLater(wait, latest) ? wait : latest), { kind: 'go' });
}

type AllPaused = Readonly<NonNullable<ReturnType<typeof whyAllPaused>>>;

/** What keeps all workers paused. Undefined while one of them may work, and if all of them are stopped. */
export function whyAllPaused(presence: Presence, workers: readonly Covered[]) {
  const halts = workers.map((member) => haltsOf(presence, member));
  if (halts.some((orders) => orders.length === 0)) return undefined;
  const [first, ...rest] = halts
    .filter((orders) => orders.every(({ halted }) => halted?.kind === 'pause'))
    .sort((a, b) => a.length - b.length);
  if (first === undefined) return undefined;
  const reasonOf = ({ target, halted }: Order): readonly string[] =>
    halted === undefined ? [] : [haltInWords(target, halted)];
  const others = new Set(rest.filter((orders) => orders.length === 1).flat());
  return {
    /** All orders for them, in words. */
    reasons: [...new Set(halts.flat().flatMap(reasonOf))],
    /** The orders to lift so that one of them goes on, and those that would let another go on. */
    needed: first.map(nameOf),
    others: [...others].filter((order) => !first.includes(order)).map(nameOf),
  };
}

/** `everybody who works is paused: Ann paused agent junior-1: vacation`. */
export function allPausedInWords({ reasons }: Pick<AllPaused, 'reasons'>): string {
  const more = reasons.length > mostListed ? `; and ${reasons.length - mostListed} more` : '';
  return `everybody who works is paused: ${reasons.slice(0, mostListed).join('; ')}${more}`;
}

/** `orgrepo resume junior-1 (or junior-2)`. */
export function resumeCommand({ needed, others }: Pick<AllPaused, 'needed' | 'others'>): string {
  const first = needed.map((name) => `orgrepo resume ${name}`.trimEnd()).join(', then: ');
  return others.length === 0 ? first : `${first} (or ${others.slice(0, mostListed).join(', ')})`;
}

const mostListed = 5;

/** As `resume` takes it: nothing for the whole org. */
const nameOf = ({ target }: Order): string => (target.kind === 'org' ? '' : target.id);

type Covered = Pick<Member, 'id' | 'department'>;

const ordersFor = (presence: Presence, member: Covered): readonly Order[] =>
  (presence.size === 0 ? [] : targetsOf(member)).flatMap((target) => presence.get(targetInWords(target)) ?? []);

const haltsOf = (presence: Presence, member: Covered): readonly Order[] =>
  ordersFor(presence, member).filter(({ halted }) => halted !== undefined);

/** From the whole to the one. */
const targetsOf = ({ id, department }: Covered): readonly OrderTarget[] => [
  { kind: 'org' },
  ...(department === undefined ? [] : [{ kind: 'department', id: department } as const]),
  { kind: 'agent', id },
];

function haltInWords(target: OrderTarget, { kind, by, reason }: NonNullable<Order['halted']>): string {
  const whom = target.kind === 'org' ? 'the org' : targetInWords(target);
  return `${by} ${kind === 'pause' ? 'paused' : 'stopped'} ${whom}${reason === '' ? '' : `: ${reason}`}`;
}

type Wait = Extract<Present, { kind: 'wait' }>;

/** Counted over the last hour, whenever that began: full hours would allow twice as many around their turn. */
function waitFor({ target, limit }: Order, now: number, { begun, departmentOf }: OrdersInForce): readonly Wait[] {
  if (limit === undefined) return [];
  const covered = begun
    .filter(({ agent, at }) => at > now - hour && covers(target, agent, departmentOf))
    .map(({ at }) => at)
    .sort((a, b) => b - a);
  if (covered.length < limit.perHour) return [];
  const frees = covered[limit.perHour - 1];
  const whom = target.kind === 'org' ? 'the org' : targetInWords(target);
  const reason = `${limit.by} limited ${whom} to ${limit.perHour === 1 ? '1 attempt' : `${limit.perHour} attempts`} an hour`;
  return [{ kind: 'wait', until: frees === undefined ? undefined : frees + hour, reason }];
}

const hour = 3600;

const covers = (target: OrderTarget, agent: string, departmentOf: (agent: string) => string | undefined): boolean =>
  target.kind === 'org' || (target.kind === 'agent' ? target.id === agent : target.id === departmentOf(agent));

/** A limit of zero attempts never ends. */
const isLater = (wait: Wait, than: Present): boolean =>
  than.kind !== 'wait' || (than.until !== undefined && (wait.until ?? Number.POSITIVE_INFINITY) > than.until);
