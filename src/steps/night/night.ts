import type PQueue from 'p-queue';
import { isStrike } from '../../domain/rules/breaker.ts';
import type { Ending, RunLimits } from '../../domain/rules/ending.ts';
import type { Charter, CulturePreset, Member } from '../../domain/staff/charter.ts';
import { agentsWithDuty, chiefFor, choiceOf } from '../../domain/staff/staff.ts';
import { type Experiment, isMeasured } from '../../domain/words/experiment.ts';
import type { Fact } from '../../domain/words/fact.ts';
import type { Ledger } from '../../domain/words/ledger.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { Amount, Scope } from '../../domain/words/spending.ts';
import type { Canary } from '../../git/tamper-check.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Governor } from '../../policy/governor.ts';
import type { BestEntry } from '../../records/notebook/best-line.ts';
import type { Org } from '../../records/org.ts';
import type { LiveBranch } from '../../records/queue/branches-table.ts';
import type { Scale } from '../../score/measure/noise-scale.ts';
import type { Finished } from '../claim/claim.ts';
import type { Floor } from './floor.ts';
import type { NightOffice } from './night-models.ts';

/** What the org remembers while it runs: recent pages of the notebooks, for agents that start afresh each time. */
export interface RunMemory {
  readonly experiments: Experiment[];
  /** The last of them that measured a tree, by that tree. */
  readonly byTree: Map<string, Experiment>;
  readonly specs: Spec[];
  /** Which of the chief's specs were refused lately, and why. */
  readonly refused: string[];
}

export function makeMemory(experiments: Experiment[], specs: Spec[], refused: string[] = []): RunMemory {
  const memory = { experiments, byTree: new Map<string, Experiment>(), specs, refused };
  for (const experiment of experiments) index(memory, experiment);
  return memory;
}

function index({ byTree }: RunMemory, experiment: Experiment): void {
  if (isMeasured(experiment)) byTree.set(experiment.tree, experiment);
}

/** A cap of the person's that somebody came up against. */
export interface Reached {
  readonly agent: string;
  readonly scope: Scope;
  readonly what: keyof Amount | undefined;
  readonly reason: string;
}

/** One run of the org, from start to report. The fields that change are what the lanes share. */
export interface Night {
  readonly org: Org;
  readonly run: string;
  readonly seed: string;
  readonly limits: RunLimits;
  /** True when a person had the run start from the trunk's sandbox instead of best. */
  readonly startedOver: boolean;
  readonly startedAt: number;
  /** Who works specs now; each has a lane. */
  juniors: readonly string[];
  /** What `--culture` said, for this run. */
  readonly culture: CulturePreset | undefined;
  /** The organisation in force: its commit, how many its leads had spawned, the policies' that were taken up, and when we last looked. */
  readonly applied: {
    commit: string | undefined;
    spawned: number;
    policies: string | undefined;
    at: number;
    turn: Promise<unknown>;
  };
  /** Opens a lane for everybody who has none yet, and for those who join while their last one ends; the loop does it. */
  openLanes: (joining?: readonly string[]) => void;
  /** Who was taken out of the chart and has a spec to end, as the chart had them. */
  readonly leavers: Map<string, Member>;
  readonly say: (fact: Fact) => void;
  /** Measurements take a slot; thinking does not. */
  readonly slots: PQueue;
  /** One lane at a time may move orgrepo/best. */
  readonly gate: PQueue;
  /** Cancels whatever runs: the second Ctrl-C. */
  readonly now: AbortSignal;
  readonly memory: RunMemory;
  /** What is on its way to disk and nobody waits for yet; a lane does when it ends. */
  readonly underway: Set<Promise<unknown>>;
  /** What each agent has finished and the queue still holds. */
  readonly finished: Map<string, Finished>;
  /** Specs that somebody works on now, for the table on the queue branch. */
  readonly live: Map<string, LiveBranch>;
  /** The trunk's tree that this run was started with, and its last commit that was looked at for a changed brief. */
  readonly trunk: { readonly tree: string; looked: string };
  /** What the rules of the chart and people's words on it need to know. */
  readonly floor: Floor;
  /** What the policies say of every act. */
  readonly governor: Governor;
  /** How models are asked, and what they cost. */
  readonly office: NightOffice;
  /** What the night before came to, for a chief; `isNew` until it has been told. */
  readonly result: { readonly report: string; isNew: boolean };
  /** How often each agent has tampered this night, and who is stopped, with the reason. */
  readonly strikes: Map<string, number>;
  readonly halted: Map<string, string>;
  /** What git obeys in this repository, as it was when the run began; and what of it somebody has changed. */
  readonly canary: Canary;
  touched: string | undefined;
  /** The last experiment before this night, and up to which one a person has forgiven an agent. */
  readonly runFrom: number;
  readonly forgiven: Map<string, number>;
  /** How often in a row a chief wrote nothing that can be used. */
  readonly inVain: Map<string, number>;
  /** How often in a row a critic or a checker gave no answer. */
  readonly silent: Map<string, number>;
  /** Who has used up what a person allows one agent. */
  readonly spentUp: Set<string>;
  /** Critics and checkers have one pair of hands each: what they are busy with, by name. */
  readonly desks: Map<string, Promise<unknown>>;
  /** Specs whose keep waits for a person's word. */
  readonly waiting: Set<string>;
  /** Specs that have used up what a person allows one spec, with the reason. */
  readonly spentSpecs: Map<string, string>;
  /** The cap that ended the night, and whom it met. */
  cap: Reached | undefined;
  /** Trees that are offered and have no verdict yet; with their number when an earlier run had saved them. */
  readonly offered: Map<string, number | undefined>;
  /** Every tree ever measured, with its number; read from git the first time that somebody must know. */
  seen: Promise<Map<string, number>> | undefined;
  pinned: PinnedBrief;
  best: BestEntry;
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
  /** How many tries have won tonight, and the numbers of what was taken and is still on best. */
  kept: number;
  readonly taken: Set<number>;
  ending: Ending | undefined;
  /** What people last said to the run, and when we looked. */
  steered: { readonly at: number; readonly ledger: Pick<Ledger, 'state' | 'halted' | 'orders' | 'acts'> };
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

export function rememberSpec(night: Night, spec: Spec): void {
  const { specs } = night.memory;
  specs.push(spec);
  if (specs.length > remembered * 1.5) specs.splice(0, specs.length - remembered);
}

/** Whether a junior is a person: nobody starts them, and they take specs through the people's desk. */
export const isPerson = (night: Night, junior: string): boolean =>
  choiceOf(night.pinned.brief.staff, junior).kind === 'human';

/** Whether somebody is still of the org; whoever was taken out of it finishes their spec. */
export const worksHere = (night: Night, junior: string): boolean => night.juniors.includes(junior);

/** The chart with those who leave it: what it says of them holds until they are gone. */
export function chartNow({ pinned, leavers }: Pick<Night, 'pinned' | 'leavers'>): Charter | undefined {
  const charter = pinned.charter?.charter;
  if (charter === undefined || leavers.size === 0) return charter;
  const here = new Set(charter.members.map(({ id }) => id));
  return { ...charter, members: [...charter.members, ...[...leavers.values()].filter(({ id }) => !here.has(id))] };
}

/** Who writes the specs of an agent; undefined where only people do. */
export const chiefOf = (night: Night, agent: string): string | undefined => chiefFor(night.pinned.brief.staff, agent);

/** Whether somebody's task is to write specs. */
export const isChief = ({ pinned }: Night, agent: string): boolean =>
  agentsWithDuty(pinned.brief, 'chief').includes(agent);

/** Whether something is so of everybody who works by themselves: then the night has nobody left. People come when they like. */
export const areAll = (night: Night, is: (junior: string) => boolean): boolean => {
  const started = night.juniors.filter((junior) => !isPerson(night, junior));
  return started.length > 0 && started.every(is);
};

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
