import type PQueue from 'p-queue';
import type { RunLimits } from '../../domain/rules/ending.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import type { TamperCheck } from '../../git/tamper-check.ts';
import type { Measuring } from '../../score/measure/measuring.ts';

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
