import { isAncestor } from '../git/merge.ts';
import { readBest, type Standing } from '../records/best.ts';
import { measureKey, type PinnedBrief, pinBrief } from '../records/brief.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { oldKey } from './begin.ts';
import { wrongInBrief } from './check-commands.ts';
import { type Checked, checkHarness, doubtfulStart, wrongStart } from './check-harness.ts';
import { openHarness } from './check-holdout.ts';
import { missingIdeas } from './check-ideas.ts';
import { absentPlaces } from './check-places.ts';
import { checkBranchesTable, checkNames, readTrunkSpecs } from './trunk.ts';

/** The night as it would begin now, without beginning it. */
export interface NightCheck extends Checked {
  readonly pinned: PinnedBrief;
  /** The trunk's tree. */
  readonly tree: string;
  readonly specs: number;
  readonly hasBranchesTable: boolean;
}

/**
 * Looks for everything that a night could stumble over. `measure` says when to run the harness: `always`, when nobody
 * has a score under this brief and this harness yet (`if-unknown`), or `never`. What cannot even be read is thrown.
 */
export async function checkNight(
  org: Org,
  measure: 'always' | 'if-unknown' | 'never',
  signal: AbortSignal,
): Promise<NightCheck> {
  const trunk = await trunkTip(org);
  const pinned = await pinBrief(org, trunk);
  const hasBranchesTable = await checkBranchesTable(org, trunk);
  const specs = await readTrunkSpecs(org, trunk);
  await checkNames(org, trunk, pinned);
  const tree = (await readEntry(org, trunk))?.commit.tree ?? '';
  const common = { pinned, tree, specs: specs.length, hasBranchesTable };
  const problems = await wrongInBrief(org, tree, pinned);
  if (problems.length > 0) return { ...common, start: undefined, problems, warnings: [] };
  const best = await readBest(org);
  const doubts = [
    ...(await absentPlaces(org, pinned)),
    ...(await openHarness(org, pinned)),
    ...(await missingIdeas(org, best?.tree ?? tree, pinned, specs)),
  ];
  const known = best !== undefined && (await isKnown(org, best, trunk, pinned));
  if (known && measure !== 'always')
    return {
      ...common,
      start: { score: best.score, numbers: best.numbers, seconds: undefined },
      problems: await wrongStart(org, pinned, best, false),
      warnings: [...doubts, ...(await doubtfulStart(org, pinned, best, false))],
    };
  if (measure === 'never') return { ...common, start: undefined, problems: [], warnings: doubts };
  const checked = await checkHarness(org, tree, pinned, best === undefined, signal);
  return { ...common, ...checked, warnings: [...doubts, ...checked.warnings] };
}

/** Whether a run would go on from best as it was measured. */
const isKnown = async (org: Org, best: Standing, trunk: string, pinned: PinnedBrief): Promise<boolean> =>
  (await oldKey(org, best)) === measureKey(pinned) && (await isAncestor(org.repo, trunk, best.commit));
