import { type OrderTarget, type Presence, type PresenceEvent, presenceAfter, targetInWords } from './presence.ts';

/**
 * What is in force of people's words, as every commit of the queue carries it: `pause:agent/junior-1`, `6:org` for six
 * attempts an hour. Who said it, and why, is in the commit that said it.
 */
export type OrderWord = string;

/** Who said something, and why. */
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
