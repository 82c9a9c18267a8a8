import type { AuditFinding } from '../../domain/rules/finding.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { isAtLeast, type Risk, risks } from '../../domain/words/spec.ts';
import { hasOtherChecker } from '../../org/rules/roster.ts';
import { isTalkEvent } from '../../records/notebook/notebook.ts';
import { isProblem } from '../../text/problem.ts';
import type { Books, JudgedPage, NotebookPages } from '../audit-books.ts';
import { readBriefs } from '../audit-briefs.ts';
import { type AuditPage, about } from '../audit-library.ts';

/** What was said in notebooks changes nothing but what it says, and a risky keep is on best only with an approval. */
export async function* checkReviews(books: Books): AsyncGenerator<AuditFinding> {
  for (const notebook of books.notebooks.values())
    for (const page of notebook.pages) {
      if (isTalkEvent(page.event)) yield* checkTalk(books, notebook, page);
      if (page.get('Decision') !== undefined) yield* checkReviewer(books, notebook, page);
    }
  const words = lastWords(books);
  const verdicts = new Map(books.verdicts.map((verdict) => [verdict.page.id, verdict]));
  for (const page of [...books.formerBest, ...books.best]) {
    const verdict = page.event === 'keep' ? verdicts.get(page.get('Cause') ?? '') : undefined;
    if (verdict !== undefined) yield* checkApproved(words, page, verdict);
  }
}

function* checkTalk(books: Books, notebook: NotebookPages, page: AuditPage): Generator<AuditFinding> {
  const below = books.library.page(page.commit.parents[0]);
  const judged = notebook.verdicts.find((verdict) => verdict.page.id === page.get('Cause'));
  if (page.get('Decision') !== undefined && judged?.page.event !== 'keep')
    return yield about(page, 'a review is about a keep of its notebook', 'a keep', page.get('Cause'));
  const tree = page.get('Decision') === 'reject' ? judged?.below?.commit.tree : below?.commit.tree;
  if (page.commit.parents.length !== 1 || page.commit.tree !== tree)
    yield about(page, `a ${page.event} has the tree of its line`, tree, page.commit.tree);
  const word = page.get('Decision') === 'approve' ? 'approve' : 'deny';
  const cause = page.get('Cause');
  if (page.get('By') === undefined) return;
  if (!books.queue.some((one) => one.event === word && one.get('Cause') === cause))
    yield about(page, `nobody said so on the queue: ${page.get('By')}`, `a ${word} of ${cause}`, undefined);
}

/** Nobody decides on what they made, nor a checker of the maker's model where the brief has another. */
async function* checkReviewer(
  books: Books,
  { verdicts }: NotebookPages,
  page: AuditPage,
): AsyncGenerator<AuditFinding> {
  const tried = verdicts.find((verdict) => verdict.page.id === page.get('Cause'))?.tried;
  const agent = page.get('Agent') ?? '';
  if (tried === undefined || page.get('By') !== undefined) return;
  if (agent === tried.get('Agent')) yield about(page, 'its maker reviewed it', 'somebody else', agent);
  const model = page.get('Model');
  if (model === undefined || model !== tried.get('Model') || page.get('Brief') === undefined) return;
  const brief = await readBriefs(books.library)(page);
  if (!isProblem(brief) && hasOtherChecker(brief.staff, choiceOf(brief.staff, agent)))
    yield about(page, 'a checker has the model of the maker, and another is configured', 'another model', model);
}

/** The keep itself was approved, or the one that it was merged from. */
function* checkApproved(words: Words, page: AuditPage, verdict: JudgedPage): Generator<AuditFinding> {
  const { notebook } = verdict;
  const risk = risks.find((one) => one === notebook.claim?.get('Risk')) ?? 'low';
  if (!isAtLeast(risk, 'high') && words.size === 0) return;
  // What stands in place of best was looked at as such.
  const isAlone = verdict.tried?.get('Alone') !== undefined;
  const chain = isAlone ? new Set([verdict.page.id]) : keepsBehind(verdict);
  const denied = [...chain].map((keep) => words.get(keep)).find((word) => word?.event === 'deny');
  const reviews = notebook.pages.filter((one) => one.event === 'review' && chain.has(one.get('Cause') ?? ''));
  // Who approved it and thinks better of it when it is on best already has said so too late.
  const obeyed = reviews.some((one) => one.get('Decision') === 'approve' && one.get('By') !== undefined);
  if (denied !== undefined && !obeyed)
    return yield about(page, `${denied.get('By')} had denied it`, 'not on best', page.title);
  if (!isAtLeast(risk, 'high')) return;
  if (reviews.some((one) => one.get('Decision') === 'reject'))
    yield about(page, 'a review had rejected it', 'not on best', page.title);
  else if (!reviews.some((one) => isEnough(one, risk)))
    yield about(page, `its risk is ${risk}, and nobody approved it`, 'a review that approves it', undefined);
}

/** What people said last of each keep, by its commit. */
type Words = ReadonlyMap<string, AuditPage>;

const lastWords = ({ queue }: Books): Words =>
  new Map(
    queue.flatMap((page) =>
      page.event === 'approve' || page.event === 'deny' ? [[page.get('Cause') ?? '', page] as const] : [],
    ),
  );

const isEnough = (review: AuditPage, risk: Risk): boolean =>
  review.get('Decision') === 'approve' && (risk !== 'critical' || review.get('By') !== undefined);

function keepsBehind(verdict: JudgedPage): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at: JudgedPage | undefined = verdict; at !== undefined && !found.has(at.page.id); ) {
    found.add(at.page.id);
    const cause: string | undefined = at.tried?.get('Cause');
    at = cause === undefined ? undefined : verdict.notebook.verdicts.find((one) => one.tried?.id === cause);
  }
  return found;
}
