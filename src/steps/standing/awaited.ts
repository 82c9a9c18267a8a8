import { nowInSeconds } from '../../process/clock.ts';
import { readRequests } from '../../records/requests/requests.ts';
import type { Night } from '../night/night.ts';
import type { NightStanding } from './night-standing.ts';

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
export function awaitYes(standing: NightStanding, awaited: Awaited): void {
  standing.awaited.push(awaited);
}

/** Whether an agent gets no other spec before people have said something. */
export const isWaitingForMany = (standing: NightStanding, agent: string): boolean =>
  standing.awaited.filter((one) => one.agent === agent).length >= mostAwaited;

/** Whether somebody waits to write specs, as far as is known. */
export const isAwaited = (standing: NightStanding, chief: string | undefined): boolean =>
  standing.awaited.some((one) => one.agent === chief && one.spec === undefined);

/** The same, and nobody has answered yet. */
export async function checkChiefWaiting(night: Pick<Night, 'run' | 'standing'>, chief: string): Promise<boolean> {
  const awaited = night.standing.awaited.find((one) => one.agent === chief && one.spec === undefined);
  return awaited !== undefined && !(await takeAnswered(night, awaited));
}

/** A spec of an agent's own that waited and has an answer now, be it a no: then that is how the attempt ends. */
export async function nextAnswered(night: Pick<Night, 'run' | 'standing'>, agent: string): Promise<string | undefined> {
  for (const awaited of night.standing.awaited.filter((one) => one.agent === agent && one.spec !== undefined))
    if (await takeAnswered(night, awaited)) return awaited.spec;
  return undefined;
}

/** True once, when there is an answer. */
async function takeAnswered({ run, standing }: Pick<Night, 'run' | 'standing'>, awaited: Awaited): Promise<boolean> {
  const requests = await readRequests(run.org, nowInSeconds());
  if (requests.some(({ asked, stage }) => asked.key === awaited.request && stage.kind === 'waits')) return false;
  const at = standing.awaited.indexOf(awaited);
  if (at >= 0) standing.awaited.splice(at, 1);
  return at >= 0;
}
