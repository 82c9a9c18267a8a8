import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import {
  formatList,
  formatNoise,
  formatNumbers,
  type Numbers,
  parseList,
  parseNumbers,
} from '../../domain/words/score.ts';
import { placesOfWins, type Taken, type TakenWin, type WinPlace } from '../../domain/words/taken.ts';
import { descendsFrom, mergeBase } from '../../git/merge.ts';
import { bestRef } from '../../git/refs/ref-names.ts';
import { Problem } from '../../text/problem.ts';
import { type BookEntry, entriesFrom, readEntry, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';

export interface Baseline {
  readonly commit: string;
  readonly score: number;
  readonly numbers: Numbers;
}

/** The best tree known, as its commit tells it. Its number is 0 when it is the trunk as people have it. */
export type BestEntry = Readonly<Awaited<ReturnType<typeof bestFrom>>>;

/** Best as it is now, or as an earlier commit of its branch has it. */
export async function readBest(org: Org, commit = bestRef): Promise<BestEntry | undefined> {
  const entry = await readEntry(org, commit);
  return entry === undefined ? undefined : bestFrom(org, entry);
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

/** The commit of the trunk that best was last put on; undefined where nobody can tell any more. */
async function trunkBelow(org: Org, best: BestEntry): Promise<string | undefined> {
  for await (const { commit, event } of entriesFrom(org, best.commit)) {
    if (event === 'baseline' && commit.parents[1] !== undefined) return commit.parents[1];
    if (event !== 'baseline' && event !== 'keep') return commit.oid;
  }
  return undefined;
}

/** The experiment that last moved best, whatever was measured again or put on a new trunk since; undefined when none did. */
export async function lastKeepOn(org: Org, best: BestEntry): Promise<number | undefined> {
  for await (const { event, number } of entriesFrom(org, best.commit))
    if (event !== 'baseline') return event === 'keep' ? number('Experiment') : undefined;
  return undefined;
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

async function bestFrom(org: Org, entry: BookEntry) {
  const score = entry.number('Score');
  const [brief, harness] = [entry.get('Brief'), entry.get('Harness')];
  if (score === undefined || brief === undefined || harness === undefined) {
    throw new Problem(
      'integrity/history',
      `orgrepo/best is at ${entry.commit.oid.slice(0, 7)}, which is not a commit that orgrepo made`,
      'Put it back to where it was (git reflog, or the parent), or delete it to start over: git branch -D orgrepo/best',
    );
  }
  const numbers = parseNumbers(entry.get('Numbers'));
  const own: Baseline = { commit: entry.commit.oid, score, numbers };
  const named = entry.get('Baseline');
  const base = named === undefined ? undefined : await readEntry(org, named);
  const n = entry.number('Experiment') ?? 0;
  return {
    ...own,
    tree: entry.commit.tree,
    n,
    /** True when that was measured again since: on a new trunk, or by a changed brief or harness, or on another machine. */
    remeasured: entry.event === 'baseline' && n > 0,
    at: entry.commit.committer.at,
    brief,
    harness,
    metric: entry.get('Metric') ?? '',
    /** What the guards compare with. */
    baseline:
      base === undefined
        ? own
        : { commit: base.commit.oid, score: base.number('Score') ?? score, numbers: parseNumbers(base.get('Numbers')) },
  };
}

/** Where the trunk was when best was last put on it. */
export type Rewritten = NonNullable<Awaited<ReturnType<typeof rewrittenTrunk>>>;

/**
 * What best was last put on, where that is not what git would merge the two over: a person has amended or rebased the trunk, has taken
 * it back, or is on another branch. What the two have in common is then that tree, and not an older commit, if there is one at all.
 * Undefined where the trunk has just grown, or has merged best.
 */
export async function rewrittenTrunk(org: Org, best: BestEntry, trunk: string) {
  const commit = await trunkBelow(org, best);
  const tree = commit && (await readEntry(org, commit))?.commit.tree;
  if (commit === undefined || tree === undefined || commit === trunk) return undefined;
  const common = await mergeBase(org.repo, trunk, best.commit);
  if (common === commit) return undefined;
  const event = common && (await readEntry(org, common))?.event;
  const isOurs = event !== undefined && event !== '' && event !== 'land';
  return isOurs ? undefined : { commit, tree };
}

/** Whether best has all that is on the trunk, and nothing that was taken back from it. */
export const standsOnTrunk = async (org: Org, best: BestEntry, trunk: string): Promise<boolean> =>
  (await descendsFrom(org.repo, best.commit, trunk)) && (await rewrittenTrunk(org, best, trunk)) === undefined;

/** What was taken on the way to a best under a number above this one, newest first. Numbers on best only grow, so it reads no further. */
export async function takenOn(org: Org, best: string, above = 0): Promise<readonly Taken[]> {
  return (await stepsTo(org, best, above)).map(({ taken }) => taken);
}

/** The same, oldest first, each with the win behind it and what it did to the score of best. */
export async function takenWins(org: Org, best: string, above = 0): Promise<readonly TakenWin[]> {
  const steps = await stepsTo(org, best, above);
  const wins = await Promise.all(steps.map((step) => withStory(org, step)));
  return wins.reverse();
}

interface BestStep {
  readonly taken: Taken;
  readonly entry: BookEntry;
}

async function stepsTo(org: Org, best: string, above: number): Promise<BestStep[]> {
  const replaced = new Map<number, number>();
  const steps: BestStep[] = [];
  for await (const entry of entriesFrom(org, best)) {
    if (await checkStart(org, entry)) break;
    const n = entry.number('Experiment') ?? 0;
    if (entry.event === 'keep') {
      if (n <= above) break;
      steps.push({ taken: { n, commit: entry.commit.oid, replacedBy: replaced.get(n) }, entry });
      for (const left of parseList(entry.get('Replaces'))) if (!replaced.has(left)) replaced.set(left, n);
    }
  }
  return steps;
}

/** Whether a commit is where best began, or began anew: a person's own, or a baseline that has the trunk's files and nothing else. */
async function checkStart(org: Org, { event, number, commit }: BookEntry): Promise<boolean> {
  if (event !== 'baseline') return event !== 'keep';
  const trunk = commit.parents[1];
  if (number('Experiment') !== 0 || trunk === undefined) return false;
  return (await readEntry(org, trunk))?.commit.tree === commit.tree;
}

async function withStory(org: Org, { taken, entry }: BestStep): Promise<TakenWin> {
  const [below = '', tried = ''] = entry.commit.parents;
  const title = ((await readEntry(org, tried)) ?? entry).title.replace(/^(try|keep): /, '');
  return {
    ...taken,
    won: await winBehind(org, { n: taken.n, title, tried }),
    agent: entry.get('Agent') ?? '',
    score: entry.number('Score'),
    before: (await readEntry(org, below))?.number('Score'),
  };
}

/** What a win that stands in place of a best leaves out: all that is on that best and not below the win itself. */
export async function leftOutBy(org: Org, best: BestEntry, alone: Experiment): Promise<readonly number[]> {
  const left: number[] = [];
  const won = (await readEntry(org, alone.tried))?.get('Cause') ?? alone.tried;
  for (const { n, commit, replacedBy } of await takenOn(org, best.commit)) {
    const tried = (await readEntry(org, commit))?.commit.parents[1] ?? '';
    if (await descendsFrom(org.repo, won, commit)) break; // From here on down it is built on all of them.
    if (replacedBy === undefined && !(await descendsFrom(org.repo, won, tried))) left.push(n);
  }
  return left;
}

/** The try that a taken candidate goes back to, as its agent offered it. */
export async function winBehind(org: Org, { n, title, tried }: Pick<Experiment, 'n' | 'title' | 'tried'>) {
  let won = { n, title };
  for (let entry = await readEntry(org, tried), cause = entry?.get('Cause'); cause !== undefined; ) {
    entry = await readEntry(org, cause);
    if (entry === undefined) break;
    won = { n: entry.number('Experiment') ?? won.n, title: entry.title.replace(/^try: /, '') };
    cause = entry.get('Cause');
  }
  return won;
}

/** Where the wins among these experiments are now. Reads best no further back than the first of them, or than `from`. */
export async function placesIn(
  org: Org,
  experiments: readonly Experiment[],
  from = experiments.reduce((least, { n }) => Math.min(least, n), Number.POSITIVE_INFINITY),
): Promise<ReadonlyMap<number, WinPlace>> {
  if (!experiments.some(isKept)) return new Map();
  return placesOfWins(experiments, await takenOn(org, bestRef, from - 1));
}
