import type { AgentChoice } from '../../domain/staff/staff.ts';
import type { ModelId } from '../../domain/words/model-id.ts';
import type { ProviderAccess, Usage } from '../models/model-contract.ts';

/** A program that has a form here. */
export type KnownProgram = Extract<AgentChoice, { kind: 'program' }>;

/** What a program is sent out with. */
export interface Errand {
  /** The bench, which is the directory that it starts in. */
  readonly dir: string;
  /** A home of its own, empty and thrown away afterwards. */
  readonly home: string;
  readonly model: ModelId | undefined;
  readonly access: ProviderAccess;
  /** Whether somebody else's walls stand around it: then its own are in the way. */
  readonly jailed: boolean;
  /** Whether the brief lets it obey what it finds in the repository. */
  readonly ownConfig: boolean;
  /** What it may cost at most, where that is known. */
  readonly mostUsd: number | undefined;
  /** The file that holds what it is to do, for a program that does not read it from its input. */
  readonly task: string;
}

/** How it is started: after its own name come these, and these variables besides the few that everybody gets. */
export interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files of its home, by their paths there. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a program says of its own work. Nothing of it decides whether it did any: the files do. */
export interface ProgramReport {
  readonly usage: Usage | undefined;
  readonly usd: number | undefined;
  /** The models that it says it used. */
  readonly models: readonly string[];
  /** The last thing that it said. */
  readonly words: string;
  /** It did something, also where it said nothing. */
  readonly hasActed?: boolean;
  /** What it says went wrong, in words that no model has chosen: they decide whether its key or its provider is to blame. */
  readonly complaint: string | undefined;
  /** When what its subscription allows in a window of time is there again, in seconds since 1970, where it failed for that and says so. */
  readonly resetsAt?: number | undefined;
  /** Its provider bills what goes beyond the subscription. */
  readonly isExtra?: boolean;
}

/** A command-line agent that people already have: how it is started without anybody to ask, and how it is understood. */
export interface ProgramForm {
  launch(errand: Errand): Launch;
  /** Options that older versions lack and can do without: each is one word, with its value if it has one, and left out where `--help` does not name it. */
  readonly newer?: readonly string[];
  /** What its provider last refused it with, from stderr, of a program that then tries again without a word. */
  refusal?(stderr: string): string | undefined;
  /** The same from stdout, of a program that says there why it waits; undefined once a model has answered it. */
  waiting?(stdout: string): string | undefined;
  /** From what it printed, and what stands in the log that it was asked to keep in its home. */
  read(output: Readonly<Record<'stdout' | 'stderr' | 'log', string>>): ProgramReport;
  /** A file of its home that it writes and that has to be read afterwards. */
  readonly log?: string;
  /** The types of the lines that it is understood by, where every one of them counts: `read` gets these alone, and all of them. */
  readonly sums?: readonly string[];
  /**
   * Whether what it used is told when all is over. Others tell it with every answer: of one that was killed nobody knows what it
   * had asked last.
   */
  readonly tellsAtEnd: boolean;
  /** Whether it says of every model what it cost. Others say nothing, or 0 of a model that they do not know. */
  readonly tellsMoney: boolean;
}
