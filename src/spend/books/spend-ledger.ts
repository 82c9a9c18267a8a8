import { emptySpendLedger, openLedger, type SpendEvent, type SpendLedger } from '../../domain/words/spending.ts';
import { formatSpent, parseSpent } from '../../domain/words/spent.ts';
import { shortRef, spendRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { isSpend, type SpendTip, spendBooks, spendEventOf } from './spend-entry.ts';

/** The book of this host as it stands; without a tip when nothing was ever reserved here. */
export interface LedgerStanding {
  readonly tip: SpendTip | undefined;
  readonly ledger: SpendLedger;
}

/**
 * Reads the book as far as a night needs it: every commit carries the sums of its day and its night, so a new night reads
 * one. One that goes on reads its own entries, for what its specs and attempts have spent, and nothing before them; what
 * was read `before` is not read again.
 */
export async function readStanding(org: Org, night: string, before?: LedgerStanding): Promise<LedgerStanding> {
  return readBook(org, spendRef(org.host), night, before);
}

async function readBook(org: Org, ref: string, night: string, before?: LedgerStanding): Promise<LedgerStanding> {
  const named = await org.repo.reader.resolve(ref);
  if (before !== undefined && named === before.tip?.commit) return before;
  const tip = await readTip(org, ref);
  const mine = before?.ledger.night === night ? before : undefined; // Before its first entry there is nothing to go on from.
  const events: SpendEvent[] = [];
  let at = tip;
  while (at !== undefined && at.commit.oid !== mine?.tip?.commit && isSpend(at) && at.get('Run') === night) {
    events.push(spendEventOf(at) ?? unreadable(at));
    at = await readEntry(org, at.commit.parents[0] ?? '');
  }
  if (mine !== undefined && at?.commit.oid !== mine.tip?.commit) throw interrupted(ref, night, tip);
  const base = at === undefined || !isSpend(at) ? emptySpendLedger : (parseSpent(at.get('Spent')) ?? unreadable(at));
  const ledger = openLedger(events.reverse(), mine?.ledger ?? base);
  if (tip === undefined) return { tip: undefined, ledger };
  if (formatSpent(ledger) !== tip.get('Spent')) unreadable(tip); // Nothing is spent on books that do not add up.
  return { tip: { commit: tip.commit.oid, tree: tip.commit.tree }, ledger };
}

/**
 * What other hosts have on their present day and in their present night, as far as it is known in this clone. Where that
 * is this very night, which went on here, also what it spent there on each spec and attempt.
 */
export async function otherLedgers(org: Org, night: string): Promise<readonly SpendLedger[]> {
  const refs = (await spendBooks(org)).filter((ref) => ref !== spendRef(org.host));
  const known = booksElsewhere.get(org) ?? new Map<string, LedgerStanding>();
  booksElsewhere.set(org, known);
  for (const ref of refs) known.set(ref, await readBook(org, ref, night, known.get(ref)));
  return refs.flatMap((ref) => known.get(ref)?.ledger ?? []);
}

/** Other hosts' books move only when somebody fetches, and are asked for before every reservation. */
const booksElsewhere = new WeakMap<Org, Map<string, LedgerStanding>>();

/** What every host has on its present day and in its present night. */
export async function allLedgers(org: Org): Promise<readonly SpendLedger[]> {
  return Promise.all((await spendBooks(org)).map((ref) => ledgerAt(org, ref)));
}

async function ledgerAt(org: Org, ref: string): Promise<SpendLedger> {
  const tip = await readTip(org, ref);
  if (tip === undefined) return emptySpendLedger; // Somebody has just taken it away.
  return parseSpent(tip.get('Spent')) ?? unreadable(tip);
}

function unreadable(entry: BookEntry): never {
  throw new Problem(
    'integrity/history',
    `the book of what was spent does not add up at ${entry.commit.oid.slice(0, 7)} ${entry.title}`,
    'See what does not hold: npx orgrepo verify',
  );
}

function interrupted(ref: string, night: string, tip: BookEntry | undefined): Problem {
  const other = tip?.get('Run');
  if (other !== undefined && other !== night)
    return new Problem(
      'busy/run',
      `another run, ${other}, spends in this repository since ${night} did`,
      'Let one of them end first: npx orgrepo status',
    );
  return new Problem(
    'integrity/history',
    `${shortRef(ref)} was moved back or taken away while ${night} was running`,
    'See what does not hold: npx orgrepo verify. Where it was before is in .git/orgrepo/left',
  );
}
