import { refuseSilentModels } from '../../agents/keys.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { refuseUnheldRoot } from '../../score/arena/jail-of-org.ts';
import { refuseWrongInBrief } from './check-commands.ts';
import { lookAtDoors } from './check-models.ts';

/** Refuses a brief whose people could not work: programs that are not there, models without a key, a price or a door that opens. */
export async function refuseWrongStaff(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  await refuseIdleStaff(org, tree, pinned);
  await refuseClosedDoors(org, tree, pinned);
}

/** The same as far as it is known without asking a provider: for who starts nothing. */
export async function refuseIdleStaff(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  await refuseUnheldRoot(org, pinned);
  await refuseWrongInBrief(org, tree, pinned);
  await refuseSilentModels(org, tree, pinned);
}

/** Refuses a night whose keys are refused, or whose models are not there: nobody should find that in the morning. */
async function refuseClosedDoors(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  const [first] = (await lookAtDoors(org, tree, pinned)).flatMap(({ problem }) => problem ?? []);
  if (first !== undefined) throw first;
}
