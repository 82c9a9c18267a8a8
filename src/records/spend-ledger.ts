import { shortRef, spendRef, spendRefs } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { emptyLedger, type Ledger, openLedger, type SpendEvent } from '../domain/spending.ts';
import { refNames } from '../git/ref-files.ts';
import { formatSpent, parseSpent } from '../text/spent.ts';
import { type Entry, readEntry, readTip } from './entry.ts';
import type { Org } from './org.ts';
import { isSpend, type SpendTip, spendEventOf } from './spend-entry.ts';

/** The book of this host as it stands; without a tip when nothing was ever reserved here. */
export interface Standing {
  readonly tip: SpendTip | undefined;
  readonly ledger: Ledger;
}

/**
 * Reads the book as far as a night needs it: every commit carries the sums of its day and its night, so a new night reads
 * one. One that goes on reads its own entries, for what its specs and attempts have spent, and nothing before them; what
 * was read `before` is not read again.
 */
export async function readStanding(org: Org, night: string, before?: Standing): Promise<Standing> {
  const ref = spendRef(org.host);
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
  const base = at === undefined || !isSpend(at) ? emptyLedger : (parseSpent(at.get('Spent')) ?? unreadable(at));
  const ledger = openLedger(events.reverse(), mine?.ledger ?? base);
  if (tip === undefined) return { tip: undefined, ledger };
  if (formatSpent(ledger) !== tip.get('Spent')) unreadable(tip); // Nothing is spent on books that do not add up.
  return { tip: { commit: tip.commit.oid, tree: tip.commit.tree }, ledger };
}

/** What other hosts have on their present day and in their present night, as far as it is known in this clone. */
export async function otherLedgers(org: Org): Promise<readonly Ledger[]> {
  const refs = await refNames(org.repo, spendRefs.slice(0, -1));
  return Promise.all(refs.filter((ref) => ref !== spendRef(org.host)).map((ref) => ledgerAt(org, ref)));
}

async function ledgerAt(org: Org, ref: string): Promise<Ledger> {
  const tip = await readTip(org, ref);
  if (tip === undefined) return emptyLedger; // Somebody has just taken it away.
  return known.get(tip) ?? learn(tip);
}

/** Other hosts' books move only when somebody fetches, and are asked for before every reservation. */
const known = new WeakMap<Entry, Ledger>();

function learn(tip: Entry): Ledger {
  const ledger = parseSpent(tip.get('Spent')) ?? unreadable(tip);
  known.set(tip, ledger);
  return ledger;
}

function unreadable(entry: Entry): never {
  throw new Problem(
    'integrity/history',
    `the book of what was spent does not add up at ${entry.commit.oid.slice(0, 7)} ${entry.title}`,
    'See what does not hold: npx orgrepo verify',
  );
}

function interrupted(ref: string, night: string, tip: Entry | undefined): Problem {
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
