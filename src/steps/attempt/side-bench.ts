import type { Night } from '../night/night.ts';

/** Whoever has a desk has one pair of hands: what is asked of an agent there waits until it is done with what came before. */
export function atDesk<T>(night: Night, agent: string, work: () => Promise<T>): Promise<T> {
  const before = night.standing.busy.get(agent) ?? Promise.resolve();
  const mine = before.then(work);
  night.standing.busy.set(
    agent,
    mine.catch(() => {}),
  );
  return mine;
}

/** Where it sits. The bench of somebody who works specs holds its own work, so whatever else is asked of it is done beside it. */
export const deskOf = ({ inForce: { juniors } }: Night, agent: string): string =>
  juniors.includes(agent) ? `${agent}.desk` : agent;
