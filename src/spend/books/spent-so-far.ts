import {
  add,
  type Figures,
  type Hold,
  noSum,
  type Scope,
  type SpendLedger,
  type Sum,
  scopes,
  sumOf,
  totalOf,
} from '../../domain/words/spending.ts';
import {
  type CapReached,
  isIn,
  type NightSpent,
  type Span,
  type Spender,
  type Spent,
  spentOf,
} from '../../domain/words/spent.ts';
import { git } from '../../git/run-git.ts';
import { pinBrief, placeInBrief } from '../../org/force/pin-brief.ts';
import { type BookEntry, readEntry, readTip } from '../../records/entry.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { type Place, unlessProblem } from '../../text/problem.ts';
import { allLedgers, countedEntries, entriesBack, isSpend, spendBooks, spendEventOf } from './spend-ledger.ts';

/** What a night has spent on all hosts that this clone knows, from the tips of their books; undefined when it asked no model. */
export async function readSpent(org: Org, night: string): Promise<NightSpent | undefined> {
  const books = (await readableLedgers(org)).filter((book) => book.night === night && night !== '');
  if (books.length === 0) return undefined;
  const sum = (scope: Scope, part: 'spent' | 'held', name = ''): Sum =>
    books.map((book) => totalOf(book, scope, name)[part]).reduce(add, noSum);
  const held = sum('night', 'held');
  const names = books.flatMap(({ totals }) => [...totals.keys()].filter((key) => key.startsWith('agent ')));
  const ids = [...new Set(names)].map((key) => key.slice(6)).sort();
  return {
    total: spentOf(sum('night', 'spent')),
    held: heldOf(held),
    agents: ids.map((id) => ({ id, spent: spentOf(sum('agent', 'spent', id)) })),
  };
}

/** Leaves out books that cannot be read: `verify` reports those. */
export const readableLedgers = async (org: Org): Promise<readonly SpendLedger[]> =>
  (await unlessProblem(allLedgers(org))) ?? [];

/** How much each agent spent on which model, in a night or on the last day of the books. A call that was never settled counts in full. */
export async function readSpenders(org: Org, scope: Scope, night: string): Promise<readonly Spender[]> {
  const days = (await readableLedgers(org)).map(({ day }) => day).sort();
  const [key, name] = scope === 'day' ? ['Day', days.at(-1)] : ['Run', night];
  const isOf = (entry: BookEntry): boolean => entry.get(key) === name;
  const sums = new Map<
    string,
    { readonly agent: string; readonly model: string; calls: number; spent: Sum; kept: Sum }
  >();
  for (const ref of await spendBooks(org))
    for (const { entry, hold, sum, isOpen } of countedEntries(await entriesBack(org, ref, isOf))) {
      const [agent, model] = [hold.agent, entry.get('Model') ?? ''];
      const of = sums.get(`${agent} ${model}`) ?? { agent, model, calls: 0, spent: noSum, kept: noSum };
      of.calls += 1;
      of[isOpen ? 'kept' : 'spent'] = add(of[isOpen ? 'kept' : 'spent'], sum);
      sums.set(`${agent} ${model}`, of);
    }
  const most = ({ spent, kept }: { spent: Sum; kept: Sum }): number => spent.nanos + kept.nanos;
  const found = [...sums.values()].sort((a, b) => most(b) - most(a) || (a.agent < b.agent ? -1 : 1));
  return found.map(({ agent, model, calls, spent, kept }) => ({
    ...{ agent, model, calls, spent: spentOf(spent), reserved: heldOf(kept) },
  }));
}

/** Undefined for nothing. */
const heldOf = (sum: Sum): Spent | undefined =>
  Object.values(sum).every((value) => value === 0) ? undefined : spentOf(sum);

/**
 * What earlier nights have spent on a spec, with what was set aside for it and never settled, on every host that this clone
 * knows: an org may have moved here since. The books are read back to the runs before the spec was claimed, so for one that was claimed in this night they are not read at all. A clock may have been
 * set back since: a claim that is yet to come is an earlier night's, and no run is left out for its hours alone.
 */
export async function spentEarlier(org: Org, night: string, nightBegan: number, spec: string): Promise<Sum> {
  const claimedAt = (await readNotebook(org, spec))?.claimedAt ?? nightBegan;
  if (claimedAt >= nightBegan && claimedAt <= Date.now() / 1000 + 1) return noSum;
  const firstDay = new Date((claimedAt - daySeconds) * 1000).toISOString().slice(0, 10);
  const isBefore = ({ commit, get }: BookEntry): boolean =>
    commit.committer.at < claimedAt && (get('Run') ?? '').slice(0, 10) < firstDay;
  let sum = noSum;
  for (const ref of await spendBooks(org)) {
    const entries = (await entriesBack(org, ref, (entry) => !isBefore(entry))).filter(
      (entry) => entry.get('Run') !== night && entry.get('Spec') === spec,
    );
    sum = countedEntries(entries).reduce((all, counted) => add(all, counted.sum), sum);
  }
  return sum;
}

/** A run is called after the day on which it began, and goes on into the next. */
const daySeconds = 24 * 3600;

const keys: Readonly<Record<keyof Figures, string>> = { usd: 'usd', tokensIn: 'tokens_in', tokensOut: 'tokens_out' };

/** `night usd`: which cap it was that ended a run, as its last commit on the queue carries it. */
export const formatCapName = (scope: Scope, what: keyof Figures | undefined): string =>
  what === undefined ? scope : `${scope} ${keys[what]}`;

function parseCapName(text: string | undefined): Pick<CapReached, 'scope' | 'what'> | undefined {
  const [first, second] = (text ?? '').split(' ');
  const scope = scopes.find((one) => one === first);
  const what = (Object.keys(keys) as (keyof Figures)[]).find((one) => keys[one] === second);
  return scope && { scope, what };
}

/** What there is to tell of the cap that ended a run; undefined when none did. */
export async function readCapReached(org: Org, queue: Queue, ended: BookEntry | undefined) {
  const cap = parseCapName(ended?.get('Cap'));
  if (ended === undefined || cap === undefined) return undefined;
  return {
    ...cap,
    by: ended.get('By') ?? '',
    reason: ended.get('Reason') ?? '',
    at: ended.commit.committer.at,
    place: await placeOf(org, cap),
    spenders: await readSpenders(org, cap.scope, queue.ledger.run),
    open: queue.specs.map(({ id, title }) => ({ id, title })),
  } satisfies CapReached;
}

/** In the brief as the trunk has it now: that is the one that a person would change. */
async function placeOf(org: Org, { scope, what }: Pick<CapReached, 'scope' | 'what'>): Promise<Place | undefined> {
  if (what === undefined) return undefined;
  const path = scope === 'night' ? (['budget', keys[what]] as const) : (['caps', scope, keys[what]] as const);
  return unlessProblem(trunkTip(org).then(async (tip) => placeInBrief(org, await pinBrief(org, tip), path)));
}

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

/**
 * What all hosts have spent in a period, with what was set aside and never settled, entry by entry: books carry the sums of a day
 * and a night, and a week is neither.
 * Undefined where there is more of it than `most` entries: a part of the sum would look like all of it.
 */
export async function readPeriodSpent(org: Org, span: Span, most: number) {
  const agents = new Map<string, Sum>();
  let left = most;
  for (const ref of await spendBooks(org)) {
    const entries = await entriesSince(org, ref, span, left);
    if (entries === undefined) return undefined;
    left -= entries.length;
    for (const { hold, sum } of countedEntries(entries))
      if (isIn(span, hold.day)) agents.set(hold.agent, add(agents.get(hold.agent) ?? noSum, sum));
  }
  return { total: sumOfAll(agents), agents };
}

/** The latest first. The ids come at once, because a question for each parent would wait for the answer before it. */
async function entriesSince(org: Org, ref: string, { from }: Span, most: number): Promise<BookEntry[] | undefined> {
  const limits = [`--max-count=${most + 1}`, `--since=${from}`];
  const listed = await git(org.repo, ['rev-list', '--first-parent', ...limits, ref]);
  const ids = listed.split('\n').filter((id) => id !== '');
  const read = await Promise.all(ids.map((id) => readEntry(org, id)));
  const entries = read.flatMap((entry) => (entry !== undefined && isSpend(entry) ? [entry] : []));
  return entries.length > most ? undefined : entries;
}
