import type { Org } from '../../records/org.ts';
import { clearRooms } from './measuring-room.ts';

/** Ends git's companions and leaves no room behind. */
export async function closeOrg(org: Org): Promise<void> {
  await clearRooms(org.repo);
  await org.repo.close();
}
