import { pace } from '../../process/pace.ts';
import { noteStop } from '../standing/steering.ts';
import { adoptOrg } from './adopt-org.ts';
import type { Night } from './night.ts';
import { worksHere } from './night-in-force.ts';

/**
 * A lane for everybody, and for those who join the org while it runs. Returns when all of them have ended, those that were
 * opened meanwhile too; what breaks in one of them is thrown at once.
 */
export async function workLanes(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  forPeople: () => Promise<void>,
  work: (junior: string) => Promise<void>,
): Promise<void> {
  const lanes = new Map<string, Promise<void>>();
  const returned = new Set<string>();
  let looking: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    const open = (name: string, lane: () => Promise<void>): void => {
      const mine = lane().then(() => {
        lanes.delete(name);
        // Whoever comes back while their lane ends would else have none.
        if (returned.delete(name) && night.standing.ending === undefined && worksHere(night.inForce, name))
          open(name, lane);
        if (lanes.size === 0) resolve();
      });
      lanes.set(name, mine);
      mine.catch(reject);
    };
    night.inForce.openLanes = (joining = []) => {
      for (const junior of night.inForce.juniors)
        if (!lanes.has(junior)) open(junior, () => work(junior));
        else if (joining.includes(junior)) returned.add(junior);
    };
    open('', forPeople);
    night.inForce.openLanes();
    // An attempt may take an hour: whoever joins or stops meanwhile need not wait until somebody comes to an end.
    const look = (): Promise<unknown> => Promise.all([adoptOrg(night), noteStop(night)]);
    looking = setInterval(() => void look().catch(reject), pace().staffMs);
  }).finally(() => {
    clearInterval(looking);
    night.inForce.openLanes = () => {};
  });
}
