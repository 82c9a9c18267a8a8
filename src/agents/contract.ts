import type { Brief } from '../domain/brief.ts';
import type { Experiment } from '../domain/experiment.ts';
import type { JailLevel } from '../domain/jail.ts';
import type { ModelId } from '../domain/model-id.ts';
import type { Spec } from '../domain/spec.ts';
import type { Scope } from '../domain/spending.ts';

/**
 * All that an agent knows: a directory, what is wanted, what was tried, and how long it has.
 * It edits files in `dir` and says in one line what it did. It never commits, never measures and never sees git.
 * Every call is a fresh start: whatever an agent should remember stands in the notebook.
 */
export interface Task {
  readonly role: 'chief' | 'junior';
  /** Its name in the org: `junior-2`. */
  readonly agent: string;
  /** A junior's directory holds sandbox, harness and includes; a chief's holds the same and an empty `specs/`. */
  readonly dir: string;
  /** The sandbox's files below `dir` that an agent may change, as paths with slashes; the brief's globs, resolved. */
  readonly files: readonly string[];
  readonly brief: Brief;
  /** The spec that a junior works; a chief has none. */
  readonly spec: Spec | undefined;
  /** The org's recent experiments, oldest first, this spec's own among them. */
  readonly notebook: readonly Experiment[];
  /** For a chief: the org's recent specs, oldest first, open ones included; `open` says how many are still to be claimed. */
  readonly specs: readonly Spec[];
  readonly open: number;
  /** For a chief: how many specs are wanted. */
  readonly wanted: number;
  /** Which try of this spec it is, from 1; a task asked again after a repeat has a higher `ask`. */
  readonly attempt: number;
  readonly ask: number;
  /** Everything random must come from this. */
  readonly seed: string;
  readonly deadlineMs: number;
  /** How many tries the spec has in all. */
  readonly attempts: number;
  /** Runs the first stage on the directory as it stands, and tells what it printed. No score. */
  readonly rehearse: (signal: AbortSignal) => Promise<string>;
  /** How an agent that is a process is held, what it may read besides its directory, and what it must not find. */
  readonly held: {
    readonly level: JailLevel;
    readonly shown: readonly string[];
    readonly hidden: readonly string[];
  };
}

/** What a model used for a task, as its provider counts it. */
export interface Spent {
  readonly model: ModelId;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined where nobody knows the price. */
  readonly usd?: number | undefined;
}

export type Work = { readonly spent?: Spent | undefined } & (
  | /** The files are as the agent wants them measured. `title` is one line, `notes` is for whoever comes next. */
  { readonly kind: 'edited'; readonly title: string; readonly notes: string }
  /** The agent has no idea left for this spec. */
  | { readonly kind: 'nothing'; readonly reason: string }
  /** The agent broke: a recorded failure, not an incident. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A cap of the person's stands against going on. */
  | { readonly kind: 'capped'; readonly reason: string; readonly scope: Scope }
  /** It will never work as it is: a key that is refused, a model that is not the one that was asked for. */
  | { readonly kind: 'unable'; readonly reason: string }
);

export type Agent = (task: Task, signal: AbortSignal) => Promise<Work>;
