import {
  type OrderTarget,
  type OrderWord,
  ordersAfter,
  orderWordOf,
  type Presence,
  type PresenceEvent,
  parseTarget,
  presenceIn,
  type Saying,
  targetInWords,
} from '../../domain/staff/presence.ts';
import type { Ledger } from '../../domain/words/ledger.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, queueHistory } from './queue.ts';

/** Who says something of the run or of some in it, and why. */
export interface PersonsWord {
  readonly by: string;
  readonly reason: string | undefined;
}

/** A person's word on an agent, a department or, of a limit, the org. That something is said twice is no commit. */
export function recordPresence(
  org: Org,
  said: Exclude<PresenceEvent, { kind: 'run' }>,
  { by, reason }: PersonsWord,
): Promise<Queue> {
  const whom = said.target.kind === 'org' ? 'the org' : said.target.id;
  return changeQueue(org, ({ ledger }) => {
    const orders = ordersAfter(ledger.orders, said);
    if (orders.join() === ledger.orders.join()) return undefined;
    const what = said.kind === 'limit' ? `${whom}, ${rateInWords(said.perHour)}` : whom;
    return {
      event: said.kind,
      title: `${said.kind}: ${what}, ${reason ?? 'by a person'}`,
      ledger: { orders },
      trailers: {
        ...presenceTrailers(said.target),
        ...(said.kind === 'limit' ? { Rate: said.perHour ?? 'none' } : {}),
        Run: ledger.run === '' ? undefined : ledger.run,
        By: by,
        Reason: reason,
      },
    };
  });
}

export const presenceTrailers = (target: OrderTarget): { readonly Target: string } => ({
  Target: targetInWords(target),
});

export const rateInWords = (perHour: number | undefined): string =>
  perHour === undefined ? 'as many attempts as there is time for' : `${perHour} attempts an hour`;

/** Further back nobody looks for who said it. */
const farthestBack = 20_000;

/** What is in force, with who said it and why. Reads no further back than the oldest of these words. */
export async function readPresence(org: Org, orders: readonly OrderWord[]): Promise<Presence> {
  const said = new Map<OrderWord, Saying>();
  if (orders.length > 0) {
    let looked = 0;
    for await (const entry of queueHistory(org)) {
      const event = presenceEventOf(entry);
      const word = event && orderWordOf(event);
      if (word !== undefined && orders.includes(word) && !said.has(word))
        said.set(word, { by: whoSaid(entry), reason: entry.get('Reason') ?? '' });
      if (said.size === orders.length || ++looked >= farthestBack) break;
    }
  }
  return presenceIn(orders, said);
}

/** Who has paused the whole run; undefined where nobody has. */
export async function whoPaused(org: Org, { state }: Pick<Ledger, 'state'>): Promise<string | undefined> {
  if (state !== 'paused') return undefined;
  for await (const entry of queueHistory(org))
    if (entry.event === 'pause' && entry.get('Target') === undefined) return whoSaid(entry);
  return undefined;
}

/** A person may be known to git by another name than to the org. */
const whoSaid = (entry: BookEntry): string => entry.get('By') ?? entry.commit.author.name;

/** A commit of the queue as a word on somebody's presence. Without a target it is about the whole run, and the state says it. */
export function presenceEventOf(entry: Pick<BookEntry, 'event' | 'get' | 'number'>): PresenceEvent | undefined {
  const target = parseTarget(entry.get('Target') ?? '');
  if (target === undefined) return undefined;
  const { event: kind } = entry;
  const reason = entry.get('Reason') ?? '';
  if (kind === 'pause' || kind === 'stop') return { kind, target, by: 'somebody', reason };
  if (kind === 'resume') return { kind, target };
  return kind === 'limit' ? { kind, target, perHour: entry.number('Rate'), by: 'somebody' } : undefined;
}
