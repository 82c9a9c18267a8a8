import type { Direction } from './brief.ts';
import type { Experiment, Tally } from './experiment.ts';
import type { Gain } from './interval.ts';

/** Something that only a person can do, and what to type. */
export interface NeedsYou {
  readonly what: string;
  readonly command: string;
}

/** The best tree that was measured. */
export interface BestKnown {
  readonly score: number;
  /** The experiment it came from; 0 is the baseline. */
  readonly n: number;
  readonly commit: string;
}

/** One night as the morning report sees it. What is not known is undefined. Times are seconds since 1970. */
export interface NightStory {
  /** The org's name. */
  readonly name: string;
  /** `2026-11-15` */
  readonly run: string;
  readonly startedAt: number;
  /** Undefined while the night goes on, and when it crashed. */
  readonly endedAt: number | undefined;
  /** True when nobody runs any more and it never ended. */
  readonly crashed?: boolean | undefined;
  /** Why it ended, in words. */
  readonly stopped: string;
  readonly metric: string;
  readonly direction: Direction;
  readonly target: number | undefined;
  /** 1 when candidates print their own score. */
  readonly stages?: 1 | undefined;
  /** Who worked: `search`, or the command that a person named. */
  readonly agent: string;
  readonly baseline: number | undefined;
  readonly best: BestKnown | undefined;
  /** The same metric on what no agent is scored by: of the baseline and of the best. */
  readonly holdout: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** What it was worth, on pairs measured at its end. */
  readonly gain: Gain | undefined;
  /** Oldest first. */
  readonly experiments: readonly Experiment[];
  readonly needsYou: readonly NeedsYou[];
}

/** How the org stands at this moment. What is not known is undefined. Times are seconds. */
export interface Status {
  readonly name: string;
  readonly state: 'never' | 'running' | 'silent' | 'stopped' | 'crashed';
  readonly pid?: number | undefined;
  /** How long it has run, or how long ago it ended. */
  readonly since?: number | undefined;
  readonly heartbeatAgo?: number | undefined;
  readonly why?: string | undefined;
  readonly metric: string;
  readonly direction: Direction;
  /** 1 when candidates print their own score. */
  readonly stages?: 1 | undefined;
  readonly baseline?: number | undefined;
  readonly best?: BestKnown | undefined;
  readonly tally: Tally;
  readonly agents: readonly {
    readonly id: string;
    readonly doing: string;
    readonly spec?: string | undefined;
    readonly tried: number;
    readonly kept: number;
  }[];
  readonly queue: { readonly open: number; readonly claimed: number };
  readonly needsYou: readonly NeedsYou[];
  readonly spent: {
    readonly usd?: number | undefined;
    readonly tokens_in?: number | undefined;
    readonly tokens_out?: number | undefined;
  };
  /** How many experiments ago the last keep was, and after how many the run gives up. */
  readonly lastKeepAgo?: number | undefined;
  readonly patience?: number | undefined;
  readonly paused: boolean;
}

/** The name under which a harness prints the held-out number. */
export const holdoutName = (metric: string): string => `holdout_${metric}`;
