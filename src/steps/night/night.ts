import type PQueue from 'p-queue';
import type { RunLimits } from '../../domain/rules/stopping-rules.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import type { TamperCheck } from '../../git/tamper-check.ts';
import { pace } from '../../process/pace.ts';
import type { Measuring } from '../../score/measure/measure-beside.ts';
import type { NightTally } from '../attempt/night-tally.ts';
import type { NightDesk } from '../claim/night-desk.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import type { NightInForce } from './night-in-force.ts';

/** One run of the org, from start to report, in five parts. A function takes the parts it needs. */
export interface Night {
  /** Fixed when the run starts. */
  readonly run: RunConstants;
  /** The organisation in force; written by `steps/night`. */
  readonly inForce: NightInForce;
  /** The claims at hand; written by `steps/claim`. */
  readonly desk: NightDesk;
  /** Whether each agent may go on; written by `steps/standing`. */
  readonly standing: NightStanding;
  /** The results so far; written by `steps/attempt`. */
  readonly tally: NightTally;
}

/** What it takes to tell by what the run knows whether an agent may go on. */
export type KnownParts = Pick<Night, 'inForce' | 'standing'>;

/** The same, and to look it up and say so. */
export type StandingParts = Pick<Night, 'run' | 'inForce' | 'standing'>;

/** What claiming a spec takes: all but the results. */
export type ClaimParts = Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>;

/** What an attempt at a spec takes: all but the claims. */
export type AttemptParts = Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>;

/** What it takes to look at the results so far, and to add one. */
export type ResultParts = Pick<Night, 'run' | 'tally'>;

/** The same with what a verdict means for its agent. */
export type VerdictParts = Pick<Night, 'run' | 'standing' | 'tally'>;

/** What is fixed when a run starts: its org, its limits and its seed, and the queues that its lanes share. */
export interface RunConstants extends Measuring {
  /** `2026-11-15`, and `2026-11-15-2` for the second run of a day. */
  readonly id: string;
  readonly seed: string;
  readonly limits: RunLimits;
  /** True if a person started the run from the trunk's sandbox instead of best. */
  readonly startedOver: boolean;
  readonly startedAt: number;
  /** From `--culture`, for this run. */
  readonly culture: CulturePreset | undefined;
  /** One lane at a time may move orgrepo/best. */
  readonly gate: PQueue;
  /** The settings that git obeys in this repository, as they were when the run began. */
  readonly canary: TamperCheck;
  /** The last experiment before this run. */
  readonly runFrom: number;
  /** The tree that was best when the run began: the report compares with it. */
  readonly base: string;
  /** True if this machine gives best another score than the recorded one. */
  readonly drifted: boolean;
  /** Writes on their way to disk that no lane waits for yet; a lane waits for them when it ends. */
  readonly underway: Set<Promise<unknown>>;
}

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

/** What it takes to tell that a night is closing. */
interface Closable {
  readonly run: RunConstants;
  readonly inForce: Pick<NightInForce, 'pinned'>;
  readonly standing: Pick<NightStanding, 'ending'>;
}

/**
 * True once nobody who has not begun should wait any longer for a provider or for his turn. Who began before the last attempt
 * that was asked for goes on.
 */
export function isClosing({
  run: { limits, startedAt, signal },
  inForce: { pinned },
  standing: { ending },
}: Closable): boolean {
  if (signal.aborted || (ending !== undefined && ending !== 'max')) return true;
  return Date.now() >= Math.min(limits.until ?? Number.POSITIVE_INFINITY, startedAt + pinned.brief.budget.nightMs);
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
