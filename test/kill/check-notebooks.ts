import { type Books, type Measured, type Notebook, savedIn, type Verdict } from './books.ts';
import { ancestorsOf, type Commit } from './history.ts';
import type { Memory } from './memory.ts';
import { attempts, scoreOf, startingNumbers, witnessLine } from './scene.ts';

export interface Circumstances {
  readonly memory: Memory;
  readonly witness: readonly string[];
  /** What people ever had on the trunk. */
  readonly harnesses: ReadonlySet<string>;
  readonly briefs: ReadonlySet<string>;
  /** After a run that ended by itself nothing may be open any more. */
  readonly settled: boolean;
}

/** Everything that the notebooks promise. Each finding begins with the word for what is broken. */
export function* checkNotebooks(books: Books, around: Circumstances): Generator<string> {
  for (const notebook of books.notebooks) yield* checkShape(books, notebook);
  yield* findLost(books, around);
  yield* findDoubled(books, around);
  const measured = new Set(around.witness);
  for (const verdict of books.verdicts) yield* checkMeasurement(books, verdict, around, measured);
  yield* checkKeeps(books, around.settled);
}

function* checkShape(books: Books, notebook: Notebook): Generator<string> {
  const { claim, ref, verdicts } = notebook;
  if (claim === undefined) return yield `shape: ${ref} does not lead to a claim of its own`;
  const below = books.history.commits.get(claim.parents[0] ?? '');
  if (!books.best.some((commit) => commit.id === below?.id)) yield `shape: ${ref} was not claimed from a best`;
  for (const { commit, tried, below: line } of verdicts) {
    const n = commit.trailers.get('Org-Experiment');
    if (commit.parents.length !== 2 || tried?.event !== 'try') yield `shape: ${name(commit)} judges no candidate`;
    else if (tried.trailers.get('Org-Spec') !== notebook.spec || tried.trailers.get('Org-Experiment') !== n)
      yield `shape: ${name(commit)} judges a candidate of another spec or number`;
    const expected = commit.event === 'keep' ? tried?.tree : line?.tree;
    if (commit.tree !== expected) yield `shape: ${name(commit)} does not have the tree it should have`;
  }
  // Merges, and changes that are taken apart, are nobody's attempts.
  const own = verdicts.filter(
    ({ commit: { trailers } }) => !trailers.has('Org-Cause') && !trailers.has('Org-Part'),
  ).length;
  if (own > attempts) yield `doubled: ${ref} holds ${own} attempts, ${attempts} were allowed`;
}

/** Lost: saved, measured, recorded or announced once, and not in a notebook now. */
function* findLost(books: Books, { memory, witness, settled }: Circumstances): Generator<string> {
  const { verdicts } = books;
  const judged = new Set(verdicts.map(({ tried }) => tried?.id));
  const waiting = new Set(settled ? [] : savedIn(books.history).map((commit) => commit.id));
  for (const [id, spec] of memory.saved)
    if (!judged.has(id) && !waiting.has(id))
      yield `lost: the candidate ${id} that was saved for ${spec} is in no notebook`;
  for (const commit of settled ? savedIn(books.history) : [])
    if (!judged.has(commit.id)) yield `lost: ${name(commit)} is saved, and a whole run did not judge it`;
  const known = new Set<string | undefined>(
    [...verdicts.map(({ tried }) => tried), ...books.best, ...savedIn(books.history)].map(
      (commit) => numbersAt(books, commit)?.numbers,
    ),
  );
  known.add(startingNumbers);
  const contents = new Set([...known].map((numbers) => numbers?.replaceAll('\n', ';')));
  for (const line of new Set(witness))
    if (!contents.has(line.slice(line.indexOf(' ') + 1))) yield `lost: this was measured and never recorded: ${line}`;
  const all = new Set(verdicts.map(({ commit }) => commit.id));
  for (const id of memory.said.verdicts) if (!all.has(id)) yield `lost: a run announced the verdict ${id}`;
  const best = new Set(books.best.map((commit) => commit.id));
  for (const id of memory.said.best) if (!best.has(id)) yield `lost: a run announced the best ${id}`;
  for (const notebook of books.notebooks)
    for (const id of memory.tips.get(notebook.ref) ?? [])
      if (!notebook.ids.has(id)) yield `lost: ${notebook.ref} stood at ${id} once`;
}

function* findDoubled(books: Books, { settled }: Circumstances): Generator<string> {
  yield* repeated('the same candidate is judged twice,', books.verdicts, ({ tried }) => tried?.id);
  yield* repeated('the same number is given twice,', books.verdicts, ({ commit }) =>
    commit.trailers.get('Org-Experiment'),
  );
  const news = books.verdicts.filter(
    ({ commit }) => commit.trailers.has('Org-Score') && !commit.trailers.has('Org-Cause'),
  );
  // The harness is part of the tree, so the same tree is also the same epoch.
  yield* repeated('the same tree is measured twice as news,', news, ({ tried }) => tried?.tree);
  const judged = new Set(books.verdicts.map(({ tried }) => tried?.id));
  const numbers = new Set(books.verdicts.map(({ commit }) => commit.trailers.get('Org-Experiment')));
  for (const commit of settled ? [] : savedIn(books.history))
    if (!judged.has(commit.id) && numbers.has(commit.trailers.get('Org-Experiment')))
      yield `doubled: ${name(commit)} is saved with a number that is taken`;
}

function* repeated(
  what: string,
  verdicts: readonly Verdict[],
  of: (verdict: Verdict) => string | undefined,
): Generator<string> {
  const first = new Map<string | undefined, Commit>();
  for (const verdict of verdicts) {
    const value = of(verdict);
    const before = first.get(value);
    if (before === undefined) first.set(value, verdict.commit);
    else if (value !== undefined) yield `doubled: ${what} ${value}: ${name(before)} and ${name(verdict.commit)}`;
  }
}

/** The wrong harness, or a number that the harness never gave. */
function* checkMeasurement(
  books: Books,
  { commit, tried }: Verdict,
  around: Circumstances,
  measured: ReadonlySet<string>,
): Generator<string> {
  const tree = numbersAt(books, tried);
  if (tree === undefined || tried === undefined) return;
  for (const one of [tried, commit]) {
    const harness = one.trailers.get('Org-Harness') ?? '';
    if (harness !== tree.harness)
      yield `harness: ${name(one)} says ${harness}, its candidate's tree has ${tree.harness}`;
    if (!around.harnesses.has(harness)) yield `harness: ${name(one)} was measured by one that no person committed`;
    if (!around.briefs.has(one.trailers.get('Org-Brief') ?? '')) yield `harness: ${name(one)} has no person's brief`;
  }
  const score = commit.trailers.get('Org-Score');
  const rival = Number(commit.trailers.get('Org-Best') ?? Number.NaN);
  const merged = commit.trailers.has('Org-Cause');
  switch (commit.event) {
    case 'keep':
    case 'discard':
      if (score === undefined && (commit.event === 'keep' || !merged)) yield `score: ${name(commit)} has none`;
      if (score !== undefined) {
        if (!near(Number(score), scoreOf(tree.target, tree.numbers)))
          yield `score: ${name(commit)} says ${score}, its files give ${scoreOf(tree.target, tree.numbers)}`;
        if (Number(score) < rival !== (commit.event === 'keep'))
          yield `score: ${name(commit)} scored ${score} against ${rival}`;
        if (!measured.has(witnessLine(tree))) yield `harness: ${name(commit)} was never measured by its own harness`;
      }
      return;
    case 'void':
      if (!merged) yield `score: ${name(commit)} is void, and it is no merge`;
      return;
    case 'unchanged':
      return;
    default:
      yield `score: ${name(commit)}, and this harness does not fail: ${commit.trailers.get('Org-Reason')}`;
  }
}

/** A keep is on best, or a merge of it was measured and judged. */
function* checkKeeps(books: Books, settled: boolean): Generator<string> {
  const onBest = ancestorsOf(books.history, books.best.at(-1)?.id);
  const answered = new Set(
    books.verdicts
      .filter(({ commit }) => commit.event !== 'void')
      .flatMap(({ commit }) => commit.trailers.get('Org-Cause') ?? []),
  );
  for (const notebook of books.notebooks) {
    const lastKeep = notebook.verdicts.findLast(({ commit }) => commit.event === 'keep');
    for (const verdict of notebook.verdicts) {
      const { commit, tried } = verdict;
      const open = !settled && !notebook.done && verdict === lastKeep;
      if (commit.event === 'keep' && !open && !onBest.has(tried?.id ?? '') && !answered.has(tried?.id ?? ''))
        yield `lost: ${name(commit)} in ${notebook.spec} is neither on orgrepo/best nor answered by a merge`;
    }
  }
}

const numbersAt = (books: Books, commit: Commit | undefined): Measured | undefined =>
  books.trees.get(commit?.tree ?? '');

/** The harness prints six digits after the point. */
export const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

export const name = (commit: Commit): string =>
  `${commit.id.slice(0, 10)} (#${commit.trailers.get('Org-Experiment') ?? '-'} ${commit.title})`;
