import { add, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { spendRefs } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip } from '../../records/entry.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { isSpend, spendEventOf } from './spend-entry.ts';

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
  const ended = new Set<string>();
  let sum = noSum;
  for (const ref of await refNames(org.repo, spendRefs.slice(0, -1))) {
    let entry = await readTip(org, ref);
    while (entry !== undefined && isSpend(entry) && !isBefore(entry)) {
      const event = entry.get('Run') === night || entry.get('Spec') !== spec ? undefined : spendEventOf(entry);
      if (event !== undefined && event.kind !== 'reserve') ended.add(entry.get('Cause') ?? '');
      if (event?.kind === 'settle') sum = add(sum, sumOf(event.counted));
      if (event?.kind === 'reserve' && !ended.has(entry.commit.oid)) sum = add(sum, sumOf(event.hold.most));
      entry = await readEntry(org, entry.commit.parents[0] ?? '');
    }
  }
  return sum;
}

/** A run is called after the day on which it began, and goes on into the next. */
const daySeconds = 24 * 3600;
