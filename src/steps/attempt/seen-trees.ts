import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Experiment, isMeasured } from '../../domain/words/experiment.ts';
import { bestRef, wipRefs, workRefs } from '../../git/refs/ref-names.ts';
import { git } from '../../git/run-git.ts';
import { experimentsAbove } from '../../records/notebook/history.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { mostPairsOf } from '../../score/judge/verdict.ts';
import type { Night } from '../night/night.ts';
import type { RunConstants } from '../night/run-constants.ts';
import type { NightTally } from './night-tally.ts';
import type { Bench } from './prepare-bench.ts';

/**
 * Takes a tree for measuring, unless somebody has measured that very tree before or is about to: then it says who.
 * A history that is short, or was looked through before, is remembered whole. For another one git itself is the index: a
 * tree that is not in the store was never tried, and that answers nearly every question.
 */
export async function takeTree(night: Pick<Night, 'run' | 'tally'>, tree: string, bench: Bench): Promise<Taken> {
  const earlier = inconclusiveOn(night.tally, tree, bench);
  if (earlier === undefined && (isAtHand(night) || (await night.run.org.repo.reader.has(tree)))) {
    const before = await numberOf(night, tree);
    if (before !== undefined) return { before: before === 0 ? 'the baseline' : `#${before}` };
  }
  // From here to the end nothing waits: of two lanes that hit upon one tree, one is first.
  if (night.tally.offered.has(tree)) return { before: 'one that a colleague is trying' };
  night.tally.offered.set(tree, undefined);
  return { earlier };
}

interface Taken {
  /** Whose tree it is already. */
  readonly before?: string;
  /** The verdict that its measurement goes on with. */
  readonly earlier?: Experiment | undefined;
}

/**
 * An inconclusive verdict against the very champion that the tree is up against now, under the same harness and brief: it
 * is no news, but more of its samples may decide. Only among what is remembered, and only up to twice the samples.
 */
function inconclusiveOn(tally: NightTally, tree: string, { line, claim: { pinned } }: Bench): Experiment | undefined {
  const last = tally.memory.byTree.get(tree);
  if (last?.event !== 'inconclusive' || last.merged || last.noise === undefined) return undefined;
  const same = last.lineTree === line.tree && last.harness === pinned.harness && last.brief === pinned.blob;
  const pairs = last.samples.length;
  return same && pairs < mostPairsOf(pinned.brief, pairs) ? last : undefined;
}

/** Experiments that can be looked through in the time of a few questions to git. */
const shortHistory = 5_000;
const mostKeptBytes = 16 * 1024 * 1024;

function isAtHand(night: Pick<Night, 'run' | 'tally'>): boolean {
  if (night.tally.experiments <= shortHistory || night.tally.seen !== undefined) return true;
  const bytes = statSync(measuredFile(night.run), { throwIfNoEntry: false })?.size;
  return bytes !== undefined && bytes <= mostKeptBytes;
}

const measuredFile = ({ org }: RunConstants): string => path.join(org.repo.gitDir, 'orgrepo', 'measured');

/** A tree can also be in the store because it was only ever built, so what was recorded has the last word. */
async function numberOf(night: Pick<Night, 'run' | 'tally'>, tree: string): Promise<number | undefined> {
  const recent = night.tally.memory.byTree.get(tree);
  if (recent !== undefined) return recent.n;
  night.tally.seen ??= recallTrees(night);
  return (await night.tally.seen).get(tree);
}

/**
 * Every tree that was measured, with the number of its experiment. Read from the whole history once and then kept
 * beside the run lock, up to a number; the file is a memory of what git says, and may be deleted at any time.
 */
async function recallTrees(night: Pick<Night, 'run' | 'tally'>): Promise<Map<string, number>> {
  const {
    run: { org },
  } = night;
  const file = measuredFile(night.run);
  const kept = readKept(file);
  const queue = await readQueue(org);
  const upTo = queue?.ledger.runFrom ?? 0;
  if (kept === undefined || queue === undefined) {
    const trees = await readWholeHistory(night.run);
    keep(file, upTo, trees);
    return trees;
  }
  for (const one of await experimentsAbove(org, queue, kept.upTo)) {
    if (isMeasured(one)) kept.trees.set(one.tree, one.n);
  }
  for (const [tree, n] of night.tally.offered) if (n !== undefined) kept.trees.set(tree, n);
  kept.trees.set(night.tally.best.tree, night.tally.best.n);
  keep(file, upTo, kept.trees);
  return kept.trees;
}

function readKept(file: string): { upTo: number; trees: Map<string, number> } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
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
  // An attempt that was refused has the tree of its line: nothing was measured there.
  const real = measured.filter(({ commit, tree, parent }) => trees.get(parent) !== tree && !voided.has(commit));
  return new Map(real.map(({ tree, n }) => [tree, n]));
}
