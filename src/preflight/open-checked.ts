import type { CulturePreset } from '../domain/staff/charter.ts';
import { type PinnedBrief, pinBrief } from '../org/force/pin-brief.ts';
import { withSpawned } from '../org/force/spawned.ts';
import { refuseWrongPolicies } from '../policy/governor.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import type { Problem } from '../text/problem.ts';
import { checkBranchesTable, checkNames, readTrunkSpecs, type TrunkSpec } from './trunk-specs.ts';

/** What people committed for a night, read and checked, with the agents that leads have spawned since. */
export interface CheckedTrunk {
  /** The trunk's commit and its tree. */
  readonly trunk: string;
  readonly tree: string;
  readonly pinned: PinnedBrief;
  readonly specs: readonly TrunkSpec[];
  readonly hasBranchesTable: boolean;
  /** What the policies warn of. */
  readonly policyWarnings: readonly Problem[];
}

/** The one opening of `run`, `plan`, `doctor` and `apply`. Throws the first file that cannot be used. */
export async function openChecked(
  org: Org,
  { culture }: { readonly culture?: CulturePreset | undefined } = {},
): Promise<CheckedTrunk> {
  const trunk = await trunkTip(org);
  const ofTrunk = await pinBrief(org, trunk, { culture });
  const tree = (await readEntry(org, trunk))?.commit.tree ?? '';
  const hasBranchesTable = await checkBranchesTable(org, tree);
  const specs = await readTrunkSpecs(org, tree);
  await checkNames(org, tree, ofTrunk);
  const policyWarnings = await refuseWrongPolicies(org, tree);
  return { trunk, tree, pinned: await withSpawned(org, ofTrunk), specs, hasBranchesTable, policyWarnings };
}
