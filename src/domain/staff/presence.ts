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
export interface Order {
  readonly target: OrderTarget;
  readonly halted?: { readonly kind: 'pause' | 'stop'; readonly by: string; readonly reason: string } | undefined;
  readonly limit?: { readonly perHour: number; readonly by: string } | undefined;
}

/** By target, in words: `org`, `department security`, `agent junior-1`. */
export type Presence = ReadonlyMap<string, Order>;

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

export const targetInWords = (target: OrderTarget): string =>
  target.kind === 'org' ? 'org' : `${target.kind} ${target.id}`;

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
