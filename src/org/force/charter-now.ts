import type { Charter } from '../../domain/staff/charter.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { readEntry } from '../../records/entry.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readLastRun } from '../../records/queue/queue.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { unlessProblem } from '../../text/problem.ts';
import { readApplied } from './applied.ts';
import { type PinnedBrief, pinBrief } from './pin-brief.ts';
import { policiesDir } from './policy-files.ts';
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
  return unlessProblem(pinNow(org));
}

/** Its chart; undefined where there is none, too. */
export const charterNow = async (org: Org): Promise<Charter | undefined> => (await pinnedNow(org))?.charter?.charter;

/** What a plan is compared with: the last run's brief and harness, and the organisation that was applied last. */
export interface InForce {
  readonly run: string | undefined;
  /**
   * The last run's brief under the organisation that is in force, or where nothing has run the one that it was applied with, with
   * the agents that it has spawned; undefined when it cannot be read.
   */
  readonly pinned: PinnedBrief | undefined;
  /** The id of `policies/`, where there are any. */
  readonly policies: string | undefined;
  readonly appliedAt: number | undefined;
}

export async function readInForce(org: Org): Promise<InForce | undefined> {
  const [last, applied] = await Promise.all([readLastRun(org), readApplied(org)]);
  if (last === undefined && applied === undefined) return undefined;
  const trunk = last?.get('Trunk') ?? applied?.trunk ?? '';
  const tree = applied?.tree ?? (await readEntry(org, trunk))?.commit.tree ?? '';
  return {
    run: last?.get('Run'),
    pinned: trunk === '' ? undefined : await pinnedAt(org, trunk, applied?.tree),
    policies: (await entryAt(org.repo, tree, policiesDir))?.oid,
    appliedAt: applied?.at,
  };
}

/** What a shallow clone does not have, or this version cannot read any more, is not known. */
async function pinnedAt(org: Org, trunk: string, orgTree: string | undefined): Promise<PinnedBrief | undefined> {
  return unlessProblem(pinBrief(org, trunk, { orgTree }).then((pinned) => withSpawned(org, pinned)));
}
