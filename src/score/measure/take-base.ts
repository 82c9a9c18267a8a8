import { measureKey, singleStage } from '../../domain/words/experiment.ts';
import { descendsFrom, mergeBase, mergeChange, mergeTrees } from '../../git/merge.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { shortRef } from '../../git/refs/ref-names.ts';
import { type PinnedBrief, pinBlob } from '../../org/force/pin-brief.ts';
import { readEntry, treeOf } from '../../records/entry.ts';
import {
  type BestEntry,
  moveBest,
  type Rewritten,
  readBest,
  rewrittenTrunk,
  standsOnTrunk,
} from '../../records/notebook/best-line.ts';
import { type Org, trunkOf } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { withSandboxOf } from '../arena/zone-files.ts';
import { type Calibrating, type Calibration, calibrateMetric } from './calibrate.ts';
import { refuseWrongStart } from './check-harness.ts';
import { levelOf } from './trial.ts';

export interface Base {
  readonly best: BestEntry;
  readonly calibration: Calibration;
  /** True when best was written anew with what was measured just now; false when it stands as it was. */
  readonly written: boolean;
  /** True when there had been a best before. */
  readonly again: boolean;
  /** What was recorded for best, where this machine gives the same tree, brief and harness another score. */
  readonly drifted: number | undefined;
}

/**
 * Where the night starts from: orgrepo/best with whatever people have put on the trunk since. A tree that was not
 * measured under this brief and this harness is measured now, before anybody builds on it.
 */
export async function takeBase(calibrating: Calibrating, trunk: string, fromTrunk: boolean): Promise<Base> {
  const { org, pinned } = calibrating;
  const best = await readBest(org);
  const key = best === undefined ? undefined : await oldKey(org, best);
  const same = key === measureKey(pinned);
  if (best !== undefined && same && !fromTrunk && (await standsOnTrunk(org, best, trunk))) {
    await refuseWrongStart(calibrating, best, false); // A guard may be new.
    return standOn(calibrating, best);
  }
  const tree = await mergedTree(org, best, trunk, fromTrunk);
  if ((await entryAt(org.repo, tree, pinned.brief.harness))?.oid !== pinned.harness) {
    throw new Problem(
      'integrity/harness',
      `the harness on orgrepo/best is not the trunk's`,
      'Somebody committed to orgrepo/best by hand. Start over from the trunk: npx orgrepo run --from-trunk',
    );
  }
  const calibration = await calibrateMetric(calibrating, tree);
  await refuseWrongStart(calibrating, calibration, best === undefined || fromTrunk);
  const moved = await moveBest(
    org,
    {
      tree,
      parents: best === undefined ? [trunk] : [best.commit, trunk],
      agent: 'orgrepo',
      event: 'baseline',
      title:
        best === undefined ? 'baseline: as the trunk has it' : `baseline: best with the trunk at ${trunk.slice(0, 7)}`,
      n: best === undefined || fromTrunk || !(await isStillOf(org, best, tree, trunk, pinned)) ? 0 : best.n,
      ...measuredBy(calibration, pinned),
      jail: await levelOf(org),
      // While the measure stays the same, so does the baseline that everything is told against.
      baseline: same && !fromTrunk ? best?.baseline : undefined,
      cause: undefined,
    },
    best?.commit,
  );
  if (moved === undefined) throw new Problem('busy/lock', 'orgrepo/best was moved by somebody else', 'Run again.');
  return { best: moved, calibration, written: true, again: best !== undefined, drifted: undefined };
}

/** Best as it was recorded, when this machine agrees; otherwise measured anew: a number of another machine is no rival. */
async function standOn(calibrating: Calibrating, best: BestEntry): Promise<Base> {
  const calibration = await calibrateMetric(calibrating, best.tree);
  const agrees = calibration.scale.noise !== undefined || calibration.score === best.score;
  if (agrees) return { best, calibration, written: false, again: true, drifted: undefined };
  const title = 'baseline: best, which scores otherwise here and now';
  const moved = await rewriteBest(calibrating, best, calibration, title);
  return { best: moved, calibration, written: true, again: true, drifted: best.score };
}

/** Best measured again because the brief now asks for something else. */
export async function remeasureBest(
  calibrating: Calibrating,
  best: BestEntry,
): Promise<{ readonly best: BestEntry; readonly calibration: Calibration }> {
  const calibration = await calibrateMetric(calibrating, best.tree);
  await refuseWrongStart(calibrating, calibration, false);
  const title = 'baseline: best under the changed brief';
  return { best: await rewriteBest(calibrating, best, calibration, title), calibration };
}

async function rewriteBest(
  { org, pinned }: Calibrating,
  best: BestEntry,
  calibration: Calibration,
  title: string,
): Promise<BestEntry> {
  const moved = await moveBest(
    org,
    {
      ...measuredBy(calibration, pinned),
      jail: await levelOf(org),
      ...{ title, tree: best.tree, parents: [best.commit], agent: 'orgrepo', event: 'baseline', n: best.n },
      baseline: undefined,
      cause: undefined,
    },
    best.commit,
  );
  return moved ?? best;
}

const measuredBy = ({ score, samples, seeds, numbers, scale }: Calibration, { brief, blob, harness }: PinnedBrief) => ({
  ...{ score, samples, seeds, numbers, noise: scale.noise },
  ...{ metric: brief.metric, brief: blob, harness, stages: singleStage(brief) },
});

/** Whether a tree is what best was with a new trunk below it, and not the trunk alone, from which somebody took back what was taken. */
async function isStillOf(
  org: Org,
  best: BestEntry,
  tree: string,
  trunk: string,
  { brief }: PinnedBrief,
): Promise<boolean> {
  if (tree === best.tree || tree !== (await readEntry(org, trunk))?.commit.tree) return true;
  return (await withSandboxOf(org.repo, brief, tree, best.tree)) === tree;
}

/** What best was measured by; undefined when that cannot be told any more. */
export async function oldKey(org: Org, best: BestEntry): Promise<string | undefined> {
  // Written by an older orgrepo, or its harness is gone: measured under something else, in any case.
  return pinBlob(org, best.brief, best.tree).then(measureKey, () => undefined);
}

/** The tree that a night starts from; a Problem where the trunk and best do not go together. */
export async function mergedTree(
  org: Org,
  best: BestEntry | undefined,
  trunk: string,
  fromTrunk: boolean,
): Promise<string> {
  const trunkTree = await treeOf(org, trunk);
  if (best === undefined || fromTrunk || (await descendsFrom(org.repo, trunk, best.commit))) return trunkTree;
  const rewritten = await rewrittenTrunk(org, best, trunk);
  if (rewritten !== undefined) return ontoRewritten(org, best, trunkTree, trunk, rewritten);
  if (await descendsFrom(org.repo, best.commit, trunk)) return best.tree;
  if ((await mergeBase(org.repo, trunk, best.commit)) === undefined)
    throw new Problem(
      'integrity/history',
      `${shortRef(trunkOf(org))} at ${trunk.slice(0, 7)} and orgrepo/best at ${best.commit.slice(0, 7)} have no commit in common in this clone`,
      'Fetch the whole history: git fetch --unshallow. Or start over from the trunk: npx orgrepo run --from-trunk',
    );
  const merged = await mergeTrees(org.repo, best.commit, trunk);
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `the trunk and orgrepo/best both changed ${merged.paths.join(', ')}, and the changes do not go together`,
    'Merge them yourself: git merge orgrepo/best. Or start over from the trunk: npx orgrepo run --from-trunk',
  );
}

/** What was taken, put on a trunk that a person has amended, rebased or changed for another: git would take what they threw away for best's own. */
async function ontoRewritten(
  org: Org,
  best: BestEntry,
  trunkTree: string,
  trunk: string,
  before: Rewritten,
): Promise<string> {
  const merged = await mergeChange(org.repo, before.tree, best.tree, trunkTree);
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `${shortRef(trunkOf(org))} was at ${before.commit.slice(0, 7)} when orgrepo/best was last put on it, is at ${trunk.slice(0, 7)} now, which does not descend from it, and both changed ${merged.paths.join(', ')}`,
    `Start over from the trunk: npx orgrepo run --from-trunk. Or see what was taken: git diff ${before.commit.slice(0, 7)} orgrepo/best`,
  );
}
