import type { Numbers } from './guard.ts';

/** What a verdict may say of a candidate. Each is a word in `git log`, in the trailer Org-Event. */
export type VerdictEvent =
  | 'keep'
  | 'discard'
  | 'crash'
  | 'timeout'
  | 'tampered'
  | 'unchanged'
  | 'failed'
  | 'confounded'
  | 'void';

export interface Verdict {
  readonly event: VerdictEvent;
  /** One sentence with the figures it rests on. */
  readonly reason: string;
}

/** What became of a candidate when the harness ran on it. Ordinary results, never thrown. */
export type Outcome =
  | { readonly kind: 'scored'; readonly score: number; readonly samples: readonly number[]; readonly numbers: Numbers }
  | { readonly kind: 'crashed'; readonly reason: string; readonly output: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number; readonly output: string }
  | { readonly kind: 'void'; readonly reason: string };

/** One experiment as the notebook tells it; everything here comes out of commits. */
export interface Experiment {
  /** Its number in the org, given when the candidate was saved and never given again. 0 is a baseline. */
  readonly n: number;
  /** The verdict's commit, and the candidate's. */
  readonly commit: string;
  readonly tried: string;
  /** The candidate's tree: its identity. */
  readonly tree: string;
  readonly spec: string;
  readonly agent: string;
  readonly event: VerdictEvent;
  readonly metric: string;
  readonly score: number | undefined;
  readonly samples: readonly number[];
  /** What it was compared with. */
  readonly best: number | undefined;
  /** The other numbers the harness printed. */
  readonly numbers: Numbers;
  readonly seconds: number | undefined;
  /** Seconds since 1970, from the commit. */
  readonly at: number;
  readonly title: string;
  /** What the agent wrote below the title. */
  readonly notes: string;
  readonly reason: string;
  readonly harness: string;
  readonly brief: string;
  /** How well it was held while it was measured; undefined when it was not, or before orgrepo wrote it down. */
  readonly jail: string | undefined;
  /** True when the candidate is a merge of a kept change with a best that had moved. */
  readonly merged: boolean;
}

/** How many experiments ended how. */
export type Tally = Readonly<Record<VerdictEvent, number>>;

export const verdictEvents: readonly VerdictEvent[] = [
  'keep',
  'discard',
  'crash',
  'timeout',
  'tampered',
  'unchanged',
  'failed',
  'confounded',
  'void',
];

export const isVerdictEvent = (word: string): word is VerdictEvent =>
  (verdictEvents as readonly string[]).includes(word);

export function tallyOf(events: Iterable<VerdictEvent>): Tally {
  const counts = Object.fromEntries(verdictEvents.map((event) => [event, 0])) as Record<VerdictEvent, number>;
  for (const event of events) counts[event] += 1;
  return counts;
}

export function addTallies(a: Tally, b: Tally): Tally {
  return Object.fromEntries(verdictEvents.map((event) => [event, a[event] + b[event]])) as Tally;
}

export const triedIn = (tally: Tally): number => verdictEvents.reduce((sum, event) => sum + tally[event], 0);
