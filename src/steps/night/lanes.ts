import { pace } from '../../process/pace.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, isProblem } from '../../text/problem.ts';
import { hideAllOf } from '../claim/night-claims.ts';
import { stopAgent } from '../standing/halt.ts';
import { noteStop } from '../standing/standing-now.ts';
import { adoptOrg } from './adopt-org.ts';
import type { ClaimParts, Night } from './night.ts';
import { worksHere } from './night-basics.ts';

/**
 * Opens a lane for every agent, and for those that join the org while it runs. Returns when all of them have ended. A lane that
 * breaks becomes a request to a person, and the others go on; if it was the last one, its error is thrown.
 */
export async function workLanes(
  night: ClaimParts,
  forPeople: () => Promise<void>,
  work: (junior: string) => Promise<void>,
): Promise<void> {
  const lanes = new Map<string, Promise<void>>();
  const returned = new Set<string>();
  let looking: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    const open = (name: string, lane: () => Promise<void>): void => {
      const mine = lane()
        .catch((error: unknown) => {
          const others = [...lanes.keys()].filter((one) => one !== name && one !== forEverybody);
          if (name === forEverybody || isProblem(error) || others.length === 0) throw error;
          return stopBroken(night, name, error);
        })
        .then(() => {
          lanes.delete(name);
          // An agent that comes back while its lane ends would else have none.
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
    open(forEverybody, forPeople);
    night.inForce.openLanes();
    // An attempt may take an hour: an agent that joins or stops meanwhile need not wait until another comes to an end.
    const look = (): Promise<unknown> => Promise.all([adoptOrg(night), noteStop(night)]);
    looking = setInterval(() => void look().catch(reject), pace().staffMs);
  }).finally(() => {
    clearInterval(looking);
    night.inForce.openLanes = () => {};
  });
}

/** The people's lane: what breaks there is nobody else's work. */
const forEverybody = '';

/** Stops an agent whose lane hit a bug. Its claim stays on its branch, and the next run goes on with it. */
async function stopBroken(
  night: Pick<Night, 'run' | 'claims' | 'standing'>,
  agent: string,
  error: unknown,
): Promise<void> {
  hideAllOf(night.claims, agent);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const [what = '', where = ''] = stack.split('\n').map((line) => cleanLine(hideSecrets(line.trim())));
  await stopAgent(night, agent, `its lane broke, which is a bug in orgrepo: ${what} ${where}`.trim());
}
