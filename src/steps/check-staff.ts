import type { PinnedBrief } from '../records/brief.ts';
import type { Org } from '../records/org.ts';
import { refuseClosedDoors } from './check-access.ts';
import { refuseWrongInBrief } from './check-commands.ts';
import { refuseSilentModels } from './office.ts';

/** Refuses a brief whose people could not work: programs that are not there, models without a key, a price or a door that opens. */
export async function refuseWrongStaff(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  await refuseWrongInBrief(org, tree, pinned);
  await refuseSilentModels(org, tree, pinned.brief);
  await refuseClosedDoors(org, tree, pinned);
}
