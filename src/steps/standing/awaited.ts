import { nowInSeconds } from '../../process/pace.ts';
import { readRequests } from '../../records/requests/requests.ts';
import type { Night } from '../night/night.ts';

/** What somebody would begin, and waits for a person's yes to do. */
export interface Awaited {
  readonly agent: string;
  /** Undefined for whoever would write specs. */
  readonly spec: string | undefined;
  /** The request, by its key. */
  readonly request: string;
}

/** So many specs of one agent wait at the most: where every one needs a yes, people are not asked about a hundred of them. */
const mostAwaited = 3;

/** An agent lets go of what it cannot begin without a yes: it has cost no attempt, and there may be other work. */
export function awaitYes(night: Night, awaited: Awaited): void {
  night.floor.awaited.push(awaited);
}

/** Whether an agent gets no other spec before people have said something. */
export const isWaitingForMany = ({ floor }: Night, agent: string): boolean =>
  floor.awaited.filter((one) => one.agent === agent).length >= mostAwaited;

/** Whether somebody waits to write specs, as far as is known. */
export const isAwaited = ({ floor }: Night, chief: string | undefined): boolean =>
  floor.awaited.some((one) => one.agent === chief && one.spec === undefined);

/** The same, and nobody has answered yet. */
export async function isChiefWaiting(night: Night, chief: string): Promise<boolean> {
  const awaited = night.floor.awaited.find((one) => one.agent === chief && one.spec === undefined);
  return awaited !== undefined && !(await takeAnswered(night, awaited));
}

/** A spec of an agent's own that waited and has an answer now, be it a no: then that is how the attempt ends. */
export async function nextAnswered(night: Night, agent: string): Promise<string | undefined> {
  for (const awaited of night.floor.awaited.filter((one) => one.agent === agent && one.spec !== undefined))
    if (await takeAnswered(night, awaited)) return awaited.spec;
  return undefined;
}

/** True once, when there is an answer. */
async function takeAnswered({ org, floor }: Night, awaited: Awaited): Promise<boolean> {
  const requests = await readRequests(org, nowInSeconds());
  if (requests.some(({ asked, stage }) => asked.key === awaited.request && stage.kind === 'waits')) return false;
  const at = floor.awaited.indexOf(awaited);
  if (at >= 0) floor.awaited.splice(at, 1);
  return at >= 0;
}
