import type { Charter } from '../../domain/staff/charter.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { isProblem } from '../../text/problem.ts';
import { readApplied } from './applied.ts';
import { type PinnedBrief, pinBrief } from './pin-brief.ts';
import { withSpawned } from './spawned.ts';

/**
 * The brief under the organisation as it is now, with whom it has spawned: while a run goes on the one that is in force, else the
 * trunk's, with which the next run would start.
 */
export async function pinNow(org: Org): Promise<PinnedBrief> {
  const applied = currentRunner(org) === undefined ? undefined : await readApplied(org);
  return withSpawned(org, await pinBrief(org, await trunkTip(org), { orgTree: applied?.tree }));
}

/** The same; undefined where it cannot be read. NEEDS YOU tells that. */
export async function pinnedNow(org: Org): Promise<PinnedBrief | undefined> {
  if (org.repo.head === undefined) return undefined;
  try {
    return await pinNow(org);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/** Its chart; undefined where there is none, too. */
export const charterNow = async (org: Org): Promise<Charter | undefined> => (await pinnedNow(org))?.charter?.charter;
