import { randomBytes } from 'node:crypto';
import {
  type Amount,
  type Hold,
  isAmount,
  type SpendEvent,
  type SpendLedger,
  type Sum,
  sumOf,
} from '../../domain/words/spending.ts';
import { formatAmount, formatSpent, formatUsd, parseAmount, parseUsd } from '../../domain/words/spent.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { spendRefs } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip, writeEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';

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

/** What a commit of a book tells; undefined when it cannot be read, or is none. */
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
export async function entriesBack(
  org: Org,
  ref: string,
  isWanted: (entry: BookEntry) => boolean,
): Promise<readonly BookEntry[]> {
  const found: BookEntry[] = [];
  let entry = await readTip(org, ref);
  while (entry !== undefined && isSpend(entry) && isWanted(entry)) {
    found.push(entry);
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return found;
}

/** What entries count for, newest first: what is settled with what it came to, what was let go with nothing, and the rest with all that was set aside. */
export function countedEntries(
  entries: readonly BookEntry[],
): readonly { readonly entry: BookEntry; readonly hold: Hold; readonly sum: Sum }[] {
  const ended = new Set<string>();
  return entries.flatMap((entry) => {
    const event = spendEventOf(entry);
    if (event === undefined) return [];
    if (event.kind !== 'reserve') ended.add(entry.get('Cause') ?? '');
    if (event.kind === 'settle') return [{ entry, hold: event.hold, sum: sumOf(event.counted) }];
    const counts = event.kind === 'reserve' && !ended.has(entry.commit.oid);
    return counts ? [{ entry, hold: event.hold, sum: sumOf(event.hold.most) }] : [];
  });
}

function amountOf(entry: BookEntry): Amount | undefined {
  const [tokensIn, tokensOut] = [entry.number('Tokens-In'), entry.number('Tokens-Out')];
  const [cost, usd] = [entry.get('Cost-USD'), parseUsd(entry.get('Cost-USD'))];
  if (tokensIn === undefined || tokensOut === undefined || (cost !== undefined && usd === undefined)) return undefined;
  return isAmount({ usd, tokensIn, tokensOut }) ? { usd, tokensIn, tokensOut } : undefined;
}

const wordsFor = ({ usd, tokensIn, tokensOut }: Amount): string =>
  `${tokensIn} tokens in, ${tokensOut} out, ${usd === undefined ? 'price unknown' : `$${formatUsd(usd)}`}`;
