import type { Experiment } from '../words/experiment.ts';
import type { Spec } from '../words/spec.ts';

/** One spec in full, from its text to what became of it. */
export interface SpecStory {
  readonly spec: Spec;
  /** Who has it, or had it; undefined while it is open. */
  readonly agent: string | undefined;
  /** Why its notebook ended; undefined while it has not. */
  readonly ended: string | undefined;
  readonly used: number;
  /** How many tries it may use; undefined where only a brief of another day could tell. */
  readonly attempts: number | undefined;
  readonly metric: string;
  /** The score of the line that the next try starts from, and that of best where it is another by now. */
  readonly score: number | undefined;
  readonly best: number | undefined;
  readonly experiments: readonly Experiment[];
  /** How a person stands with it, when it waits for one. */
  readonly person: PersonsPart | undefined;
}

export interface PersonsPart {
  /** The directory to edit in; undefined until a run has laid it. */
  readonly bench: string | undefined;
  /** What is not as the line has it: what `--done` would offer. */
  readonly edited: readonly string[];
  /** What of it may not be, in words. */
  readonly overstep: string | undefined;
  /** What waits for a run: an offer with its commit and title, or the end. */
  readonly said: { readonly commit: string; readonly title: string } | 'close' | undefined;
  /** The kept offer that went on in another form while the bench held edits. */
  readonly leftBehind: number | undefined;
}
