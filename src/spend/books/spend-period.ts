import { isIn, type Span } from '../../domain/rules/period.ts';
import { add, type Hold, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { spendRefs } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { isSpend, spendEventOf } from './spend-entry.ts';

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
    for (const ref of await refNames(org.repo, spendRefs.slice(0, -1))) {
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
  const fresh: BookEntry[] = [];
  let at: BookEntry | undefined = tip;
  while (at !== undefined && isSpend(at) && at.commit.oid !== before?.tip) {
    // Days of reservations never go back; the end of one may name a day that is long over.
    if (at.event === 'reserve' && (at.get('Day') ?? '') < span.firstDay) break;
    fresh.push(at);
    at = await readEntry(org, at.commit.parents[0] ?? '');
  }
  const isJoined = before !== undefined && at?.commit.oid === before.tip;
  const book: Book = {
    tip: tip.commit.oid,
    spent: new Map(isJoined ? before.spent : []),
    held: new Map(isJoined ? before.held : []),
  };
  for (const entry of fresh.reverse()) enter(book, entry, span);
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
