import { isAncestor, mergeBase } from '../../git/merge.ts';
import { readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { type BestEntry, trunkBelow } from './best-line.ts';

/** Where the trunk was when best was last put on it. */
export interface Rewritten {
  readonly commit: string;
  readonly tree: string;
}

/**
 * What best was last put on, where that is not what git would merge the two over: a person has amended or rebased the trunk, has taken
 * it back, or is on another branch. What the two have in common is then that tree, and not an older commit, if there is one at all.
 * Undefined where the trunk has just grown, or has merged best.
 */
export async function rewrittenTrunk(org: Org, best: BestEntry, trunk: string): Promise<Rewritten | undefined> {
  const commit = await trunkBelow(org, best);
  const tree = commit && (await readEntry(org, commit))?.commit.tree;
  if (commit === undefined || tree === undefined || commit === trunk) return undefined;
  const common = await mergeBase(org.repo, trunk, best.commit);
  if (common === commit) return undefined;
  const event = common && (await readEntry(org, common))?.event;
  const isOurs = event !== undefined && event !== '' && event !== 'land';
  return isOurs ? undefined : { commit, tree };
}

/** Whether best has all that is on the trunk, and nothing that was on it and is no more. */
export const standsOnTrunk = async (org: Org, best: BestEntry, trunk: string): Promise<boolean> =>
  (await isAncestor(org.repo, trunk, best.commit)) && (await rewrittenTrunk(org, best, trunk)) === undefined;
