import type { Experiment } from '../../domain/words/experiment.ts';
import type { Numbers } from '../../domain/words/guard.ts';
import { isAncestor, mergeBase } from '../../git/merge.ts';
import { bestRef } from '../../git/refs/ref-names.ts';
import { Problem } from '../../text/problem.ts';
import { type BookEntry, readEntry, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { formatList, formatNoise, formatNumbers, parseNumbers } from './evidence.ts';

export interface Baseline {
  readonly commit: string;
  readonly score: number;
  readonly numbers: Numbers;
}

/** The best tree known, as its commit tells it. Its number is 0 when it is the trunk as people have it. */
export interface BestEntry extends Baseline, Pick<Experiment, 'tree' | 'n' | 'at' | 'brief' | 'harness' | 'metric'> {
  /** True when that was measured again since: on a new trunk, by a changed brief or harness, or on another machine. */
  readonly remeasured: boolean;
  /** What the guards compare with. */
  readonly baseline: Baseline;
}

export async function readBest(org: Org): Promise<BestEntry | undefined> {
  const entry = await readEntry(org, bestRef);
  return entry === undefined ? undefined : standingAt(org, entry);
}

interface NewBest
  extends Pick<BestEntry, 'tree' | 'n' | 'score' | 'numbers' | 'metric' | 'brief' | 'harness'>,
    Pick<Experiment, 'agent' | 'title' | 'samples' | 'seeds' | 'noise' | 'jail' | 'stages'> {
  readonly parents: readonly string[];
  readonly event: 'baseline' | 'keep';
  /** Undefined: this commit is itself the baseline. */
  readonly baseline: Baseline | undefined;
  readonly cause: string | undefined;
  /** What is read below the title. */
  readonly body?: string | undefined;
  /** The experiments on the best before that this one leaves out. */
  readonly replaces?: readonly number[] | undefined;
}

/** The best as a commit of its own branch told it. */
export async function standingOf(org: Org, commit: string): Promise<BestEntry | undefined> {
  const entry = await readEntry(org, commit);
  return entry === undefined ? undefined : standingAt(org, entry);
}

/** The commit of the trunk that best was last put on; undefined where nobody can tell any more. */
async function trunkBelow(org: Org, best: BestEntry): Promise<string | undefined> {
  let entry = await readEntry(org, best.commit);
  while (entry !== undefined) {
    const [first, second] = entry.commit.parents;
    if (entry.event === 'baseline' && second !== undefined) return second;
    if (entry.event !== 'baseline' && entry.event !== 'keep') return entry.commit.oid;
    entry = first === undefined ? undefined : await readEntry(org, first);
  }
  return undefined;
}

/** The experiment that last moved best, whatever was measured again or put on a new trunk since; undefined when none did. */
export async function lastKeepOn(org: Org, best: BestEntry): Promise<number | undefined> {
  let entry = await readEntry(org, best.commit);
  while (entry?.event === 'baseline') entry = await readEntry(org, entry.commit.parents[0] ?? '');
  return entry?.event === 'keep' ? entry.number('Experiment') : undefined;
}

/** Moves orgrepo/best on from `from`; undefined when it stood elsewhere by then. */
export async function moveBest(org: Org, next: NewBest, from: string | undefined): Promise<BestEntry | undefined> {
  await org.repo.store.flush();
  await org.repo.store.sync(); // What is kept outlives the machine.
  const commit = await writeEntry(org, {
    tree: next.tree,
    parents: next.parents,
    agent: next.agent,
    title: next.title,
    ...(next.body === undefined ? {} : { body: next.body }),
    trailers: {
      Event: next.event,
      Experiment: next.n,
      Agent: next.agent,
      Host: org.host,
      Metric: next.metric,
      Score: next.score,
      Samples: formatList(next.samples),
      Seeds: formatList(next.seeds),
      Noise: formatNoise(next.noise),
      Numbers: formatNumbers(next.numbers),
      Stages: next.stages,
      Harness: next.harness,
      Brief: next.brief,
      Jail: next.jail,
      Baseline: next.baseline?.commit,
      Replaces: next.replaces === undefined ? undefined : formatList(next.replaces),
      Cause: next.cause,
    },
  });
  if (!(await org.repo.refs.move(bestRef, commit, from))) return undefined;
  return readBest(org);
}

async function standingAt(org: Org, entry: BookEntry): Promise<BestEntry> {
  const score = entry.number('Score');
  const [brief, harness] = [entry.get('Brief'), entry.get('Harness')];
  if (score === undefined || brief === undefined || harness === undefined) {
    throw new Problem(
      'integrity/history',
      `orgrepo/best is at ${entry.commit.oid.slice(0, 7)}, which is no commit that orgrepo made`,
      'Put it back to where it was (git reflog, or the parent), or delete it to start over: git branch -D orgrepo/best',
    );
  }
  const numbers = parseNumbers(entry.get('Numbers'));
  const own = { commit: entry.commit.oid, score, numbers };
  const named = entry.get('Baseline');
  const base = named === undefined ? undefined : await readEntry(org, named);
  const n = entry.number('Experiment') ?? 0;
  return {
    ...own,
    tree: entry.commit.tree,
    n,
    remeasured: entry.event === 'baseline' && n > 0,
    at: entry.commit.committer.at,
    brief,
    harness,
    metric: entry.get('Metric') ?? '',
    baseline:
      base === undefined
        ? own
        : { commit: base.commit.oid, score: base.number('Score') ?? score, numbers: parseNumbers(base.get('Numbers')) },
  };
}

/** Where the trunk was when best was last put on it. */
export interface Rewritten {
  readonly commit: string;
  readonly tree: string;
}

/**
 * What best was last put on, where that is not what git would merge the two over: a person has amended or rebased the trunk, has taken
 * it back, or is on another branch. What the two have in common is then that tree, and not an older commit, if there is one at all.
 * Undefined where the trunk has just grown, or has merged best.
 */
export async function rewrittenTrunk(org: Org, best: BestEntry, trunk: string): Promise<Rewritten | undefined> {
  const commit = await trunkBelow(org, best);
  const tree = commit && (await readEntry(org, commit))?.commit.tree;
  if (commit === undefined || tree === undefined || commit === trunk) return undefined;
  const common = await mergeBase(org.repo, trunk, best.commit);
  if (common === commit) return undefined;
  const event = common && (await readEntry(org, common))?.event;
  const isOurs = event !== undefined && event !== '' && event !== 'land';
  return isOurs ? undefined : { commit, tree };
}

/** Whether best has all that is on the trunk, and nothing that was on it and is no more. */
export const standsOnTrunk = async (org: Org, best: BestEntry, trunk: string): Promise<boolean> =>
  (await isAncestor(org.repo, trunk, best.commit)) && (await rewrittenTrunk(org, best, trunk)) === undefined;
