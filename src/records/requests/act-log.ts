import type { Ledger } from '../../domain/words/ledger.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { changeQueue, ledgerAt, type Queue, type QueueChange, queueHistory } from '../queue/queue.ts';

/** Commits of the queue that tell of asking and answering. Who counts them needs no other. */
export const actEvents = ['ask', 'approve', 'deny', 'use', 'escalate', 'cycle', 'answer', 'spawn'] as const;

export const isAct = (entry: Pick<BookEntry, 'event' | 'get'>): boolean =>
  (actEvents as readonly string[]).includes(entry.event) &&
  // A word on an experiment is as old as reviews are, and has nothing to do with these.
  ['Approval', 'Escalation', 'Spawned'].some((key) => entry.get(key) !== undefined);

interface Known {
  readonly tip: string;
  readonly acts: readonly BookEntry[];
}

const known = new WeakMap<Org, Known>();

/**
 * All of them, oldest first. The queue is read back to where the ledger has counted none yet, once in a process; afterwards
 * only what is new. An org in which nobody was ever asked reads one commit.
 */
export async function actsOf(org: Org): Promise<Known> {
  const tip = (await readEntry(org, queueRef))?.commit.oid ?? '';
  const before = known.get(org);
  if (before?.tip === tip) return before;
  const found: BookEntry[] = [];
  let joined = false;
  for await (const entry of queueHistory(org)) {
    joined = entry.commit.oid === before?.tip;
    if (joined || (await ledgerAt(org, entry)).acts === 0) break;
    if (isAct(entry)) found.push(entry);
  }
  const now = { tip, acts: [...(joined ? (before?.acts ?? []) : []), ...found.reverse()] };
  known.set(org, now);
  return now;
}

/**
 * Appends an act to the queue, decided by all acts before it. `decide` is asked again when somebody else was faster, so that
 * nothing is used twice and no number is given twice.
 */
export async function writeAct(
  org: Org,
  decide: (acts: readonly BookEntry[], queue: Queue) => QueueChange | undefined,
): Promise<void> {
  for (;;) {
    const { tip, acts } = await actsOf(org);
    let stale = false;
    await changeQueue(org, (queue) => {
      // Without a queue the tip is the trunk's, and there are no acts that anybody could have missed.
      stale = tip !== '' && queue.tip !== tip;
      const change = stale ? undefined : decide(acts, queue);
      const ledger: Partial<Ledger> = { ...change?.ledger, acts: queue.ledger.acts + 1 };
      return change && { ...change, ledger };
    });
    if (!stale) return;
  }
}

/** Whether people wrote a commit: an agent's name stands in neither place of one. */
export const isPersons = ({ commit }: BookEntry): boolean =>
  [commit.author, commit.committer].every(({ email }) => !email.endsWith('@agents.invalid'));

/** The next number of acts that are called `A3` or `E3`. */
export const nextId = (acts: readonly BookEntry[], key: 'Approval' | 'Escalation', letter: string): string =>
  `${letter}${acts.reduce((most, act) => Math.max(most, Number(act.get(key)?.slice(1) ?? 0) || 0), 0) + 1}`;
