import { add, type Hold, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { isIn, type Span } from '../../domain/words/spent.ts';
import { git } from '../../git/run-git.ts';
import { type BookEntry, readEntry, readTip } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { countedEntries, entriesBack, isSpend, spendBooks, spendEventOf } from './spend-entry.ts';

/** What each agent has spent in a period, and what is set aside for it, on all hosts that are known here. */
export type PeriodSums = ReadonlyMap<string, Sum>;

interface Book {
  readonly tip: string;
  readonly spent: Map<string, Sum>;
  /** Reservations that have no end yet, by their commit. */
  readonly held: Map<string, Hold>;
}

/**
 * Reads each book back to where the period begins, once; afterwards only what is new. What is set aside in the run `without` is not
 * counted: it is underway, and nobody knows yet what it comes to.
 */
export function openPeriodBooks(org: Org): (span: Span, without?: string) => Promise<PeriodSums> {
  let of = '';
  let books = new Map<string, Book>();
  return async (span, without) => {
    if (of !== span.firstDay) books = new Map();
    of = span.firstDay;
    const sums = new Map<string, Sum>();
    const count = (agent: string, sum: Sum): void => void sums.set(agent, add(sums.get(agent) ?? noSum, sum));
    for (const ref of await spendBooks(org)) {
      const book = await readOn(org, ref, span, books.get(ref));
      books.set(ref, book);
      for (const [agent, sum] of book.spent) count(agent, sum);
      for (const hold of book.held.values()) if (hold.night !== without) count(hold.agent, sumOf(hold.most));
    }
    return sums;
  };
}

export const sumOfAll = (sums: PeriodSums): Sum => [...sums.values()].reduce(add, noSum);

async function readOn(org: Org, ref: string, span: Span, before: Book | undefined): Promise<Book> {
  const tip = await readTip(org, ref);
  if (tip === undefined) return { tip: '', spent: new Map(), held: new Map() };
  if (tip.commit.oid === before?.tip) return before;
  // Days of reservations never go back; the end of one may name a day that is long over.
  const isFresh = (entry: BookEntry): boolean =>
    entry.commit.oid !== before?.tip && (entry.event !== 'reserve' || (entry.get('Day') ?? '') >= span.firstDay);
  const fresh = await entriesBack(org, ref, isFresh);
  const isJoined = before !== undefined && fresh.at(-1)?.commit.parents[0] === before.tip;
  const book: Book = {
    tip: (fresh[0] ?? tip).commit.oid, // Somebody may have written to it meanwhile.
    spent: new Map(isJoined ? before.spent : []),
    held: new Map(isJoined ? before.held : []),
  };
  for (const entry of fresh.toReversed()) enter(book, entry, span);
  return book;
}

function enter({ spent, held }: Book, entry: BookEntry, span: Span): void {
  const event = spendEventOf(entry);
  if (event === undefined || !isIn(span, event.hold.day)) return;
  if (event.kind === 'reserve') held.set(entry.commit.oid, event.hold);
  else held.delete(entry.get('Cause') ?? '');
  if (event.kind !== 'settle') return;
  const { agent } = event.hold;
  spent.set(agent, add(spent.get(agent) ?? noSum, sumOf(event.counted)));
}

/** What a period has counted against it so far: spent, and set aside and never settled. */
interface PeriodSpent {
  readonly total: Sum;
  readonly agents: ReadonlyMap<string, Sum>;
}

/**
 * What all hosts have spent in a period, entry by entry: books carry the sums of a day and a night, and a week is neither.
 * Undefined where there is more of it than `most` entries: a part of the sum would look like all of it.
 */
export async function readPeriodSpent(org: Org, span: Span, most: number): Promise<PeriodSpent | undefined> {
  const agents = new Map<string, Sum>();
  let left = most;
  for (const ref of await spendBooks(org)) {
    const entries = await entriesSince(org, ref, span, left);
    if (entries === undefined) return undefined;
    left -= entries.length;
    for (const { hold, sum } of countedEntries(entries))
      if (isIn(span, hold.day)) agents.set(hold.agent, add(agents.get(hold.agent) ?? noSum, sum));
  }
  return { total: [...agents.values()].reduce(add, noSum), agents };
}

/** The latest first. The ids come at once, because a question for each parent would wait for the answer before it. */
async function entriesSince(
  org: Org,
  ref: string,
  span: Span,
  most: number,
): Promise<readonly BookEntry[] | undefined> {
  const listed = await git(org.repo, [
    'rev-list',
    '--first-parent',
    `--max-count=${most + 1}`,
    `--since=${span.from}`,
    ref,
  ]);
  const ids = listed.split('\n').filter((id) => id !== '');
  const read = await Promise.all(ids.map((id) => readEntry(org, id)));
  const entries = read.flatMap((entry) => (entry !== undefined && isSpend(entry) ? [entry] : []));
  return entries.length > most ? undefined : entries;
}
