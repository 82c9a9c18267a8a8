import type { Charter } from '../../domain/staff/charter.ts';
import { agentsWithDuty, chiefFor, choiceOf } from '../../domain/staff/staff.ts';
import type { Doing } from '../../domain/words/fact.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import type { InForceAtStart, Night, NightInForce, RunConstants } from './night.ts';

/** Says aloud what a person should know. */
export const warn = ({ say }: Pick<RunConstants, 'say'>, message: string): void =>
  say({ kind: 'warning', at: nowInSeconds(), message });

/** Shows what an agent does now. */
export const showDoing = ({ say }: Pick<RunConstants, 'say'>, agent: string, doing: Doing, detail = ''): void =>
  say({ kind: 'doing', at: nowInSeconds(), agent, doing, detail });

/** Goes on without waiting for something that is written in its turn. A failure is thrown when a lane ends, or waits. */
export function inTheBackground({ underway }: RunConstants, writing: Promise<unknown>): void {
  const mine = writing.then(() => void underway.delete(mine));
  mine.catch(() => {});
  underway.add(mine);
}

/** Waits for everything that is underway. */
export async function caughtUp({ underway }: RunConstants): Promise<void> {
  await Promise.all(underway);
}

type Closable = Pick<Night, 'run'> & { readonly inForce: InForceAtStart; readonly standing: NightStanding };

/**
 * True once an agent that has not begun should not wait any longer for a provider or for its turn. One that began before the
 * last attempt that was asked for goes on.
 */
export function isClosing({ run, inForce, standing: { ending } }: Closable): boolean {
  if (run.signal.aborted || (ending !== undefined && ending !== 'max')) return true;
  const { until = Number.POSITIVE_INFINITY } = run.limits;
  return Date.now() >= Math.min(until, run.startedAt + inForce.pinned.brief.budget.nightMs);
}

/** Does something with a signal that is given when the night is closing, or when `signal` is. */
export async function untilClosing<T>(
  closing: () => boolean,
  signal: AbortSignal,
  work: (open: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setInterval(() => closing() && end(), pace().idleMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(ended.signal);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Tells whether a junior is a person: orgrepo starts no process for them, and they offer their work. */
export const isPerson = ({ pinned }: Pick<NightInForce, 'pinned'>, junior: string): boolean =>
  choiceOf(pinned.brief.staff, junior).kind === 'human';

/** Tells whether an agent still belongs to the org; one that was taken out of it finishes its spec. */
export const worksHere = ({ juniors }: NightInForce, junior: string): boolean => juniors.includes(junior);

/** The chart with those who leave it: what it says of them holds until they are gone. */
export function chartNow({ pinned, leavers }: Pick<NightInForce, 'pinned' | 'leavers'>): Charter | undefined {
  const charter = pinned.charter?.charter;
  if (charter === undefined || leavers.size === 0) return charter;
  const here = new Set(charter.members.map(({ id }) => id));
  return { ...charter, members: [...charter.members, ...[...leavers.values()].filter(({ id }) => !here.has(id))] };
}

/** The chief that writes the specs of an agent; undefined if only people do. */
export const chiefOf = ({ pinned }: NightInForce, agent: string): string | undefined =>
  chiefFor(pinned.brief.staff, agent);

/** Tells whether an agent writes specs. */
export const isChief = ({ pinned }: NightInForce, agent: string): boolean =>
  agentsWithDuty(pinned.brief, 'chief').includes(agent);

/** Tells whether something is true of every agent that works by itself. People are left out: they come when they like. */
export function areAll(inForce: NightInForce, is: (junior: string) => boolean): boolean {
  const started = inForce.juniors.filter((junior) => !isPerson(inForce, junior));
  return started.length > 0 && started.every(is);
}
