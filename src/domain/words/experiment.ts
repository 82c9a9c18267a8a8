import type { Noise } from '../rules/contest.ts';
import type { Brief } from './brief.ts';
import type { Numbers } from './score.ts';
import type { Amount } from './spending.ts';

/**
 * What a verdict may say of a candidate. Each is a word in `git log`, in the trailer Org-Event; only that a keep was rejected
 * stands in the review above it.
 */
export const verdictEvents = [
  'keep',
  'discard',
  'inconclusive',
  'crash',
  'timeout',
  'tampered',
  'unchanged',
  'failed',
  'confounded',
  'rejected',
  'void',
] as const;

export type VerdictEvent = (typeof verdictEvents)[number];

export interface Verdict {
  readonly event: VerdictEvent;
  /** One sentence with the figures it rests on. */
  readonly reason: string;
}

/** What became of a tree when the harness ran on it once. Ordinary results, never thrown. */
export type Outcome =
  | {
      readonly kind: 'scored';
      readonly score: number;
      readonly samples: readonly number[];
      readonly numbers: Numbers;
      /** What the first of two stages printed. */
      readonly output?: string | undefined;
    }
  | { readonly kind: 'crashed'; readonly reason: string; readonly output: string; readonly stage?: 'score' | undefined }
  | {
      readonly kind: 'timed-out';
      readonly afterMs: number;
      readonly output: string;
      /** Where it happened in the second of two stages: what that prints may tell what is held out. */
      readonly stage?: 'score' | undefined;
    }
  | { readonly kind: 'void'; readonly reason: string };

/** All that was measured for a verdict. The verdict is a function of it, so it can be computed again from git. */
export interface Evidence {
  /** What $ORGREPO_SEED was, for each of the samples. */
  readonly seeds: readonly number[];
  /** The candidate's scores. */
  readonly samples: readonly number[];
  /** The champion's, in the same pairs and with the same seeds; none where the metric is deterministic. */
  readonly against: readonly number[];
  /** What was known of the noise before; undefined where the metric is deterministic. */
  readonly noise: Noise | undefined;
  /** How many of the pairs had been measured for an earlier, inconclusive verdict on the same tree. */
  readonly carried: number;
  /** The other numbers that the harness printed for the candidate. */
  readonly numbers: Numbers;
  /** `passed`, or why the tests of the brief did not pass; left out where none were run. Only what would win is tested. */
  readonly tests?: string | undefined;
}

/** What is written of tests that did. */
export const testsPassed = 'passed';

/** What a candidate is for: a better score, or the same with less. */
export type Aim = 'better' | 'simpler';

/** One experiment as the notebook tells it; everything here comes out of commits. */
export interface Experiment extends Evidence, Verdict {
  /** Its number in the org, given when the candidate was saved and never given again. 0 is a baseline. */
  readonly n: number;
  /** The verdict's commit, and the candidate's. */
  readonly commit: string;
  readonly tried: string;
  /** The candidate's tree: its identity. */
  readonly tree: string;
  readonly spec: string;
  readonly agent: string;
  readonly metric: string;
  readonly score: number | undefined;
  /** What it was compared with. */
  readonly best: number | undefined;
  readonly seconds: number | undefined;
  /** What one measurement might take, where the brief leaves that to how long the start takes. */
  readonly limitMs?: number | undefined;
  /** Seconds since 1970, from the commit. */
  readonly at: number;
  readonly title: string;
  /** What the agent wrote below the title. */
  readonly notes: string;
  /** The last that the first stage printed, or any before it crashed or was too late; empty where an agent must not read it. */
  readonly output?: string | undefined;
  /** Of a keep: true while a person has still to say whether it may be taken. */
  readonly waits?: true | undefined;
  /** Of a keep that was rejected: all that the review says. */
  readonly review?: string | undefined;
  /** True when the reason itself comes from the second of two stages. */
  readonly judgesWords?: boolean | undefined;
  readonly harness: string;
  readonly brief: string;
  /** The jail it was measured in; undefined when it was not measured, or before orgrepo wrote it down. */
  readonly jail: string | undefined;
  /** 1 when it was measured in a single stage: its own code printed the score. */
  readonly stages?: 1 | undefined;
  /** `2/3 of 17`: the candidate is #17 without the second of its three parts. */
  readonly part: string | undefined;
  /** True when orgrepo made the candidate of a win: merged with a best that had moved, or in its place. */
  readonly merged: boolean;
  /** Of such a candidate: the one that it was made of, by its commit. */
  readonly cause?: string | undefined;
  /** True when the candidate is a winning change in place of a best that had moved. */
  readonly alone?: boolean | undefined;
  /** The tree of its line once it was judged. */
  readonly lineTree: string;
  /** The earlier, inconclusive verdict on the same tree that this one goes on with. */
  readonly continues: string | undefined;
  /** Of a person's candidate: the commit with which they offered it. */
  readonly offer?: string | undefined;
  /** The model that made it, and what that took; undefined where no model was asked. */
  readonly spent?: SpentOnTry | undefined;
}

/** What a model took to make one candidate. */
export interface SpentOnTry extends Amount {
  /** `provider/id`. */
  readonly model: string;
  /** Of `tokensIn`: read from the provider's cache. Left out for none. */
  readonly cached?: number | undefined;
}

/** True when the tree has been measured, for better or worse; a void measurement does not count. */
export const isMeasured = ({ seconds, event }: Experiment): boolean => seconds !== undefined && event !== 'void';

/** True when it is better and nobody has still to say whether it may be taken: its verdict is keep. */
export const isKept = ({ event, waits }: Experiment): boolean => event === 'keep' && waits !== true;

/** True when it won as it was offered. A win that wins again, merged with best or in its place, is not a second win. */
export const isWin = (experiment: Experiment): boolean => isKept(experiment) && !experiment.merged;

/** True when nothing was measured because that very tree had been. */
export const isRepeat = ({ event, reason }: Experiment): boolean =>
  event === 'unchanged' && reason.startsWith(sameTreeAs);

/** How the reason of such a verdict begins. */
export const sameTreeAs = 'the same tree as ';

/** How many experiments ended how. */
export type Tally = Readonly<Record<VerdictEvent, number>>;

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

/**
 * 1 for a brief without `run`, undefined for one with two stages. Where there is no first stage, the candidate's own
 * code prints its score; such results are marked wherever they are shown.
 */
export const singleStage = (brief: Pick<Brief, 'run'>): 1 | undefined => (brief.run === undefined ? 1 : undefined);

/** Two measurements can be compared when this is the same for both. `harness` is its id. */
export function measureKey({ harness: id, brief }: { readonly harness: string; readonly brief: Brief }): string {
  const { metric, pattern, direction, run, score, include, holdout, harness, samples } = brief;
  return JSON.stringify([id, metric, pattern, direction, run, score, include, holdout, harness, samples]);
}
