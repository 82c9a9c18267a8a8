import type { Experiment, SpentOnTry } from './experiment.ts';
import type { Gain } from './score.ts';
import type { Spent } from './spent.ts';

/** What an agent is busy with at this moment. */
export type Doing = 'thinking' | 'measuring' | 'waiting' | 'idle' | 'paused' | 'recording';

/**
 * What a run says while it goes on, in the order in which it happened. The same facts become the table on a terminal,
 * the lines in a log and the NDJSON of `--json`. Nothing is decided from them: git is the truth.
 */
export type Fact = { /** Seconds since 1970. */ readonly at: number } & (
  | {
      readonly kind: 'run-start';
      readonly run: string;
      readonly pid: number;
      readonly juniors: number;
      readonly slots: number;
      readonly agent: string;
      readonly metric: string;
      /** 1 when candidates print their own score. */
      readonly stages?: 1 | undefined;
      readonly until?: number | undefined;
      readonly max?: number | undefined;
      readonly seed: string;
      /** What the run goes on from; undefined where the baseline is measured first. */
      readonly best?: { readonly score: number; readonly n: number } | undefined;
      /** How many specs nobody has claimed yet. */
      readonly open?: number | undefined;
      /** True when a model is asked, so that money may be spent. */
      readonly paid?: true | undefined;
      /** What the night may cost at most. */
      readonly usd?: number | undefined;
    }
  | {
      readonly kind: 'baseline';
      readonly score: number;
      readonly samples: readonly number[];
      readonly commit: string;
      /** True when an earlier baseline no longer holds, because the harness or the brief changed. */
      readonly again: boolean;
    }
  /** The metric is not the same twice: how many more measurements it takes to learn how noisy it is. */
  | { readonly kind: 'calibrating'; readonly metric: string; readonly measurements: number }
  /** `spread` is by how much two measurements of one tree differ; 0 when the metric is deterministic. */
  | { readonly kind: 'calibrated'; readonly metric: string; readonly measurements: number; readonly spread: number }
  /** What the night was worth, on pairs measured at its end. */
  | ({ readonly kind: 'gain'; readonly metric: string; readonly pairs: number } & Omit<Gain, 'pairs'>)
  /** With the score of orgrepo/best at this moment; a win that is taken moves it, and is followed by `best-moved`. */
  | { readonly kind: 'experiment'; readonly experiment: Experiment; readonly best: number }
  | {
      readonly kind: 'best-moved';
      readonly n: number;
      readonly score: number;
      readonly commit: string;
      /** Not as it was offered: merged with the best before it, or in its place. */
      readonly merged: boolean;
      readonly alone?: boolean | undefined;
      /** What was on best and is not any more. */
      readonly replaces?: readonly number[] | undefined;
    }
  /** What a call to a model has used, and the whole night with it. */
  | ({ readonly kind: 'spent'; readonly agent: string; readonly night: Spent } & SpentOnTry)
  /** What stays set aside for a program that was ended before it said what it used, and all such of the night with it. */
  | ({ readonly kind: 'reserved'; readonly agent: string; readonly night: Spent } & SpentOnTry)
  | { readonly kind: 'spec'; readonly id: string; readonly title: string; readonly by: string }
  | { readonly kind: 'claim'; readonly spec: string; readonly agent: string }
  | { readonly kind: 'doing'; readonly agent: string; readonly doing: Doing; readonly detail: string }
  | { readonly kind: 'brief'; readonly change: 'changed' | 'broken'; readonly message: string }
  | {
      /** What somebody said in a notebook: a plan, a critique, a review, or that a person is waited for. */
      readonly kind: 'said';
      readonly event: 'plan' | 'critique' | 'review' | 'wait';
      readonly agent: string;
      readonly spec: string;
      readonly n?: number | undefined;
      readonly approves?: boolean | undefined;
      readonly text: string;
    }
  | { readonly kind: 'recovered'; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | {
      /** A model used a tool; reported where the brief says log_every_tool_call. */
      readonly kind: 'tool';
      readonly agent: string;
      readonly spec: string | undefined;
      readonly tool: string;
      readonly failed: boolean;
      readonly ms: number;
      /** How much of it the model got. */
      readonly bytes: number;
    }
  | ({ readonly kind: 'heartbeat'; readonly open: number } & Counts)
  | ({
      readonly kind: 'run-stop';
      readonly reason: string;
      readonly report?: string | undefined;
      readonly exit: number;
    } & Counts)
);

/** How far a night has come. */
interface Counts {
  readonly tried: number;
  /** How many have won, and how many of those are on best. */
  readonly kept: number;
  readonly taken?: number | undefined;
  readonly best: number | undefined;
  /** What the night has spent; undefined where no model was asked. */
  readonly spent?: Spent | undefined;
  /** What stays set aside because nobody will say what was used: at most so much was. */
  readonly reserved?: Spent | undefined;
}
