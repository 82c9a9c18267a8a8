import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import { placesOfWins, type Taken, type TakenWin, type Win, type WinPlace } from '../../domain/words/taken.ts';
import { isAncestor } from '../../git/merge.ts';
import { bestRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import type { BestEntry } from './best-line.ts';
import { parseList } from './evidence.ts';

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
  let entry = await readEntry(org, best);
  while (entry !== undefined && !(await isStart(org, entry))) {
    const n = entry.number('Experiment') ?? 0;
    if (entry.event === 'keep') {
      if (n <= above) break;
      steps.push({ taken: { n, commit: entry.commit.oid, replacedBy: replaced.get(n) }, entry });
      for (const left of parseList(entry.get('Replaces'))) if (!replaced.has(left)) replaced.set(left, n);
    }
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return steps;
}

/** Whether a commit is where best began, or began anew: a person's own, or a baseline that has the trunk's files and nothing else. */
async function isStart(org: Org, { event, number, commit }: BookEntry): Promise<boolean> {
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
    if (await isAncestor(org.repo, commit, won)) break; // From here on down it is built on all of them.
    if (replacedBy === undefined && !(await isAncestor(org.repo, tried, won))) left.push(n);
  }
  return left;
}

/** The try that a taken candidate goes back to, as its agent offered it. */
export async function winBehind(
  org: Org,
  { n, title, tried }: Pick<Experiment, 'n' | 'title' | 'tried'>,
): Promise<Win> {
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
