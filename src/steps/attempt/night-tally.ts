import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Experiment, isMeasured, measureKey } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { bestRef, wipRefs, workRefs } from '../../git/refs/ref-names.ts';
import { git } from '../../git/run-git.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { readEntry } from '../../records/entry.ts';
import type { BestEntry } from '../../records/notebook/best-line.ts';
import { experimentsAbove, notebooksAbove } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { type Queue, readQueue } from '../../records/queue/queue.ts';
import { mostRefused, readRefusals } from '../../records/queue/spec-events.ts';
import { mostPairsOf } from '../../score/judge/verdict.ts';
import type { Scale } from '../../score/measure/hold-contest.ts';
import type { Base } from '../../score/measure/take-base.ts';
import { orElse } from '../../text/problem.ts';
import type { ResultParts, RunConstants } from '../night/night.ts';
import type { Left, Recovered } from '../recover/recover.ts';
import type { Bench } from './bench.ts';

/** The results so far: the best tree, the experiments, and what is known of the metric. */
export interface NightTally {
  best: BestEntry;
  /** The highest number given to an experiment. */
  experiments: number;
  tried: number;
  sinceKeep: number;
  /** How many experiments won in this run, and the numbers of those that are still on best. */
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

/** What the org remembers while it runs, for agents that start afresh each time. */
interface RunMemory {
  readonly experiments: Experiment[];
  /** The last of them that measured a tree, by that tree. */
  readonly byTree: Map<string, Experiment>;
  readonly specs: Spec[];
  /** The chief's specs that were refused lately, and why. */
  readonly refused: string[];
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

/** Reads the latest experiments, the specs that they belong to, and the open specs. */
async function recall(org: Org, queue: Queue): Promise<RunMemory> {
  const notebooks = await notebooksAbove(org, queue, Math.max(0, queue.ledger.experiments - remembered));
  const past = notebooks.map((one) => ({ ...specClaimed(one), risk: one.risk }));
  const open = queue.specs.filter((spec) => !past.some((one) => one.id === spec.id));
  const experiments = notebooks.flatMap((notebook) => notebook.experiments).sort((a, b) => a.n - b.n);
  const byTree = new Map(experiments.filter(isMeasured).map((one) => [one.tree, one]));
  return { experiments, byTree, specs: [...past, ...open], refused: await readRefusals(org) };
}

/** A spec as its notebook tells it: one that is finished has left the queue. */
export function specClaimed({ spec: id, title, by, body }: Notebook): Spec {
  return { id, title, by, attempts: undefined, body };
}

/** What earlier runs had saved and this run must still judge counts as offered. */
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
  if (isMeasured(experiment)) {
    byTree.set(experiment.tree, experiment);
    void tally.seen?.then((seen) => seen.set(experiment.tree, experiment.n));
  }
  if (experiments.length <= remembered * 1.5) return;
  for (const one of experiments.splice(0, experiments.length - remembered))
    if (byTree.get(one.tree) === one) byTree.delete(one.tree);
}

export function rememberSpec({ memory: { specs } }: NightTally, spec: Spec): void {
  specs.push(spec);
  if (specs.length > remembered * 1.5) specs.splice(0, specs.length - remembered);
}

/** Notes why a chief's spec was refused. Only the latest reasons are shown to it. */
export function rememberRefusal({ memory: { refused } }: NightTally, message: string): void {
  refused.push(message);
  refused.splice(0, refused.length - mostRefused);
}

/** Notes how the metric behaves under a brief and, where best was measured again for it, the new best. */
export function noteScale(tally: NightTally, pinned: PinnedBrief, scale: Scale, best = tally.best): void {
  tally.scales.set(measureKey(pinned), scale);
  tally.best = best;
}

/** Forgets which trees were measured: under another brief they may be measured again. */
export function forgetMeasured(tally: NightTally): void {
  tally.seen = Promise.resolve(new Map());
  tally.offered.clear();
}

/**
 * Takes a tree for measuring, unless that very tree was measured before or another lane is about to measure it.
 * A short history is remembered whole. For a long one git is the index: a tree that is not in the store was never tried.
 */
export async function takeTree(night: ResultParts, tree: string, bench: Bench): Promise<Taken> {
  const earlier = inconclusiveOn(night.tally, tree, bench);
  if (earlier === undefined && (isAtHand(night) || (await night.run.org.repo.reader.has(tree)))) {
    const before = await numberOf(night, tree);
    if (before !== undefined) return { before: before === 0 ? 'the baseline' : `#${before}` };
  }
  // Nothing waits from here on, so only one of two lanes with the same tree takes it.
  if (night.tally.offered.has(tree)) return { before: 'one that a colleague is trying' };
  night.tally.offered.set(tree, undefined);
  return { earlier };
}

interface Taken {
  /** The experiment that has this tree already. */
  readonly before?: string;
  /** The inconclusive experiment that its measurement continues. */
  readonly earlier?: Experiment | undefined;
}

/** An inconclusive experiment with the same champion, harness and brief. More samples may decide it, up to twice as many. */
function inconclusiveOn(tally: NightTally, tree: string, { line, claim: { pinned } }: Bench): Experiment | undefined {
  const last = tally.memory.byTree.get(tree);
  if (last?.event !== 'inconclusive' || last.merged || last.noise === undefined) return undefined;
  const same = last.lineTree === line.tree && last.harness === pinned.harness && last.brief === pinned.blob;
  const pairs = last.samples.length;
  return same && pairs < mostPairsOf(pinned.brief, pairs) ? last : undefined;
}

/** Reading this many experiments takes as long as a few calls of git. */
const shortHistory = 5_000;
const mostKeptBytes = 16 * 1024 * 1024;

function isAtHand(night: ResultParts): boolean {
  if (night.tally.experiments <= shortHistory || night.tally.seen !== undefined) return true;
  const bytes = statSync(measuredFile(night.run), { throwIfNoEntry: false })?.size;
  return bytes !== undefined && bytes <= mostKeptBytes;
}

const measuredFile = ({ org }: RunConstants): string => path.join(org.repo.gitDir, 'orgrepo', 'measured');

/** A tree may be in the store without an experiment, so the records decide. */
async function numberOf(night: ResultParts, tree: string): Promise<number | undefined> {
  const recent = night.tally.memory.byTree.get(tree);
  if (recent !== undefined) return recent.n;
  night.tally.seen ??= recallTrees(night);
  return (await night.tally.seen).get(tree);
}

/**
 * Every tree that was measured, with the number of its experiment. Read from the whole history once, then kept in a file
 * up to a number. The file repeats what git says, and may be deleted at any time.
 */
async function recallTrees(night: ResultParts): Promise<Map<string, number>> {
  const { org } = night.run;
  const file = measuredFile(night.run);
  const kept = readKept(file);
  const queue = await readQueue(org);
  const upTo = queue?.ledger.runFrom ?? 0;
  const isKnown = kept !== undefined && queue !== undefined;
  const trees = isKnown ? kept.trees : await readWholeHistory(night.run);
  if (isKnown) {
    for (const one of await experimentsAbove(org, queue, kept.upTo)) if (isMeasured(one)) trees.set(one.tree, one.n);
    for (const [tree, n] of night.tally.offered) if (n !== undefined) trees.set(tree, n);
    trees.set(night.tally.best.tree, night.tally.best.n);
  }
  keep(file, upTo, trees);
  return trees;
}

function readKept(file: string): { upTo: number; trees: Map<string, number> } | undefined {
  const text = orElse(() => readFileSync(file, 'utf8'), '');
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const upTo = /^measured up to ([0-9]+)$/.exec(first)?.[1];
  if (upTo === undefined) return undefined;
  return {
    upTo: Number(upTo),
    trees: new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), Number(line.slice(line.indexOf(' ') + 1))])),
  };
}

function keep(file: string, upTo: number, trees: ReadonlyMap<string, number>): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const lines = [...trees].map(([tree, n]) => `${tree} ${n}`);
  writeFileSync(`${file}.new`, `measured up to ${upTo}\n${lines.join('\n')}\n`);
  renameSync(`${file}.new`, file);
}

async function readWholeHistory(run: RunConstants): Promise<Map<string, number>> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `--format=%H %T ${trailer('Org-Event')} ${trailer('Org-Experiment')} %P`;
  const globs = [workRefs, wipRefs].map((refs) => `--glob=${refs}*`);
  const log = await git(run.org.repo, ['log', format, ...globs, bestRef]);
  const trees = new Map<string, string>();
  const measured: { commit: string; tree: string; n: number; parent: string }[] = [];
  const voided = new Set<string>();
  for (const line of log.split('\n')) {
    const [commit = '', tree = '', event = '', n = '', parent = '', tried = ''] = line.split(' ');
    trees.set(commit, tree);
    if (event === 'try' || event === 'baseline')
      measured.push({ commit, tree, n: Number(n), parent: event === 'try' ? parent : '' });
    if (event === 'void') voided.add(tried);
  }
  // A refused attempt has the tree of its line, and was not measured.
  const real = measured.filter(({ commit, tree, parent }) => trees.get(parent) !== tree && !voided.has(commit));
  return new Map(real.map(({ tree, n }) => [tree, n]));
}
