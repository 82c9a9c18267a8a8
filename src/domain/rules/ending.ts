import type { Brief } from '../words/brief.ts';
import { reaches } from '../words/score.ts';

/** What a person allowed this run on the command line; undefined means the brief decides. */
export interface RunLimits {
  readonly max: number | undefined;
  /** Milliseconds since 1970. */
  readonly until: number | undefined;
  readonly patience: number | undefined;
}

export interface Progress {
  readonly startedAt: number;
  /** Attempts begun in this run. */
  readonly begun: number;
  /** Experiments since best last moved. */
  readonly sinceKeep: number;
  readonly best: number;
  /** What must be left of the night to measure its gain at the end; no attempt begins later. */
  readonly reserveMs: number;
}

export type Ending =
  | 'target'
  | 'patience'
  | 'night'
  | 'until'
  | 'max'
  | 'stopped'
  | 'interrupted'
  | 'terminated'
  | 'no-ideas'
  | 'refused'
  | 'halted'
  | 'review'
  | 'capped'
  | 'touched';

/** Why the night is over, or undefined while it is not. */
export function nightEnds(progress: Progress, brief: Brief, limits: RunLimits, now: number): Ending | undefined {
  if (brief.target !== undefined && reaches(progress.best, brief.target, brief.direction)) return 'target';
  if (brief.haltAt !== undefined && !reaches(progress.best, brief.haltAt, brief.direction)) return 'review';
  if (limits.max !== undefined && progress.begun >= limits.max) return 'max';
  if (progress.sinceKeep >= (limits.patience ?? brief.budget.patience)) return 'patience';
  if (limits.until !== undefined && now >= lastStart(progress, limits.until)) return 'until';
  return now >= lastStart(progress, progress.startedAt + brief.budget.nightMs) ? 'night' : undefined;
}

/** A night that is shorter than what it should keep in reserve works for half of it all the same. */
const lastStart = ({ startedAt, reserveMs }: Progress, end: number): number =>
  end - Math.min(reserveMs, Math.max(0, end - startedAt) / 2);

/** The ending in words, for the report and the last line of a run. */
export function endingInWords(ending: Ending, brief: Brief, limits: RunLimits): string {
  switch (ending) {
    case 'target':
      return `the target ${brief.target} was reached`;
    case 'patience':
      return `${limits.patience ?? brief.budget.patience} experiments without progress`;
    case 'night':
      return 'the night is over';
    case 'until':
      return 'the time given is over';
    case 'max':
      return limits.max === 1 ? '1 experiment was asked for' : `${limits.max} experiments were asked for`;
    case 'stopped':
      return 'a person stopped it';
    case 'interrupted':
      return 'interrupted';
    case 'terminated':
      return 'terminated';
    case 'no-ideas':
      return 'nobody has an idea left';
    case 'refused':
      return 'what is left needs a person';
    case 'halted':
      return 'every agent was stopped: a person is needed';
    case 'review': {
      const side = brief.direction === 'maximize' ? 'below' : 'above';
      return `${brief.metric} is ${side} ${brief.haltAt}: the brief wants a person to look`;
    }
    case 'capped':
      return 'a cap on money or tokens was reached';
    case 'touched':
      return 'somebody has changed how git works in this repository';
  }
}
