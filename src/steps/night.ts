import type PQueue from 'p-queue';
import type { Ending, Limits } from '../domain/ending.ts';
import type { Experiment } from '../domain/experiment.ts';
import type { Fact } from '../domain/fact.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { Spec } from '../domain/spec.ts';
import { isStrike } from '../domain/strikes.ts';
import type { Standing } from '../records/best.ts';
import type { PinnedBrief } from '../records/brief.ts';
import type { Org } from '../records/org.ts';
import type { LiveBranch } from '../text/branches-table.ts';
import type { Finished } from './claim.ts';
import type { NightOffice } from './office.ts';
import type { Scale } from './scale.ts';

/** What the org remembers while it runs: recent pages of the notebooks, for agents that start afresh each time. */
export interface Memory {
  readonly experiments: Experiment[];
  /** The last of them that measured a tree, by that tree. */
  readonly byTree: Map<string, Experiment>;
  readonly specs: Spec[];
}

export function makeMemory(experiments: Experiment[], specs: Spec[]): Memory {
  const memory = { experiments, byTree: new Map<string, Experiment>(), specs };
  for (const experiment of experiments) index(memory, experiment);
  return memory;
}

function index({ byTree }: Memory, experiment: Experiment): void {
  if (isMeasured(experiment)) byTree.set(experiment.tree, experiment);
}

/** One run of the org, from start to report. The fields that change are what the lanes share. */
export interface Night {
  readonly org: Org;
  readonly run: string;
  readonly seed: string;
  readonly limits: Limits;
  /** True when a person had the run start from the trunk's sandbox instead of best. */
  readonly startedOver: boolean;
  readonly startedAt: number;
  /** Who works specs tonight; each has a lane. */
  readonly juniors: readonly string[];
  readonly say: (fact: Fact) => void;
  /** Measurements take a slot; thinking does not. */
  readonly slots: PQueue;
  /** One lane at a time may move orgrepo/best. */
  readonly gate: PQueue;
  /** Cancels whatever runs: the second Ctrl-C. */
  readonly now: AbortSignal;
  readonly memory: Memory;
  /** What is on its way to disk and nobody waits for yet; a lane does when it ends. */
  readonly underway: Set<Promise<unknown>>;
  /** What each agent has finished and the queue still holds. */
  readonly finished: Map<string, Finished>;
  /** Specs that somebody works on now, for the table on the queue branch. */
  readonly live: Map<string, LiveBranch>;
  /** The trunk's tree that this run was started with, and its last commit that was looked at for a changed brief. */
  readonly trunk: { readonly tree: string; looked: string };
  /** How models are asked, and what they cost. */
  readonly office: NightOffice;
  /** What only a person can put right, as it was met. */
  readonly needsYou: { readonly what: string; readonly command: string }[];
  /** How often each agent has tampered this night, and who is stopped, with the reason. */
  readonly strikes: Map<string, number>;
  readonly halted: Map<string, string>;
  /** Who has used up what a person allows one agent. */
  readonly spentUp: Set<string>;
  /** Trees that are offered and have no verdict yet; with their number when an earlier run had saved them. */
  readonly offered: Map<string, number | undefined>;
  /** Every tree ever measured, with its number; read from git the first time that somebody must know. */
  seen: Promise<Map<string, number>> | undefined;
  pinned: PinnedBrief;
  best: Standing;
  /** The tree that was best when the night began: what it is told against in the morning. */
  readonly base: string;
  /** How the metric behaves, by `measureKey`. */
  readonly scales: Map<string, Scale>;
  /** True when this machine gives best another score than the one that was recorded. */
  readonly drifted: boolean;
  /** The highest number given to an experiment. */
  experiments: number;
  begun: number;
  sinceKeep: number;
  tried: number;
  kept: number;
  ending: Ending | undefined;
  /** What people last said to the run, and when we looked. */
  steered: { readonly at: number; readonly ledger: Pick<Ledger, 'state' | 'halted'> };
}

/** Enough of the past for a search to learn from, and no more than a small process can hold. */
const remembered = 1_000;

export function remember(night: Night, experiment: Experiment): void {
  const { experiments, byTree } = night.memory;
  experiments.push(experiment);
  index(night.memory, experiment);
  if (isStrike(experiment)) night.strikes.set(experiment.agent, (night.strikes.get(experiment.agent) ?? 0) + 1);
  if (isMeasured(experiment)) void night.seen?.then((seen) => seen.set(experiment.tree, experiment.n));
  if (experiments.length <= remembered * 1.5) return;
  for (const one of experiments.splice(0, experiments.length - remembered))
    if (byTree.get(one.tree) === one) byTree.delete(one.tree);
}

/** True when the tree has been measured, for better or worse; a void measurement is none. */
export const isMeasured = ({ seconds, event }: Experiment): boolean => seconds !== undefined && event !== 'void';

export function rememberSpec(night: Night, spec: Spec): void {
  const { specs } = night.memory;
  specs.push(spec);
  if (specs.length > remembered * 1.5) specs.splice(0, specs.length - remembered);
}

export const nowInSeconds = (): number => Date.now() / 1000;

/** Goes on without waiting for something that is written in its turn. A failure is heard of when a lane ends, or waits. */
export function inTheBackground(night: Night, writing: Promise<unknown>): void {
  const mine = writing.then(() => void night.underway.delete(mine));
  mine.catch(() => {});
  night.underway.add(mine);
}

/** Waits for everything that is underway. */
export async function caughtUp(night: Night): Promise<void> {
  await Promise.all(night.underway);
}
