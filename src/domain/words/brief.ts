import type { Staff } from '../staff/staff.ts';
import type { Guard } from './score.ts';
import type { Risk } from './spec.ts';
import type { Caps, Figures } from './spending.ts';

export type Direction = 'minimize' | 'maximize';

/** Caps on one night. Times are milliseconds; what a person did not set is undefined, never 0. */
export interface Budget extends Readonly<Record<keyof Figures, number | undefined>> {
  /** The most that one measurement may take. */
  readonly experimentMs: number;
  /** Of a candidate's measurement: so many times what the start of the night takes. */
  readonly experimentTimes?: number | undefined;
  readonly agentMs: number;
  readonly nightMs: number;
  /** Of `tests`, for one win. */
  readonly testsMs: number;
  readonly attempts: number;
  readonly patience: number;
}

/** What people want: program.md as values. The prose is what agents read, the rest is what orgrepo enforces. */
export interface Brief {
  readonly metric: string;
  /** What finds the metric in the output, where the harness prints no line `name: number`. */
  readonly pattern: string | undefined;
  readonly direction: Direction;
  readonly target: number | undefined;
  /** Where the best is worse than this, a person wants to look before anybody goes on. */
  readonly haltAt?: number | undefined;
  readonly sandbox: readonly string[];
  /** Files of the sandbox that steer other agents or tools, and that agents may write all the same. */
  readonly allow: readonly string[];
  readonly harness: string;
  /** Stage 1: runs the candidate's code and writes to $ORGREPO_OUT. Without it the brief is single-stage. */
  readonly run: string | undefined;
  /** Stage 2: reads $ORGREPO_OUT and prints the metric. */
  readonly score: string;
  /** Must pass before a win counts. */
  readonly tests: string | undefined;
  readonly include: readonly string[];
  /** What of harness and includes only stage 2 sees: answers, and which questions count. */
  readonly holdout: readonly string[];
  /** Places of the machine, outside of the repository, that stages and agents may read in a jail. */
  readonly show: readonly string[];
  readonly budget: Budget;
  /** Caps on money and tokens besides the night's, which are in its budget. */
  readonly caps: Omit<Caps, 'night'>;
  /** What models cost, by their ids, where a person says it. */
  readonly prices: ReadonlyMap<string, OwnPrice>;
  readonly samples: { readonly min: number; readonly max: number };
  readonly minEffect: number;
  readonly guards: readonly Guard[];
  readonly slots: number;
  readonly juniors: number;
  readonly staff: Staff;
  /** What a model hears when it tries its change out: what the first stage printed, or the score as well. */
  readonly rehearsal: 'output' | 'score';
  /** The least that any spec counts for, whatever it says of itself. */
  readonly risk: Risk;
  /** Whether a run tells of every use of a tool by a model. */
  readonly logEveryToolCall?: true | undefined;
  readonly prose: string;
}

/** What a person says that a model costs, in dollars for a million tokens. What is left out of the caches costs as much as the rest. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
}
