import type { NightInForce } from '../night/night-in-force.ts';
import type { NightStanding } from '../standing/night-standing.ts';

/** Whoever has a desk has one pair of hands: what is asked of an agent there waits until it is done with what came before. */
export function atDesk<T>(standing: NightStanding, agent: string, work: () => Promise<T>): Promise<T> {
  const before = standing.busy.get(agent) ?? Promise.resolve();
  const mine = before.then(work);
  standing.busy.set(
    agent,
    mine.catch(() => {}),
  );
  return mine;
}

/** Where it sits. The bench of somebody who works specs holds its own work, so whatever else is asked of it is done beside it. */
export const deskOf = ({ juniors }: NightInForce, agent: string): string =>
  juniors.includes(agent) ? `${agent}.desk` : agent;
