import { isIn, type Span } from '../../domain/rules/period.ts';
import { add, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { spendRefs } from '../../git/refs/ref-names.ts';
import { git } from '../../git/run-git.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { isSpend, spendEventOf } from './spend-entry.ts';

/** What a period has counted against it so far: spent, and set aside and never settled. */
export interface PeriodSpent {
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
  for (const ref of await refNames(org.repo, spendRefs.slice(0, -1))) {
    const entries = await entriesSince(org, ref, span, left);
    if (entries === undefined) return undefined;
    left -= entries.length;
    for (const [agent, sum] of countedIn(entries, span)) agents.set(agent, add(agents.get(agent) ?? noSum, sum));
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

/** What is settled counts with what it came to, what was let go with nothing, and the rest with all that was set aside. */
function countedIn(entries: readonly BookEntry[], span: Span): readonly (readonly [agent: string, sum: Sum])[] {
  const ended = new Set<string>();
  return entries.flatMap((entry) => {
    const event = spendEventOf(entry);
    if (event === undefined) return [];
    if (event.kind !== 'reserve') ended.add(entry.get('Cause') ?? '');
    if (!isIn(span, event.hold.day) || event.kind === 'release') return [];
    if (event.kind === 'settle') return [[event.hold.agent, sumOf(event.counted)] as const];
    return ended.has(entry.commit.oid) ? [] : [[event.hold.agent, sumOf(event.hold.most)] as const];
  });
}
