import type { CulturePreset } from '../../domain/staff/charter.ts';
import { whyUnwritable } from '../../git/writable.ts';
import { measureKey, type PinnedBrief, pinBrief } from '../../org/force/pin-brief.ts';
import { refuseWrongPolicies } from '../../policy/governor.ts';
import { readEntry } from '../../records/entry.ts';
import { type BestEntry, readBest, standsOnTrunk } from '../../records/notebook/best-line.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { type Checked, checkHarness, doubtfulStart, wrongStart } from '../../score/measure/check-harness.ts';
import { mergedTree, oldKey } from '../../score/measure/take-base.ts';
import { isProblem, type Problem } from '../../text/problem.ts';
import { checkBranchesTable, checkNames, readTrunkSpecs } from '../trunk-specs.ts';
import { wrongInBrief } from './check-commands.ts';
import { openHarness } from './check-holdout.ts';
import { missingIdeas } from './check-ideas.ts';
import { agingModels } from './check-lifetimes.ts';
import { doubtsAboutOrg } from './check-org.ts';
import { absentPlaces } from './check-places.ts';
import { missingReviewers } from './check-roles.ts';

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
 * has a score under this brief and this harness yet (`if-unknown`), or `never`; where nothing can be written it is never. What cannot
 * even be read is thrown.
 */
export async function checkNight(
  org: Org,
  measure: 'always' | 'if-unknown' | 'never',
  signal: AbortSignal,
  culture?: CulturePreset | undefined,
): Promise<NightCheck> {
  const trunk = await trunkTip(org);
  const pinned = await pinBrief(org, trunk, { culture });
  const hasBranchesTable = await checkBranchesTable(org, trunk);
  const specs = await readTrunkSpecs(org, trunk);
  await checkNames(org, trunk, pinned);
  const tree = (await readEntry(org, trunk))?.commit.tree ?? '';
  const policies = await refuseWrongPolicies(org, tree);
  const common = { pinned, tree, specs: specs.length, hasBranchesTable };
  const problems = await wrongInBrief(org, tree, pinned);
  if (problems.length > 0) return { ...common, start: undefined, problems, warnings: [] };
  const best = await readBest(org);
  const unwritable = whyUnwritable(org.repo);
  const doubts = [
    ...(unwritable === undefined ? [] : [unwritable]),
    ...policies,
    ...doubtsAboutOrg(pinned, specs),
    ...(await absentPlaces(org, pinned)),
    ...(await openHarness(org, pinned)),
    ...(await missingIdeas(org, best?.tree ?? tree, pinned, specs)),
    ...(await missingReviewers(org, pinned, specs)),
    ...(await agingModels(pinned.brief)),
  ];
  const known = best !== undefined && (await isKnown(org, best, trunk, pinned));
  if (known && (measure !== 'always' || unwritable !== undefined))
    return {
      ...common,
      start: { score: best.score, numbers: best.numbers, seconds: undefined, fromBest: true },
      problems: await wrongStart(org, pinned, best, false),
      warnings: [...doubts, ...(await doubtfulStart(org, pinned, best, false))],
    };
  if (measure === 'never' || unwritable !== undefined)
    return { ...common, start: undefined, problems: [], warnings: doubts };
  const from = await startingTree(org, best, trunk);
  if (isProblem(from)) return { ...common, start: undefined, problems: [], warnings: [...doubts, from] };
  const checked = await checkHarness(org, from, pinned, best === undefined, signal);
  const start = checked.start && { ...checked.start, fromBest: best !== undefined };
  return { ...common, ...checked, start, warnings: [...doubts, ...checked.warnings] };
}

/** What a run would measure first; why it would be refused where the trunk and best do not go together. */
async function startingTree(org: Org, best: BestEntry | undefined, trunk: string): Promise<string | Problem> {
  try {
    return await mergedTree(org, best, trunk, false);
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** Whether a run would go on from best as it was measured. */
const isKnown = async (org: Org, best: BestEntry, trunk: string, pinned: PinnedBrief): Promise<boolean> =>
  (await oldKey(org, best)) === measureKey(pinned) && (await standsOnTrunk(org, best, trunk));
