import { refuseSilentModels } from '../../agents/keys.ts';
import { measureKey } from '../../domain/words/experiment.ts';
import { whyUnwritable } from '../../git/worktree.ts';
import { type PinnedBrief, readBrief } from '../../org/force/pin-brief.ts';
import { refuseIgnored } from '../../org/read/org-limits.ts';
import { type BestEntry, readBest, standsOnTrunk } from '../../records/notebook/best-line.ts';
import type { Org } from '../../records/org.ts';
import { mergedTree, oldKey } from '../../score/measure/base-tree.ts';
import { type Checked, checkHarness, doubtfulStart, wrongStart } from '../../score/measure/check-harness.ts';
import { refuseUnheldRoot } from '../../score/measure/trial.ts';
import { isProblem, orProblem } from '../../text/problem.ts';
import type { CheckedTrunk } from '../open-checked.ts';
import { smallCaps } from './check-caps.ts';
import { emptySandbox, openHarness, refuseWrongInBrief, wrongInBrief } from './check-commands.ts';
import { endingLogins } from './check-logins.ts';
import { absentPlaces } from './check-machine.ts';
import { checkAccess } from './check-models.ts';
import { doubtsAboutOrg, missingIdeas, missingReviewers } from './check-org.ts';
import { agingModels } from './check-prices.ts';
import { doubtfulSearch } from './check-search.ts';

/** The night as it would begin now, without beginning it. */
export interface NightCheck extends Checked, CheckedTrunk {}

/**
 * Looks for everything that a night could stumble over. `measure` says when to run the harness: `always`, when nobody
 * has a score under this brief and this harness yet (`if-unknown`), or `never`; where nothing can be written it is never.
 */
export async function checkNight(
  org: Org,
  opened: CheckedTrunk,
  measure: 'always' | 'if-unknown' | 'never',
  signal: AbortSignal,
): Promise<NightCheck> {
  const { trunk, tree, pinned, specs } = opened;
  const problems = await wrongInBrief(org, tree, pinned);
  if (problems.length > 0) return { ...opened, start: undefined, problems, warnings: [] };
  const best = await readBest(org);
  const unwritable = whyUnwritable(org.repo);
  const doubts = [
    ...(unwritable === undefined ? [] : [unwritable]),
    ...opened.policyWarnings,
    ...doubtsAboutOrg(pinned, specs),
    ...(await absentPlaces(org, pinned)),
    ...(await openHarness(org, pinned)),
    ...(await emptySandbox(org, tree, pinned)),
    ...(await missingIdeas(org, best?.tree ?? tree, pinned, specs)),
    ...(await doubtfulSearch(org, best?.tree ?? tree, pinned)),
    ...(await missingReviewers(org, pinned, specs)),
    ...(await agingModels(pinned.brief)),
    ...(await smallCaps(org, pinned)),
    ...(await endingLogins(org, pinned.brief)),
  ];
  const known = best !== undefined && (await checkKnown(org, best, trunk, pinned));
  if (known && (measure !== 'always' || unwritable !== undefined))
    return {
      ...opened,
      start: { score: best.score, numbers: best.numbers, seconds: undefined, fromBest: true },
      problems: await wrongStart({ org, pinned }, best, false),
      warnings: [...doubts, ...(await doubtfulStart({ org, pinned }, best, false))],
    };
  if (measure === 'never' || unwritable !== undefined)
    return { ...opened, start: undefined, problems: [], warnings: doubts };
  const from = await orProblem(mergedTree(org, best, trunk, false));
  if (isProblem(from)) return { ...opened, start: undefined, problems: [], warnings: [...doubts, from] };
  const checked = await checkHarness({ org, pinned, signal }, from, best === undefined);
  const start = checked.start && { ...checked.start, fromBest: best !== undefined };
  return { ...opened, ...checked, start, warnings: [...doubts, ...checked.warnings] };
}

/** Whether a run would go on from best as it was measured, and as it has passed its tests. */
const checkKnown = async (org: Org, best: BestEntry, trunk: string, pinned: PinnedBrief): Promise<boolean> =>
  (await oldKey(org, best)) === measureKey(pinned) &&
  (await standsOnTrunk(org, best, trunk)) &&
  (await readBrief(org, best.brief, best.tree)).tests === pinned.brief.tests;

/**
 * Refuses a brief whose people could not work: programs that are not there, models without a key, a price or access.
 * Nobody should find that in the morning.
 */
export async function refuseWrongStaff(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  await refuseIdleStaff(org, tree, pinned);
  const [first] = (await checkAccess(org, tree, pinned)).flatMap(({ problem }) => problem ?? []);
  if (first !== undefined) throw first;
}

/** The same as far as it is known without asking a provider: for who starts nothing. */
export async function refuseIdleStaff(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  refuseIgnored(pinned.charter);
  await refuseUnheldRoot(org, pinned);
  await refuseWrongInBrief(org, tree, pinned);
  await refuseSilentModels(org, tree, pinned);
}
