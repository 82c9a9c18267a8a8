import type { AuditFinding } from '../../domain/rules/finding.ts';
import { isVerdictEvent } from '../../domain/words/experiment.ts';
import { isTalkEvent, talkEvents } from '../../records/notebook/notebook.ts';
import { isProblem } from '../../text/problem.ts';
import { type Books, isBest, type JudgedPage, type NotebookPages } from '../audit-books.ts';
import { harnessIn, readBriefs } from '../audit-briefs.ts';
import { type AuditPage, about, aboutPlace, unequal } from '../audit-library.ts';

/** Every notebook is what one is: a claim from a best, verdicts on candidates of its own, takeovers, and an end. */
export async function* checkNotebooks(books: Books): AsyncGenerator<AuditFinding> {
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
  const best = books.library.page(claim.commit.parents[0]);
  if (best === undefined || !isBest(best) || claim.commit.parents.length !== 1)
    return yield about(
      claim,
      `${notebook.spec} was not claimed from a best`,
      'a commit of orgrepo/best below it',
      best?.title,
    );
  yield* unequal(claim, 'the claim has another tree than the best it stands on', best.commit.tree, claim.commit.tree);
  yield* unequal(
    claim,
    'the claim has another score than the best it stands on',
    best.get('Score'),
    claim.get('Score'),
  );
  yield* checkMeasure(books, claim, claim.commit.tree);
}

/** The brief is there and can be read, and the harness that is named is the one in the tree. */
async function* checkMeasure(books: Books, page: AuditPage, tree: string): AsyncGenerator<AuditFinding> {
  const brief = await readBriefs(books.library)(page);
  if (isProblem(brief))
    return yield about(page, 'its brief cannot be had', `the brief ${page.get('Brief')}`, brief.message);
  const harness = await harnessIn(books.library, brief, tree);
  yield* unequal(page, 'the harness in its tree is not the one it names', harness, page.get('Harness'));
}

function* checkLine(books: Books, notebook: NotebookPages, page: AuditPage, index: number): Generator<AuditFinding> {
  yield* unequal(page, `it stands in the notebook of ${notebook.spec}`, notebook.spec, page.get('Spec'));
  if (index === 0) return;
  const below = books.library.page(page.commit.parents[0]);
  if (isVerdictEvent(page.event) || isTalkEvent(page.event)) return; // Looked at on their own.
  if (!['takeover', 'ack', 'done'].includes(page.event))
    return yield about(
      page,
      'no notebook has such a line',
      `a verdict, takeover, ack, done, ${talkEvents.join(', ')}`,
      page.event,
    );
  if (page.commit.parents.length !== 1 || page.commit.tree !== below?.commit.tree)
    yield about(page, `a ${page.event} changes nothing`, `the tree ${below?.commit.tree}`, page.commit.tree);
  if (page.event === 'done' && index < notebook.pages.length - 1)
    yield about(page, 'a notebook goes on after its end', 'nothing above it', notebook.pages[index + 1]?.title);
}

async function* checkCandidate(
  books: Books,
  { page, tried, below, notebook }: JudgedPage,
): AsyncGenerator<AuditFinding> {
  if (page.commit.parents.length !== 2 || tried?.event !== 'try' || below === undefined)
    return yield about(page, 'a verdict judges a candidate', 'a try as its second parent', tried?.title);
  for (const key of ['Spec', 'Experiment', 'Agent', 'Harness', 'Brief', 'Cause', 'Part'])
    yield* unequal(page, `it differs from its candidate in Org-${key}`, tried.get(key), page.get(key));
  const tree = page.event === 'keep' ? tried.commit.tree : below.commit.tree;
  yield* unequal(
    page,
    `a ${page.event} has the tree of ${page.event === 'keep' ? 'its candidate' : 'its line'}`,
    tree,
    page.commit.tree,
  );
  const base = books.library.page(tried.commit.parents[0]);
  // After a crash there may be a takeover between the two, which changes nothing.
  const stands = base !== undefined && notebook.pages.includes(base) && base.commit.tree === below.commit.tree;
  if (!stands || tried.commit.parents.length !== 1)
    yield about(
      tried,
      'the candidate was not built on the line it is judged against',
      below.id,
      tried.commit.parents[0],
    );
  yield* checkMeasure(books, tried, tried.commit.tree);
}
