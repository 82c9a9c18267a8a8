import { add, noSum, type Scope, type SpendLedger, type Sum, sumOf, totalOf } from '../../domain/words/spending.ts';
import { type NightSpent, type Spender, spentOf } from '../../domain/words/spent.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { spendRefs } from '../../git/refs/ref-names.ts';
import { readEntry, readTip } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { unlessProblem } from '../../text/otherwise.ts';
import { isSpend, spendEventOf } from './spend-entry.ts';
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
  for (const ref of await refNames(org.repo, spendRefs.slice(0, -1))) {
    const ended = new Set<string>();
    let entry = await readTip(org, ref);
    while (entry !== undefined && isSpend(entry) && entry.get(key) === name) {
      const event = spendEventOf(entry);
      if (event !== undefined && event.kind !== 'reserve') ended.add(entry.get('Cause') ?? '');
      const amount =
        event?.kind === 'settle'
          ? event.counted
          : event?.kind === 'reserve' && !ended.has(entry.commit.oid)
            ? event.hold.most
            : undefined;
      if (event !== undefined && amount !== undefined) {
        const [agent, model] = [event.hold.agent, entry.get('Model') ?? ''];
        const of = sums.get(`${agent} ${model}`) ?? { agent, model, calls: 0, sum: noSum };
        sums.set(`${agent} ${model}`, { ...of, calls: of.calls + 1, sum: add(of.sum, sumOf(amount)) });
      }
      entry = await readEntry(org, entry.commit.parents[0] ?? '');
    }
  }
  const found = [...sums.values()].sort((a, b) => b.sum.nanos - a.sum.nanos || (a.agent < b.agent ? -1 : 1));
  return found.map(({ agent, model, calls, sum }) => ({ agent, model, calls, spent: spentOf(sum) }));
}
