import { entryAt } from '../../git/objects/tree.ts';
import { readEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { readLastRun } from '../../records/queue/last-run.ts';
import { isProblem } from '../../text/problem.ts';
import { readApplied } from './applied.ts';
import { type PinnedBrief, pinBrief } from './pin-brief.ts';
import { policiesDir } from './policy-files.ts';

/** What a plan is compared with: the last run's brief and harness, and the organisation that was applied last. */
export interface InForce {
  readonly run: string | undefined;
  /**
   * The last run's brief under the organisation that is in force, or where nothing has run the one that it was applied with;
   * undefined when it cannot be read.
   */
  readonly pinned: PinnedBrief | undefined;
  /** The id of `policies/`, where there are any. */
  readonly policies: string | undefined;
  readonly appliedAt: number | undefined;
}

export async function readInForce(org: Org): Promise<InForce | undefined> {
  const [last, applied] = await Promise.all([readLastRun(org), readApplied(org)]);
  if (last === undefined && applied === undefined) return undefined;
  const trunk = last?.trunk ?? applied?.trunk ?? '';
  const tree = applied?.tree ?? (await readEntry(org, trunk))?.commit.tree ?? '';
  return {
    run: last?.run,
    pinned: trunk === '' ? undefined : await pinnedAt(org, trunk, applied?.tree),
    policies: (await entryAt(org.repo, tree, policiesDir))?.oid,
    appliedAt: applied?.at,
  };
}

/** What a shallow clone does not have, or this version cannot read any more, is not known. */
async function pinnedAt(org: Org, trunk: string, orgTree: string | undefined): Promise<PinnedBrief | undefined> {
  try {
    return await pinBrief(org, trunk, { orgTree });
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}
