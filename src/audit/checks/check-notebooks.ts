import { isVerdictEvent } from '../../domain/words/experiment.ts';
import { parseLedger } from '../../domain/words/ledger.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { isTalkEvent, talkEvents } from '../../records/notebook/notebook.ts';
import { isProblem } from '../../text/problem.ts';
import { type Books, isBest, type JudgedPage, type NotebookPages, rejectedIn } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, aboutPlace, unequal } from '../audit-library.ts';

/** Every notebook is what one is: a claim from a best, verdicts on candidates of its own, takeovers, and an end. */
export async function* checkNotebooks(books: Books) {
  for (const notebook of books.notebooks.values()) {
    const { claim } = notebook;
    if (claim === undefined) {
      yield aboutPlace(notebook.ref, 'the branch does not lead down to a claim', 'a claim', notebook.pages[0]?.title);
      continue;
    }
    yield* checkClaim(books, notebook, claim);
    for (const [index, page] of notebook.pages.entries()) yield* checkLine(books, notebook, page, index);
    for (const verdict of notebook.verdicts) yield* checkCandidate(books, verdict);
  }
}

async function* checkClaim(books: Books, notebook: NotebookPages, claim: AuditPage): AsyncGenerator<AuditFinding> {
  const best = books.library.below(claim);
  if (best === undefined || !isBest(best) || claim.parents.length !== 1)
    return yield about(
      claim,
      `${notebook.spec} was not claimed from a best`,
      'a commit of orgrepo/best below it',
      best?.title,
    );
  yield* unequal(claim, 'the claim has another tree than the best it stands on', best.tree, claim.tree);
  yield* unequal(
    claim,
    'the claim has another score than the best it stands on',
    best.get('Score'),
    claim.get('Score'),
  );
  yield* checkMeasure(books, claim, claim.tree);
}

/** The brief is there and can be read, and the harness that is named is the one in the tree. */
async function* checkMeasure(books: Books, page: AuditPage, tree: string): AsyncGenerator<AuditFinding> {
  const brief = await books.library.brief(page);
  if (isProblem(brief))
    return yield about(page, 'its brief cannot be had', `the brief ${page.get('Brief')}`, brief.message);
  const harness = (await entryAt(books.library.org.repo, tree, brief.harness))?.oid;
  yield* unequal(page, 'the harness in its tree is not the one it names', harness, page.get('Harness'));
}

function* checkLine(books: Books, notebook: NotebookPages, page: AuditPage, index: number): Generator<AuditFinding> {
  yield* unequal(page, `it stands in the notebook of ${notebook.spec}`, notebook.spec, page.get('Spec'));
  if (index === 0) return;
  const below = books.library.below(page);
  if (isVerdictEvent(page.event) || isTalkEvent(page.event)) return; // Looked at on their own.
  if (!['takeover', 'ack', 'done'].includes(page.event))
    return yield about(
      page,
      'no notebook has such a line',
      `a verdict, takeover, ack, done, ${talkEvents.join(', ')}`,
      page.event,
    );
  if (page.parents.length !== 1 || page.tree !== below?.tree)
    yield about(page, `a ${page.event} changes nothing`, `the tree ${below?.tree}`, page.tree);
  if (page.event === 'done' && index < notebook.pages.length - 1)
    yield about(page, 'a notebook goes on after its end', 'nothing above it', notebook.pages[index + 1]?.title);
}

async function* checkCandidate(
  books: Books,
  { page, tried, below, notebook }: JudgedPage,
): AsyncGenerator<AuditFinding> {
  if (page.parents.length !== 2 || tried?.event !== 'try' || below === undefined)
    return yield about(page, 'a verdict judges a candidate', 'a try as its second parent', tried?.title);
  for (const key of ['Spec', 'Experiment', 'Agent', 'Harness', 'Brief', 'Cause', 'Part'])
    yield* unequal(page, `it differs from its candidate in Org-${key}`, tried.get(key), page.get(key));
  const [whose, { tree }] =
    page.event === 'keep' ? (['its candidate', tried] as const) : (['its line', below] as const);
  yield* unequal(page, `a ${page.event} has the tree of ${whose}`, tree, page.tree);
  const base = books.library.below(tried);
  // After a crash there may be a takeover between the two, which changes nothing.
  const stands = base !== undefined && notebook.pages.includes(base) && base.tree === below.tree;
  if (!stands || tried.parents.length !== 1)
    yield about(tried, 'the candidate was not built on the line it is judged against', below.id, tried.parents[0]);
  yield* checkMeasure(books, tried, tried.tree);
}

/** A number is given once, a candidate is judged once, none is left out, and what is kept reaches best or is answered. */
export function* checkNumbers(books: Books) {
  yield* repeated(books.verdicts, 'the number is given twice', ({ page }) => page.get('Experiment'));
  yield* repeated(books.verdicts, 'the candidate is judged twice', ({ tried }) => tried?.id);
  yield* missing(books);
  if (!wasRepaired(books)) yield* checkKeeps(books);
}

function* repeated(verdicts: readonly JudgedPage[], what: string, of: (verdict: JudgedPage) => string | undefined) {
  const first = new Map<string, AuditPage>();
  for (const verdict of verdicts) {
    const value = of(verdict);
    if (value === undefined) continue;
    const before = first.get(value);
    if (before === undefined) first.set(value, verdict.page);
    else yield about(verdict.page, what, `${value} once`, `${value} also in ${before.id}`);
  }
}

/** A run that was cut off may have given numbers that nobody used; one that ended has none to spare. */
function* missing(books: Books) {
  const numbers = new Map(books.verdicts.map(({ page }) => [page.number('Experiment') ?? 0, page]));
  for (const page of savedHere(books)) numbers.set(page.number('Experiment') ?? 0, page);
  const highest = [...numbers.keys()].reduce((most, n) => Math.max(most, n), 0);
  if (wasRepaired(books)) return;
  const runs = runsOf(books);
  for (let n = 1; n < highest; n++) {
    if (numbers.has(n)) continue;
    const run = runs.find((one) => n > one.from && n <= one.to);
    if (run?.cut) continue;
    let next = n + 1;
    while (!numbers.has(next)) next += 1;
    yield about(numbers.get(next) as AuditPage, 'an experiment before it is missing', `#${n}`, undefined);
    n = next;
  }
}

/** The candidates that are saved and stand on their notebook. Any other one is of another clone, and so is its number. */
function savedHere({ library, notebooks, saved }: Books): AuditPage[] {
  return [...saved].flatMap(([spec, page]) => {
    const tried = page?.event === 'wip' ? library.below(page) : page;
    const [base] = tried?.parents ?? [];
    return tried !== undefined && notebooks.get(spec)?.pages.some(({ id }) => id === base) ? [tried] : [];
  });
}

/** The numbers that each run gave, between its own first commit on the queue and the next run's. */
function runsOf(books: Books): { readonly from: number; readonly to: number; readonly cut: boolean }[] {
  const ours = books.queue.filter((page) => page.get('Ledger') !== undefined);
  const ledgers = ours.map((page) => ({ event: page.event, ledger: parseLedger(page.get('Ledger') ?? '') }));
  const starts = ledgers.flatMap(({ event }, index) => (event === 'run' ? [index] : []));
  return starts.map((at, index) => {
    const next = starts[index + 1];
    const last = ledgers[(next ?? ledgers.length) - 1]?.ledger;
    return {
      from: ledgers[at]?.ledger.experiments ?? 0,
      to: next === undefined ? Number.POSITIVE_INFINITY : (ledgers[next]?.ledger.experiments ?? 0),
      cut: last?.state !== 'ended',
    };
  });
}

/** After a power failure the newest commits may be gone, and what stood on them too. */
export const wasRepaired = (books: Books): boolean =>
  books.queue.some((page) => page.event === 'spec' && page.get('Reason') === 'mended');

function* checkKeeps(books: Books) {
  const taken = new Set([...books.formerBest, ...books.best].map((page) => page.parents[1]));
  const answered = new Set(
    books.verdicts.flatMap(({ page }) => (page.event === 'void' ? [] : (page.get('Cause') ?? []))),
  );
  for (const { verdicts, done, pages } of books.notebooks.values()) {
    const rejected = rejectedIn(pages);
    const last = verdicts.findLast(({ page }) => page.event === 'keep');
    for (const verdict of verdicts) {
      const id = verdict.tried?.id ?? '';
      if (verdict.page.event !== 'keep' || taken.has(id) || answered.has(id) || rejected.has(verdict.page.id)) continue;
      const open = books.snapshot.moving || (!done && verdict === last); // The next run brings it there.
      if (!open)
        yield about(
          verdict.page,
          'what was kept is neither on orgrepo/best nor answered by a merge',
          `a best with ${id}`,
          undefined,
        );
    }
  }
}
