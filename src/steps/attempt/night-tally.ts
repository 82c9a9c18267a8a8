import { type Experiment, isMeasured } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { measureKey, type PinnedBrief } from '../../org/force/pin-brief.ts';
import { readEntry } from '../../records/entry.ts';
import type { BestEntry } from '../../records/notebook/best-line.ts';
import type { Org } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import type { Scale } from '../../score/measure/noise-scale.ts';
import type { Base } from '../../score/measure/take-base.ts';
import { recall } from '../night/open-run.ts';
import type { Left, Recovered } from '../recover/recover.ts';

/** The results so far: the best tree, the experiments, and what is known of the metric. */
export interface NightTally {
  best: BestEntry;
  /** The highest number given to an experiment. */
  experiments: number;
  tried: number;
  sinceKeep: number;
  /** How many tries have won in this run, and the numbers of what was taken and is still on best. */
  kept: number;
  readonly taken: Set<number>;
  /** How the metric behaves, by `measureKey`. */
  readonly scales: Map<string, Scale>;
  readonly memory: RunMemory;
  /** Trees that are offered and have no verdict yet; with their number if an earlier run had saved them. */
  readonly offered: Map<string, number | undefined>;
  /** Every tree ever measured, with its number; read from git when it is first needed. */
  seen: Promise<Map<string, number>> | undefined;
}

/** What the org remembers while it runs: recent pages of the notebooks, for agents that start afresh each time. */
export interface RunMemory {
  readonly experiments: Experiment[];
  /** The last of them that measured a tree, by that tree. */
  readonly byTree: Map<string, Experiment>;
  readonly specs: Spec[];
  /** The chief's specs that were refused lately, and why. */
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

export async function openTally(
  org: Org,
  queue: Queue,
  start: { readonly pinned: PinnedBrief; readonly base: Base; readonly recovered: Recovered },
): Promise<NightTally> {
  const { pinned, base, recovered } = start;
  return {
    best: base.best,
    experiments: Math.max(recovered.experiments, queue.ledger.experiments),
    tried: 0,
    sinceKeep: 0,
    kept: 0,
    taken: new Set(),
    scales: new Map([[measureKey(pinned), base.calibration.scale]]),
    memory: await recall(org, queue),
    offered: await savedTrees(org, recovered.left),
    seen: undefined,
  };
}

/** What earlier runs had saved and this one has still to judge is as good as offered. */
async function savedTrees(org: Org, left: readonly Left[]): Promise<Map<string, number | undefined>> {
  const trees = new Map<string, number | undefined>();
  for (const { saved } of left) {
    const entry = saved === undefined ? undefined : await readEntry(org, saved.commit);
    if (entry !== undefined) trees.set(entry.commit.tree, saved?.n);
  }
  return trees;
}

/** Enough of the past for a search to learn from, and no more than a small process can hold. */
const remembered = 1_000;

export function remember(tally: NightTally, experiment: Experiment): void {
  const { experiments, byTree } = tally.memory;
  experiments.push(experiment);
  index(tally.memory, experiment);
  if (isMeasured(experiment)) void tally.seen?.then((seen) => seen.set(experiment.tree, experiment.n));
  if (experiments.length <= remembered * 1.5) return;
  for (const one of experiments.splice(0, experiments.length - remembered))
    if (byTree.get(one.tree) === one) byTree.delete(one.tree);
}

export function rememberSpec({ memory: { specs } }: NightTally, spec: Spec): void {
  specs.push(spec);
  if (specs.length > remembered * 1.5) specs.splice(0, specs.length - remembered);
}
