import type { Books } from './books.ts';
import { type Circumstances, name, near } from './check-notebooks.ts';
import type { Commit } from './history.ts';
import { scoreOf, witnessLine } from './scene.ts';

/** Each commit of orgrepo/best has a tree that was measured, and within one harness none is worse than the one before. */
export function* checkBest(books: Books, around: Circumstances): Generator<string> {
  const measured = new Set(around.witness);
  let before: Commit | undefined;
  for (const commit of books.best) {
    yield* commit.event === 'keep' ? checkKept(books, commit, before) : checkBaseline(books, commit, around, measured);
    const [now, then] = [scoreIn(commit), before === undefined ? Number.NaN : scoreIn(before)];
    const same = before?.trailers.get('Org-Harness') === commit.trailers.get('Org-Harness');
    if (same && (commit.event === 'keep' ? !(now < then) : now > then))
      yield `best: ${name(commit)} has ${now}, the one before it ${then}`;
    before = commit;
  }
  const chain = new Set(books.best.map((commit) => commit.id));
  for (const id of around.memory.tips.get('refs/heads/orgrepo/best') ?? [])
    if (!chain.has(id)) yield `lost: orgrepo/best stood at ${id} once`;
}

function* checkKept(books: Books, commit: Commit, before: Commit | undefined): Generator<string> {
  const [first, second] = commit.parents;
  const verdict = books.verdicts.find(({ tried }) => tried?.id === second);
  if (first !== before?.id) yield `best: ${name(commit)} is not built on the best before it`;
  if (verdict?.commit.event !== 'keep') yield `best: ${name(commit)} takes a candidate that no notebook keeps`;
  if (verdict?.tried?.tree !== commit.tree) yield `best: ${name(commit)} has another tree than what was measured`;
  for (const key of ['Org-Score', 'Org-Experiment', 'Org-Harness', 'Org-Brief'])
    if (verdict?.commit.trailers.get(key) !== commit.trailers.get(key))
      yield `best: ${name(commit)} differs from its verdict in ${key}`;
}

function* checkBaseline(
  books: Books,
  commit: Commit,
  around: Circumstances,
  measured: ReadonlySet<string>,
): Generator<string> {
  const tree = books.trees.get(commit.tree);
  if (commit.event !== 'baseline' || tree === undefined) return yield `best: ${name(commit)} is ${commit.event}`;
  if (commit.trailers.get('Org-Harness') !== tree.harness || !around.harnesses.has(tree.harness))
    yield `harness: the baseline ${name(commit)} was not measured by a harness of the trunk`;
  if (!near(scoreIn(commit), scoreOf(tree.target, tree.numbers)))
    yield `score: the baseline ${name(commit)} says ${scoreIn(commit)}, its files give ${scoreOf(tree.target, tree.numbers)}`;
  if (!measured.has(witnessLine(tree))) yield `harness: the baseline ${name(commit)} was never measured`;
}

const scoreIn = (commit: Commit): number => Number(commit.trailers.get('Org-Score') ?? Number.NaN);
