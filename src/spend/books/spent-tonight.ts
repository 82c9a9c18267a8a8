import { add, noSum, type Scope, type SpendLedger, type Sum, totalOf } from '../../domain/words/spending.ts';
import { type NightSpent, type Spender, spentOf } from '../../domain/words/spent.ts';
import type { BookEntry } from '../../records/entry.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { unlessProblem } from '../../text/problem.ts';
import { countedEntries, entriesBack, spendBooks } from './spend-entry.ts';
import { allLedgers } from './spend-ledger.ts';

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
    held: Object.values(held).every((value) => value === 0) ? undefined : spentOf(held),
    agents: ids.map((id) => ({ id, spent: spentOf(sum('agent', 'spent', id)) })),
  };
}

/** A book that cannot be read is for `verify` to speak of: whoever asks how things stand gets the rest. */
export const readableLedgers = async (org: Org): Promise<readonly SpendLedger[]> =>
  (await unlessProblem(allLedgers(org))) ?? [];

/** Who spent how much on which model, in a night or on the last day of the books, entry by entry. What was never settled counts in full. */
export async function readSpenders(org: Org, scope: Scope, night: string): Promise<readonly Spender[]> {
  const today = (await readableLedgers(org))
    .map(({ day }) => day)
    .sort()
    .at(-1);
  const [key, name] = scope === 'day' ? ['Day', today] : ['Run', night];
  const sums = new Map<string, { readonly agent: string; readonly model: string; calls: number; sum: Sum }>();
  for (const ref of await spendBooks(org))
    for (const { entry, hold, sum } of countedEntries(
      await entriesBack(org, ref, (entry) => entry.get(key) === name),
    )) {
      const [agent, model] = [hold.agent, entry.get('Model') ?? ''];
      const of = sums.get(`${agent} ${model}`) ?? { agent, model, calls: 0, sum: noSum };
      sums.set(`${agent} ${model}`, { ...of, calls: of.calls + 1, sum: add(of.sum, sum) });
    }
  const found = [...sums.values()].sort((a, b) => b.sum.nanos - a.sum.nanos || (a.agent < b.agent ? -1 : 1));
  return found.map(({ agent, model, calls, sum }) => ({ agent, model, calls, spent: spentOf(sum) }));
}

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
