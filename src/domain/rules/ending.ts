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
  const words: Readonly<Record<Ending, string>> = {
    target: `the target ${brief.target} was reached`,
    patience: `${limits.patience ?? brief.budget.patience} experiments without progress`,
    night: 'the night is over',
    until: 'the time given is over',
    max: limits.max === 1 ? '1 experiment was asked for' : `${limits.max} experiments were asked for`,
    stopped: 'a person stopped it',
    interrupted: 'interrupted',
    terminated: 'terminated',
    'no-ideas': 'nobody has an idea left',
    refused: 'what is left needs a person',
    halted: 'every agent was stopped: a person is needed',
    review: `${brief.metric} is ${brief.direction === 'maximize' ? 'below' : 'above'} ${brief.haltAt}: the brief wants a person to look`,
    capped: 'a cap on money or tokens was reached',
    touched: 'somebody has changed how git works in this repository',
  };
  return words[ending];
}
