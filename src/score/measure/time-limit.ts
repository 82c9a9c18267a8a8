import type { PinnedBrief } from '../../org/force/pin-brief.ts';

/** A start that takes a few milliseconds is no measure for a process that has to start on a busy machine. */
const leastMs = 1_000;

/** The brief with `10x` as a time: so many times what the start takes here, and never more than it allows at most. */
export function withTimeLimit(pinned: PinnedBrief, usualMs: number | undefined): PinnedBrief {
  const { budget } = pinned.brief;
  if (budget.experimentTimes === undefined || usualMs === undefined) return pinned;
  const limitMs = Math.round(Math.max(leastMs, budget.experimentTimes * usualMs));
  const experimentMs = Math.min(budget.experimentMs, limitMs);
  return { ...pinned, brief: { ...pinned.brief, budget: { ...budget, experimentMs } } };
}
