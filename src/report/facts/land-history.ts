import type { Experiment } from '../../domain/words/experiment.ts';
import { parseList } from '../../domain/words/score.ts';
import { bestRef } from '../../git/refs/ref-names.ts';
import { git } from '../../git/run-git.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import { winBehind } from '../../records/notebook/best-line.ts';
import { experimentFrom } from '../../records/notebook/experiment-entry.ts';
import { type Notebook, readNotebook } from '../../records/notebook/notebook.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readKeepAnswer } from '../../records/requests/requests.ts';
import { isProblem, Problem } from '../../text/problem.ts';

/** A change that orgrepo/best has and the trunk has not. */
export interface KeptOnBest {
  readonly n: number;
  /** Its commit on best, its tree, and the tree that it was made of. */
  readonly commit: string;
  readonly tree: string;
  readonly before: string;
  /** The verdict with which it won, by its commit. */
  readonly verdict: string;
  /** True when the trunk has had it in a land, of whatever else that may have been. */
  readonly landed: boolean;
  /** What was taken in its place, so that there is nothing of it on best. */
  readonly replacedBy?: number | undefined;
}

/** What was taken since the trunk, oldest first, with what of it was landed already or replaced. */
export async function keptSince(org: Org, trunk: string, best: string): Promise<readonly KeptOnBest[]> {
  if (trunk === best) return [];
  const chain = await entriesOf(org, ['--first-parent', '--reverse', best, `^${trunk}`]);
  const lowest = chain[0]?.commit.parents[0];
  // There is no commit below where a person has amended the very first.
  const landed = chain.length === 0 ? new Set<number>() : await landedSince(org, trunk, lowest);
  let kept: KeptOnBest[] = [];
  for (const entry of chain) {
    const [first = '', second] = entry.commit.parents;
    if (entry.event === 'keep') {
      const before = (await readEntry(org, first))?.commit.tree ?? '';
      const [n, verdict] = [entry.number('Experiment') ?? 0, entry.get('Cause') ?? ''];
      const replaces = new Set(parseList(entry.get('Replaces')));
      kept = kept.map((one) => (replaces.has(one.n) ? { ...one, replacedBy: n } : one));
      kept.push({ n, commit: entry.commit.oid, tree: entry.commit.tree, before, verdict, landed: landed.has(n) });
      continue;
    }
    // Best that began anew from the trunk has nothing of what was taken before.
    const anew = second !== undefined && (await readEntry(org, second))?.commit.tree === entry.commit.tree;
    if (anew) kept = [];
  }
  return kept;
}

/** Whether it could be landed: it is on best, and the trunk has not had it. */
export const isLeft = ({ landed, replacedBy }: KeptOnBest): boolean => !landed && replacedBy === undefined;

/** How many changes on best wait to be landed, none where a branch of the person's holds them all; undefined where there is no branch to land on, or nobody can tell. */
export async function countReady(org: Org): Promise<number | undefined> {
  const best = await org.repo.reader.resolve(bestRef);
  if (best === undefined) return undefined;
  try {
    const trunk = await trunkTip(org);
    const left = (await keptSince(org, trunk, best)).filter(isLeft).map(({ n }) => n);
    return left.length > 0 && (await checkOnBranch(org, trunk, left)) ? 0 : left.length;
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/** Whether a land that the trunk has not got yet is of just these. */
async function checkOnBranch(org: Org, trunk: string, numbers: readonly number[]): Promise<boolean> {
  const entries = await entriesOf(org, [onlyLands, '--exclude=orgrepo/*', '--branches', `^${trunk}`]);
  const lands = entries.map((entry) => new Set(landedIn(entry)));
  return lands.some((land) => land.size === numbers.length && numbers.every((n) => land.has(n)));
}

/** The numbers of what was landed on the trunk, or above a commit of it, by us or by a person's own merge of a branch of ours. */
export async function landedSince(org: Org, trunk: string, above?: string): Promise<ReadonlySet<number>> {
  if (trunk === above) return new Set();
  const entries = await entriesOf(org, [onlyLands, trunk, ...(above === undefined ? [] : [`^${above}`])]);
  return new Set(entries.flatMap(landedIn));
}

const onlyLands = '--grep=^Org-Event: land$';

/** The commits that `git rev-list` lists. */
async function entriesOf(org: Org, args: readonly string[]): Promise<readonly BookEntry[]> {
  const ids = (await git(org.repo, ['rev-list', ...args, '--'])).split('\n').filter((id) => id !== '');
  const entries = await Promise.all(ids.map((id) => readEntry(org, id)));
  return entries.filter((entry) => entry !== undefined);
}

/** The numbers of the experiments in a land; none in any other commit. */
const landedIn = (entry: BookEntry): readonly number[] =>
  entry.event === 'land' ? parseList(entry.get('Experiments')) : [];

export type KeptStory = Readonly<Awaited<ReturnType<typeof storyOf>>>;

/** A change on best with its story: its maker, its spec, and whether somebody else approved of it. */
export async function storyOf(org: Org, kept: KeptOnBest) {
  const verdict = await readEntry(org, kept.verdict);
  if (verdict === undefined)
    throw new Problem(
      'integrity/history',
      `the verdict of #${kept.n} is not in this repository`,
      'See what else is missing: orgrepo verify',
    );
  const experiment = await experimentFrom(org, verdict);
  const notebook = await readNotebook(org, experiment.spec);
  return {
    ...kept,
    experiment: { ...experiment, title: (await winBehind(org, experiment)).title },
    specTitle: notebook?.title ?? experiment.title,
    approved: notebook !== undefined && (await checkApproved(org, notebook, experiment)),
  };
}

/** Whether a keep, or the one that it was merged from, has a review that approves it or a person's word, and no review against it. */
async function checkApproved(org: Org, { experiments, talk }: Notebook, last: Experiment): Promise<boolean> {
  const behind: Experiment[] = [last];
  for (const one of behind) {
    const cause = one.merged ? (await readEntry(org, one.commit))?.get('Cause') : undefined;
    const older = experiments.find(({ tried }) => tried === cause);
    if (older !== undefined && !behind.includes(older)) behind.push(older);
  }
  const ids = new Set(behind.map(({ commit }) => commit));
  const reviews = talk.filter(({ event, cause }) => event === 'review' && ids.has(cause ?? ''));
  if (reviews.some(({ approves }) => approves === false)) return false;
  const queue = await readQueue(org);
  const words = await Promise.all(behind.map((win) => queue && readKeepAnswer(org, queue, win)));
  if (words.some((word) => word?.approves === false)) return false;
  // A person's word is believed where they said it: a line of a notebook alone could be anybody's.
  const checked = reviews.some(({ approves, by }) => approves === true && by === undefined);
  return checked || words.some((word) => word?.approves === true);
}
