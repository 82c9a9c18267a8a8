import { strikesIn } from '../../domain/rules/stopping-rules.ts';
import {
  type OrderWord,
  ordersAfter,
  orderWordOf,
  type Presence,
  type PresenceEvent,
  parseTarget,
  presenceIn,
  targetInWords,
} from '../../domain/staff/presence.ts';
import type { Ledger } from '../../domain/words/ledger.ts';
import { type BookEntry, type SpentByModel, spentTrailers } from '../entry.ts';
import { experimentsAbove, notebooksAbove } from '../notebook/history.ts';
import type { TalkEntry } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, newestOf, type Queue, queueHistory } from './queue.ts';

/** The person behind an order, and the reason. */
export interface OrderedBy {
  readonly by: string;
  readonly reason: string | undefined;
}

/** Writes down a person's order for an agent or a department; a limit may be for the org. An order in force is not repeated. */
export function recordPresence(org: Org, order: Exclude<PresenceEvent, { kind: 'run' }>, { by, reason }: OrderedBy) {
  const { kind, target } = order;
  const whom = target.kind === 'org' ? 'the org' : target.id;
  const what = kind === 'limit' ? `${whom}, ${rateInWords(order.perHour)}` : whom;
  return changeQueue(org, ({ ledger }) => {
    const orders = ordersAfter(ledger.orders, order);
    if (orders.join() === ledger.orders.join()) return undefined;
    return {
      event: kind,
      title: `${kind}: ${what}, ${reason ?? 'by a person'}`,
      ledger: { orders },
      trailers: {
        Target: targetInWords(target),
        Rate: kind === 'limit' ? (order.perHour ?? 'none') : undefined,
        Run: ledger.run === '' ? undefined : ledger.run,
        By: by,
        Reason: reason,
      },
    };
  });
}

export const rateInWords = (perHour: number | undefined): string =>
  perHour === undefined ? 'as many attempts as there is time for' : `${perHour} attempts an hour`;

/** The person behind an older order is not looked for. */
const ordersBack = 20_000;

/** The orders in force, with the person who gave each and the reason. Reads no further back than the oldest of them. */
export async function readPresence(org: Org, orders: readonly OrderWord[]): Promise<Presence> {
  const wordOf = (entry: BookEntry): OrderWord | undefined => {
    const event = presenceEventOf(entry);
    return event && orderWordOf(event);
  };
  const given = await newestOf(org, orders, wordOf, ordersBack);
  const said = [...given].map(
    ([word, entry]) => [word, { by: whoSaid(entry), reason: entry.get('Reason') ?? '' }] as const,
  );
  return presenceIn(orders, new Map(said));
}

/** The person who paused the whole run; undefined while it is not paused. */
export async function whoPaused(org: Org, { state }: Pick<Ledger, 'state'>): Promise<string | undefined> {
  if (state !== 'paused') return undefined;
  for await (const entry of queueHistory(org))
    if (entry.event === 'pause' && entry.get('Target') === undefined) return whoSaid(entry);
  return undefined;
}

/** A person may be known to git by another name than to the org. */
const whoSaid = (entry: BookEntry): string => entry.get('By') ?? entry.commit.author.name;

/** The order in a commit of the queue. One without a target is about the whole run, and the ledger's state says it. */
export function presenceEventOf(entry: Pick<BookEntry, 'event' | 'get' | 'number'>): PresenceEvent | undefined {
  const target = parseTarget(entry.get('Target') ?? '');
  if (target === undefined) return undefined;
  const { event: kind } = entry;
  const reason = entry.get('Reason') ?? '';
  if (kind === 'pause' || kind === 'stop') return { kind, target, by: 'somebody', reason };
  if (kind === 'resume') return { kind, target };
  return kind === 'limit' ? { kind, target, perHour: entry.number('Rate'), by: 'somebody' } : undefined;
}

/** How often in a row a chief wrote nothing that can be used, and why the last time. */
export interface InVain {
  readonly times: number;
  readonly why: string;
}

/** What counts against the agents of a run. Read from the queue and the notebooks of the last run, so a restart forgets nothing. */
export async function readMarks(org: Org, queue: Queue) {
  const { run, runFrom } = queue.ledger;
  /** The last experiment for which a person has forgiven each of them. */
  const forgiven = new Map<string, number>();
  const since = new Map<string, number>();
  const inVain = new Map<string, InVain>();
  const counted = new Set<string>();
  let began = 0;
  for await (const entry of queueHistory(org)) {
    if ((entry.event === 'run' || entry.event === 'end') && entry.get('Run') !== run) break;
    const agent = entry.get('Agent');
    if (entry.event === 'run') began = entry.commit.committer.at;
    if (entry.event === 'resume' && agent !== undefined && !forgiven.has(agent)) {
      forgiven.set(agent, entry.number('Experiment') ?? 0);
      since.set(agent, entry.commit.committer.at);
    }
    if (agent === undefined || counted.has(agent)) continue;
    if (entry.event === 'resume' || entry.event === 'spec') counted.add(agent);
    if (entry.event === 'failed') {
      const newer = inVain.get(agent);
      inVain.set(agent, { times: (newer?.times ?? 0) + 1, why: newer?.why ?? entry.get('Reason') ?? '' });
    }
  }
  const strikes = strikesIn(await experimentsAbove(org, queue, runFrom), forgiven);
  const talk = (await notebooksAbove(org, queue, runFrom)).flatMap((notebook) => notebook.talk);
  const silent = silentIn(talk.filter(({ agent, at }) => at >= (since.get(agent) ?? began)));
  return { strikes, forgiven, inVain, silent };
}

/** How often in a row each agent was asked for an opinion and gave none. */
function silentIn(talk: readonly TalkEntry[]): Map<string, number> {
  const silent = new Map<string, number>();
  for (const { event, agent, text, approves } of [...talk].sort((a, b) => a.at - b.at)) {
    if (event !== 'critique' && event !== 'review') continue;
    const answered = event === 'critique' ? text !== '' : approves !== undefined;
    silent.set(agent, answered ? 0 : (silent.get(agent) ?? 0) + 1);
  }
  return silent;
}

/** Writes down that a chief was asked, and wrote nothing that can be used. */
export function recordChiefInVain(org: Org, chief: string, why: string, spent: SpentByModel | undefined) {
  return changeQueue(org, ({ ledger }) => ({
    event: 'failed',
    agent: chief,
    title: `failed: ${chief}, ${why}`,
    trailers: { Run: ledger.run, Agent: chief, Host: org.host, ...spentTrailers(spent), Reason: why },
  }));
}

/** Why each of these agents was last stopped. */
export async function readHalts(org: Org, agents: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const halts = await newestOf(org, agents, ({ event, get }) => (event === 'halt' ? get('Agent') : undefined));
  return new Map([...halts].map(([agent, { get }]) => [agent, get('Reason') ?? '']));
}

/** Writes down that an agent gets no more work until a person resumes it. */
export function haltAgent(org: Org, agent: string, why: string): Promise<Queue> {
  return changeQueue(org, ({ ledger }) => {
    if (ledger.halted.includes(agent)) return undefined;
    return {
      event: 'halt',
      title: `halt: ${agent}, ${why}`,
      ledger: { halted: [...ledger.halted, agent].sort() },
      trailers: { Run: ledger.run, Agent: agent, Host: org.host, Reason: why },
    };
  });
}

/** Writes down that a person lets an agent go on; what it did up to here is forgiven. */
export async function resumeAgent(org: Org, agent: string, queue: Queue, { by, reason }: OrderedBy): Promise<Queue> {
  const experiments = await experimentsAbove(org, queue, queue.ledger.runFrom);
  const last = experiments.at(-1)?.n ?? queue.ledger.experiments;
  const target = { kind: 'agent', id: agent } as const;
  return changeQueue(org, ({ ledger }) => ({
    event: 'resume',
    title: `resume: ${agent}, ${reason ?? 'by a person'}`,
    ledger: {
      halted: ledger.halted.filter((one) => one !== agent),
      orders: ordersAfter(ledger.orders, { kind: 'resume', target }),
    },
    trailers: {
      Run: ledger.run,
      Agent: agent,
      Experiment: last,
      By: by,
      Reason: reason,
      Target: targetInWords(target),
    },
  }));
}
