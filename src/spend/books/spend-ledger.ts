import { randomBytes } from 'node:crypto';
import {
  type Amount,
  emptySpendLedger,
  type Hold,
  isAmount,
  openLedger,
  type SpendEvent,
  type SpendLedger,
  sumOf,
} from '../../domain/words/spending.ts';
import {
  formatAmount,
  formatSpent,
  formatUsd,
  paidBySubscription,
  parseAmount,
  parseSpent,
  parseUsd,
} from '../../domain/words/spent.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { shortRef, spendRef, spendRefs } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip, writeEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';

/** One line of a book as it is about to be written. */
export interface NewSpend {
  readonly event: SpendEvent;
  /** The ledger after it. */
  readonly ledger: SpendLedger;
  /** `provider/id`. */
  readonly model: string;
  /** The commit of the reservation that this is the end of. */
  readonly cause?: string | undefined;
  readonly reason?: string | undefined;
}

/** Where a book stands, or the trunk before there is one. Its files are the trunk's for ever: a book is its commits. */
export interface SpendTip {
  readonly commit: string;
  readonly tree: string;
}

export function writeSpend(org: Org, tip: SpendTip, { event, ledger, ...rest }: NewSpend): Promise<string> {
  const { hold, kind } = event;
  const used = kind === 'reserve' ? hold.most : kind === 'settle' ? event.counted : undefined;
  return writeEntry(org, {
    tree: tip.tree,
    parents: [tip.commit],
    agent: hold.agent,
    title: `${kind}: ${hold.agent}, ${used === undefined ? 'the call never began' : wordsFor(used)}`,
    trailers: {
      Event: kind,
      Agent: hold.agent,
      Spec: hold.spec,
      Attempt: hold.attempt,
      Model: rest.model,
      Host: org.host,
      Run: hold.night,
      Day: hold.day,
      'Tokens-In': used?.tokensIn,
      'Tokens-Out': used?.tokensOut,
      'Cost-USD': used?.usd === undefined ? undefined : formatUsd(used.usd),
      'Paid-By': used?.subscription && paidBySubscription,
      Rest: hold.rest ? 'yes' : undefined,
      Reserved: kind === 'reserve' ? undefined : formatAmount(hold.most),
      Reason: rest.reason,
      Cause: rest.cause,
      // Two processes that ask for the same in the same second would make the same commit, and both would take it for theirs.
      Nonce: randomBytes(12).toString('hex'),
      Spent: formatSpent(ledger),
    },
  });
}

/** What a commit of a book says; undefined if it cannot be read, or is not an entry. */
export function spendEventOf(entry: BookEntry): SpendEvent | undefined {
  const { event: kind } = entry;
  if (kind !== 'reserve' && kind !== 'settle' && kind !== 'release') return undefined;
  const used = kind === 'release' ? undefined : amountOf(entry);
  const most = kind === 'reserve' ? used : parseAmount(entry.get('Reserved'));
  const [agent, night, day] = ['Agent', 'Run', 'Day'].map((key) => entry.get(key));
  if (most === undefined || !isAmount(most) || agent === undefined || night === undefined || day === undefined)
    return undefined;
  const rest = entry.get('Rest') === 'yes' || undefined;
  const hold: Hold = { agent, spec: entry.get('Spec'), attempt: entry.get('Attempt'), day, night, most, rest };
  if (kind !== 'settle') return { kind, hold };
  return used === undefined ? undefined : { kind, hold, counted: used };
}

/** A commit of a book, whether or not all of it can be read. */
export const isSpend = ({ event }: Pick<BookEntry, 'event'>): boolean =>
  ['reserve', 'settle', 'release'].includes(event);

/** The books of all hosts that are known here. */
export const spendBooks = (org: Org): Promise<readonly string[]> => refNames(org.repo, spendRefs);

/** The entries of a book, newest first, back to the first that is not wanted. */
export async function entriesBack(org: Org, ref: string, isWanted: (entry: BookEntry) => boolean) {
  const found: BookEntry[] = [];
  let entry = await readTip(org, ref);
  while (entry !== undefined && isSpend(entry) && isWanted(entry)) {
    found.push(entry);
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return found;
}

/** What entries count for, newest first: what is settled with what it came to, what was let go with nothing, and the rest with all that was set aside. */
export function countedEntries(entries: readonly BookEntry[]) {
  const ended = new Set<string>();
  return entries.flatMap((entry) => {
    const event = spendEventOf(entry);
    if (event === undefined) return [];
    if (event.kind !== 'reserve') ended.add(entry.get('Cause') ?? '');
    if (event.kind === 'settle') return [{ entry, hold: event.hold, sum: sumOf(event.counted), isOpen: false }];
    const counts = event.kind === 'reserve' && !ended.has(entry.commit.oid);
    return counts ? [{ entry, hold: event.hold, sum: sumOf(event.hold.most), isOpen: true }] : [];
  });
}

function amountOf(entry: BookEntry): Amount | undefined {
  const [tokensIn, tokensOut] = [entry.number('Tokens-In'), entry.number('Tokens-Out')];
  const [cost, usd] = [entry.get('Cost-USD'), parseUsd(entry.get('Cost-USD'))];
  if (tokensIn === undefined || tokensOut === undefined || (cost !== undefined && usd === undefined)) return undefined;
  const how = entry.get('Paid-By') === paidBySubscription ? { subscription: true as const } : {};
  return isAmount({ usd, tokensIn, tokensOut }) ? { usd, tokensIn, tokensOut, ...how } : undefined;
}

const wordsFor = ({ usd, subscription, tokensIn, tokensOut }: Amount): string =>
  [
    `${tokensIn} tokens in, ${tokensOut} out`,
    subscription ? paidBySubscription : usd === undefined ? 'price unknown' : `$${formatUsd(usd)}`,
  ].join(', ');

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
export async function readStanding(
  org: Org,
  night: string,
  before?: LedgerStanding,
  ref = spendRef(org.host),
): Promise<LedgerStanding> {
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
  for (const ref of refs) known.set(ref, await readStanding(org, night, known.get(ref), ref));
  return refs.flatMap((ref) => known.get(ref)?.ledger ?? []);
}

/** Other hosts' books move only when somebody fetches, and are asked for before every reservation. */
const booksElsewhere = new WeakMap<Org, Map<string, LedgerStanding>>();

/** What every host has on its present day and in its present night. */
export async function allLedgers(org: Org): Promise<readonly SpendLedger[]> {
  const tips = await Promise.all((await spendBooks(org)).map((ref) => readTip(org, ref)));
  const known = tips.filter((tip) => tip !== undefined); // Somebody may just have taken one away.
  return known.map((tip) => parseSpent(tip.get('Spent')) ?? unreadable(tip));
}

function unreadable(entry: BookEntry): never {
  throw new Problem(
    'integrity/history',
    `the book of what was spent does not add up at ${entry.commit.oid.slice(0, 7)} ${entry.title}`,
    'See what does not hold: orgrepo verify',
  );
}

function interrupted(ref: string, night: string, tip: BookEntry | undefined): Problem {
  const other = tip?.get('Run');
  if (other !== undefined && other !== night)
    return new Problem(
      'busy/run',
      `another run, ${other}, spends in this repository since ${night} did`,
      'Let one of them end first: orgrepo status',
    );
  return new Problem(
    'integrity/history',
    `${shortRef(ref)} was moved back or taken away while ${night} was running`,
    'See what does not hold: orgrepo verify. Where it was before is in .git/orgrepo/left',
  );
}
