import type { EscalationAnswer, EscalationReason } from '../domain/staff/escalation.ts';
import type { Brief } from '../domain/words/brief.ts';
import type { Experiment } from '../domain/words/experiment.ts';
import type { ModelId } from '../domain/words/model-id.ts';
import type { Spec } from '../domain/words/spec.ts';
import type { Figures, Scope } from '../domain/words/spending.ts';
import type { JailLevel } from '../jail/jail.ts';

/**
 * What is wanted of an agent. A junior that plans only says what it means to do; a critic says what is wrong with that, a
 * checker whether a change may be taken, a manager what is to become of work that is stuck, and a delegator who works a spec. None
 * of the five changes a file.
 */
export type Role = 'chief' | 'junior' | 'planner' | 'critic' | 'checker' | 'manager' | 'delegator';

/**
 * All that an agent knows: a directory, what is wanted, what was tried, and how long it has.
 * It edits files in `dir` and says in one line what it did. It never commits, never measures and never sees git.
 * Every call is a fresh start: whatever an agent should remember stands in the notebook.
 */
export interface AgentTask {
  readonly role: Role;
  /** Its name in the org: `junior-2`. */
  readonly agent: string;
  /** A junior's directory holds sandbox, harness and includes; a chief's holds the same and an empty `specs/`. */
  readonly dir: string;
  /** The sandbox's files below `dir` that an agent may change, as paths with slashes; the brief's globs, resolved. */
  readonly files: readonly string[];
  /** The other files there, which it may only read. */
  readonly readable?: readonly string[] | undefined;
  readonly brief: Brief;
  /** What people wrote in ORG.md for it to know; empty without one. */
  readonly context: string;
  /** The spec that a junior works; a chief has none. */
  readonly spec: Spec | undefined;
  /** The org's recent experiments, oldest first, this spec's own among them. */
  readonly notebook: readonly Experiment[];
  /** The metric of the best so far, and of what the org began with; where it is noisy, by how much two measurements of one tree differ. */
  readonly standing?:
    | { readonly best: number; readonly baseline: number; readonly spread?: number | undefined }
    | undefined;
  /** For an agent that works on a spec: what changed in the sandbox, as diffs. */
  readonly changes?: PastChanges | undefined;
  /** For a chief: the wins that are older than the notebook, a line for each, oldest first. */
  readonly olderWins?: readonly string[] | undefined;
  /** For a chief: the org's recent specs, oldest first, open ones included; `open` says how many are still to be claimed. */
  readonly specs: readonly Spec[];
  readonly open: number;
  /** For a chief: how many specs are wanted. */
  readonly wanted: number;
  /**
   * Which try of this spec it is, from 1; a task asked again after a repeat has a higher `ask`. Of a plan the first or the
   * second, of a review the number of what is reviewed.
   */
  readonly attempt: number;
  readonly ask: number;
  /** Everything random must come from this. */
  readonly seed: string;
  /** Letters that mark what is quoted for a model, drawn for this task: none of the quoted authors knew them. */
  readonly mark: string;
  readonly deadlineMs: number;
  /** How many tries the spec has in all. */
  readonly attempts: number;
  /** For a chief: which of its specs were refused lately and why, and the last report. */
  readonly refused: readonly string[];
  readonly report: string;
  /** What was said of the work before it began: the plan as it stands, and what critics said of it. */
  readonly plan: string;
  readonly critiques: readonly string[];
  /** For a checker: the change, and nothing of what its maker said. */
  readonly diff: string;
  /** For a manager: the agent that is stuck and why, the steps of the playbook, and the agents the work may be given to. */
  readonly stuck?:
    | {
        readonly id: string;
        readonly by: string;
        readonly reason: string;
        readonly words: string;
        readonly steps: readonly string[];
        readonly others: readonly string[];
      }
    | undefined;
  /** For a delegator: whom it may give the spec to. */
  readonly candidates?: Candidates | undefined;
  /** For a chief that leads others: asks for one more agent, and tells what came of it. */
  readonly spawn?: ((wanted: SpawnRequest) => Promise<string>) | undefined;
  /** Runs the first stage on the directory as it stands, and tells what it printed. No score. */
  readonly rehearse: (signal: AbortSignal) => Promise<string>;
  /** The jail of an agent that is a process, what it may read besides its directory, and what it must not find. */
  readonly cell: {
    readonly level: JailLevel;
    readonly shown: readonly string[];
    readonly hidden: readonly string[];
  };
}

/** Diffs of the sandbox, cut to what a request has room for; empty where there is none. */
export interface PastChanges {
  /** From the start to the best so far. */
  readonly ofBest: string;
  /** Of earlier tries of the spec, each from what it began with. */
  readonly ofTries: string;
}

/** The agents a spec may be given to, and why it came to the one that decides. */
export interface Candidates {
  readonly why: string;
  readonly others: readonly {
    readonly id: string;
    readonly domains: readonly string[];
    /** How many specs it has to do. */
    readonly open: number;
    readonly trust: string;
  }[];
}

/** An agent that a lead asks for. */
export interface SpawnRequest {
  readonly role: string;
  readonly domain: string | undefined;
  readonly model: string | undefined;
}

/** What a model used for a task, as its provider counts it. */
export interface TaskSpending {
  readonly model: ModelId;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of `tokensIn`: read from the provider's cache. Left out for none. */
  readonly cached?: number | undefined;
  /** Undefined where nobody knows the price. */
  readonly usd?: number | undefined;
}

export type AgentWork = {
  readonly spent?: TaskSpending | undefined;
  /** It is stuck, whatever it left in its directory: the agent above it is asked. */
  readonly escalate?: { readonly reason: EscalationReason; readonly words: string } | undefined;
  /** What it said while it worked, without secrets. */
  readonly trace?: string | undefined;
} & (
  | /** The files are as the agent wants them measured. `title` is one line, `notes` is for the next agent. */
  { readonly kind: 'edited'; readonly title: string; readonly notes: string }
  /** What a planner, a critic or a checker has to say; only a checker approves or does not, and only a manager and a delegator answer. */
  | {
      readonly kind: 'said';
      readonly text: string;
      readonly approves?: boolean | undefined;
      readonly answer?: EscalationAnswer | undefined;
    }
  /** The agent has no idea left for this spec. */
  | { readonly kind: 'nothing'; readonly reason: string }
  /** The agent broke: a recorded failure, not an incident. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A cap of the person's stands against going on. */
  | {
      readonly kind: 'capped';
      readonly reason: string;
      readonly scope: Scope;
      /** What it caps, where that is known. */
      readonly what?: keyof Figures | undefined;
      /** It is not a cap of the brief's but the org's limit of a period. */
      readonly ofPeriod?: boolean | undefined;
    }
  /** What it would begin with needs a person's yes, and nothing is done until there is an answer. `request` is the key of what was asked. */
  | { readonly kind: 'waits'; readonly reason: string; readonly request: string }
  /** Its provider was busy for as long as it could wait, and nothing was asked for so far. */
  | { readonly kind: 'busy'; readonly reason: string }
  /** It will never work as it is: a key that is refused, a model that is not the one that was asked for. */
  | { readonly kind: 'unable'; readonly reason: string }
);

export type Agent = (task: AgentTask, signal: AbortSignal) => Promise<AgentWork>;
