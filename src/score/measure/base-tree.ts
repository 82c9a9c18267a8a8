import { measureKey } from '../../domain/words/experiment.ts';
import { descendsFrom, mergeBase, mergeChange, mergeTrees } from '../../git/merge.ts';
import { shortRef } from '../../git/refs/ref-names.ts';
import { type PinnedBrief, pinBlob } from '../../org/force/pin-brief.ts';
import { readEntry, treeOf } from '../../records/entry.ts';
import { type BestEntry, type Rewritten, rewrittenTrunk } from '../../records/notebook/best-line.ts';
import { type Org, trunkOf } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { withSandboxOf } from '../arena/trial-files.ts';

/** What best was measured by; undefined when that is not known any more. */
export async function oldKey(org: Org, best: BestEntry): Promise<string | undefined> {
  // Written by an older orgrepo, or its harness is gone: measured under something else, in any case.
  return pinBlob(org, best.brief, best.tree).then(measureKey, () => undefined);
}

/** The tree that a night starts from; a Problem where the trunk and best do not go together. */
export async function mergedTree(org: Org, best: BestEntry | undefined, trunk: string, fromTrunk: boolean) {
  const trunkTree = await treeOf(org, trunk);
  if (best === undefined || fromTrunk || (await descendsFrom(org.repo, trunk, best.commit))) return trunkTree;
  const rewritten = await rewrittenTrunk(org, best, trunk);
  if (rewritten !== undefined) return ontoRewritten(org, best, trunkTree, trunk, rewritten);
  if (await descendsFrom(org.repo, best.commit, trunk)) return best.tree;
  if ((await mergeBase(org.repo, trunk, best.commit)) === undefined)
    throw new Problem(
      'integrity/history',
      `${shortRef(trunkOf(org))} at ${trunk.slice(0, 7)} and orgrepo/best at ${best.commit.slice(0, 7)} have no commit in common in this clone`,
      'Fetch the whole history: git fetch --unshallow. Or start over from the trunk: orgrepo run --from-trunk',
    );
  const merged = await mergeTrees(org.repo, best.commit, trunk);
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `the trunk and orgrepo/best both changed ${merged.paths.join(', ')}, and the changes do not go together`,
    'Merge them yourself: git merge orgrepo/best. Or start over from the trunk: orgrepo run --from-trunk',
  );
}

/** What was taken, put on a trunk that a person has amended, rebased or changed for another: git would take what they threw away for best's own. */
async function ontoRewritten(org: Org, best: BestEntry, trunkTree: string, trunk: string, before: Rewritten) {
  const merged = await mergeChange(org.repo, before.tree, best.tree, trunkTree);
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `${shortRef(trunkOf(org))} was at ${before.commit.slice(0, 7)} when orgrepo/best was last put on it, is at ${trunk.slice(0, 7)} now, which does not descend from it, and both changed ${merged.paths.join(', ')}`,
    `Start over from the trunk: orgrepo run --from-trunk. Or see what was taken: git diff ${before.commit.slice(0, 7)} orgrepo/best`,
  );
}

/** Tells whether a tree is what best was with a new trunk below it, and not the trunk alone, from which somebody took back what was taken. */
export async function keepsBest(org: Org, best: BestEntry, tree: string, trunk: string, { brief }: PinnedBrief) {
  if (tree === best.tree || tree !== (await readEntry(org, trunk))?.commit.tree) return true;
  return (await withSandboxOf(org.repo, brief, tree, best.tree)) === tree;
}
