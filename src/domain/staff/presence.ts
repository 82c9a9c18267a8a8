import type { Member } from './charter.ts';

/** What a pause, resume or stop applies to. */
export type OrderTarget =
  | { readonly kind: 'org' }
  | { readonly kind: 'department'; readonly id: string }
  | { readonly kind: 'agent'; readonly id: string };

/** What people have said on the queue of who may work, oldest first. `run` is the beginning of a run. */
export type PresenceEvent =
  | { readonly kind: 'pause' | 'stop'; readonly target: OrderTarget; readonly by: string; readonly reason: string }
  | { readonly kind: 'resume'; readonly target: OrderTarget }
  /** Attempts an hour; undefined lifts the limit. */
  | { readonly kind: 'limit'; readonly target: OrderTarget; readonly perHour: number | undefined; readonly by: string }
  | { readonly kind: 'run' };

/** What holds for one target. */
interface Order {
  readonly target: OrderTarget;
  readonly halted?: { readonly kind: 'pause' | 'stop'; readonly by: string; readonly reason: string } | undefined;
  readonly limit?: { readonly perHour: number; readonly by: string } | undefined;
}

/** By target, in words: `org`, `department security`, `agent junior-1`. */
export type Presence = ReadonlyMap<string, Order>;

/** An attempt that was begun; a limit on the org counts everybody's. */
export interface Begun {
  readonly agent: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Whether an agent may begin an attempt. `stop` means that it finishes what it has and leaves; a limit says when it ends. */
export type Present =
  | { readonly kind: 'go' }
  | { readonly kind: 'pause' | 'stop'; readonly reason: string }
  | { readonly kind: 'wait'; readonly until: number | undefined; readonly reason: string };

/** What is in force after these words. A resume lifts what was said of the very same target, and nothing else. */
export function presenceAfter(events: readonly PresenceEvent[]): Presence {
  const orders = new Map<string, Order>();
  const set = (target: OrderTarget, change: Omit<Order, 'target'>): void => {
    const order = { ...orders.get(targetInWords(target)), target, ...change };
    if (order.halted === undefined && order.limit === undefined) orders.delete(targetInWords(target));
    else orders.set(targetInWords(target), order);
  };
  for (const event of events) {
    if (event.kind === 'run') {
      // A stop is of one run; a paused agent waits until a person resumes it, however many runs go by.
      for (const { target, halted } of [...orders.values()])
        if (halted?.kind === 'stop') set(target, { halted: undefined });
    } else if (event.kind === 'resume') set(event.target, { halted: undefined });
    else if (event.kind === 'limit') {
      const { perHour, by } = event;
      set(event.target, { limit: perHour === undefined ? undefined : { perHour, by } });
    } else {
      const { kind, by, reason } = event;
      const before = orders.get(targetInWords(event.target))?.halted;
      // A pause does not bring a stopped agent back.
      if (before?.kind !== 'stop' || kind === 'stop') set(event.target, { halted: { kind, by, reason } });
    }
  }
  return orders;
}

/** Any order that covers an agent applies to it: a pause of its department pauses it, whatever is said of it alone. */
export function mayAct(
  presence: Presence,
  member: Pick<Member, 'id' | 'department'>,
  now: number,
  begun: readonly Begun[],
  departmentOf: (agent: string) => string | undefined,
): Present {
  const orders = ordersFor(presence, member);
  const halts = haltsOf(presence, member);
  const halt = halts.find(({ halted }) => halted?.kind === 'stop') ?? halts[0];
  if (halt?.halted !== undefined) return { kind: halt.halted.kind, reason: haltInWords(halt.target, halt.halted) };
  const waits = orders.flatMap((order) => waitFor(order, now, begun, departmentOf));
  return waits.reduce<Present>((latest, wait) => (isLater(wait, latest) ? wait : latest), { kind: 'go' });
}

type AllPaused = Readonly<NonNullable<ReturnType<typeof whyAllPaused>>>;

/** What keeps everybody who works paused. Undefined while somebody may work, and where nobody is left but who was stopped. */
export function whyAllPaused(presence: Presence, workers: readonly Pick<Member, 'id' | 'department'>[]) {
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
    /** All that people have said of them. */
    reasons: [...new Set(halts.flat().flatMap(reasonOf))],
    /** What one of them needs to be lifted to go on, and what would do as well for another. */
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

export const targetInWords = (target: OrderTarget): string =>
  target.kind === 'org' ? 'org' : `${target.kind} ${target.id}`;

const ordersFor = (presence: Presence, member: Pick<Member, 'id' | 'department'>): readonly Order[] =>
  targetsOf(member).flatMap((target) => presence.get(targetInWords(target)) ?? []);

const haltsOf = (presence: Presence, member: Pick<Member, 'id' | 'department'>): readonly Order[] =>
  ordersFor(presence, member).filter(({ halted }) => halted !== undefined);

/** From the whole to the one. */
const targetsOf = ({ id, department }: Pick<Member, 'id' | 'department'>): readonly OrderTarget[] => [
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
function waitFor(
  { target, limit }: Order,
  now: number,
  begun: readonly Begun[],
  departmentOf: (agent: string) => string | undefined,
): readonly Wait[] {
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

/** A limit of none ends never. */
const isLater = (wait: Wait, than: Present): boolean =>
  than.kind !== 'wait' || (than.until !== undefined && (wait.until ?? Number.POSITIVE_INFINITY) > than.until);

/**
 * What is in force of people's words, as every commit of the queue carries it: `pause:agent/junior-1`, `6:org` for six
 * attempts an hour. The commit that says it names the person and the reason.
 */
export type OrderWord = string;

/** The person who gave an order, and why. */
export interface Saying {
  readonly by: string;
  readonly reason: string;
}

export function ordersAfter(orders: readonly OrderWord[], event: PresenceEvent): readonly OrderWord[] {
  return wordsOf(presenceAfter([...orders.flatMap((word) => eventOf(word) ?? []), event]));
}

/** What is in force, with who said it where that is known. */
export const presenceIn = (orders: readonly OrderWord[], said: ReadonlyMap<OrderWord, Saying>): Presence =>
  presenceAfter(orders.flatMap((word) => eventOf(word, said.get(word)) ?? []));

/** The word that a commit puts in force; undefined for one that only lifts. */
export function orderWordOf(event: PresenceEvent): OrderWord | undefined {
  if (event.kind === 'pause' || event.kind === 'stop') return `${event.kind}:${pathOf(event.target)}`;
  return event.kind === 'limit' && event.perHour !== undefined ? `${event.perHour}:${pathOf(event.target)}` : undefined;
}

export const isOrderWord = (word: string): boolean => eventOf(word) !== undefined;

/** `org`, `agent junior-1`, `department security`: as `targetInWords` writes it. */
export function parseTarget(text: string): OrderTarget | undefined {
  const [kind, id = '', more] = text.split(' ');
  if (text === 'org') return { kind: 'org' };
  return (kind === 'agent' || kind === 'department') && isName(id) && more === undefined ? { kind, id } : undefined;
}

const isName = (id: string): boolean => /^[\w.-]{1,64}$/.test(id);

function eventOf(word: OrderWord, { by, reason }: Saying = { by: 'somebody', reason: '' }): PresenceEvent | undefined {
  const [, kind = '', path = ''] = /^(pause|stop|[0-9]{1,6}):(\S+)$/.exec(word) ?? [];
  const target = parseTarget(path.replace('/', ' '));
  if (target === undefined) return undefined;
  if (kind === 'pause' || kind === 'stop') return { kind, target, by, reason };
  return { kind: 'limit', target, perHour: Number(kind), by };
}

const pathOf = (target: OrderTarget): string => targetInWords(target).replace(' ', '/');

const wordsOf = (presence: Presence): readonly OrderWord[] =>
  [...presence.values()]
    .flatMap(({ target, halted, limit }) => [
      ...(halted === undefined ? [] : [`${halted.kind}:${pathOf(target)}`]),
      ...(limit === undefined ? [] : [`${limit.perHour}:${pathOf(target)}`]),
    ])
    .sort();
