import { choiceOf } from '../../domain/staff/staff.ts';
import { gainOver, parseNoise } from '../../domain/words/score.ts';
import { isAtLeast, type Risk, risks } from '../../domain/words/spec.ts';
import { pinBlob, pinBrief } from '../../org/force/pin-brief.ts';
import { hasOtherChecker } from '../../org/rules/roster.ts';
import { isTalkEvent } from '../../records/notebook/notebook.ts';
import { isProblem, orProblem } from '../../text/problem.ts';
import type { Books, JudgedPage, NotebookPages } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, unequal } from '../audit-library.ts';

/** Each commit of orgrepo/best is a baseline or takes a candidate that a notebook keeps, byte for byte, and is better than the one before. */
export async function* checkBest(books: Books) {
  const verdicts = new Map(books.verdicts.map((verdict) => [verdict.page.id, verdict]));
  for (const page of [...books.formerBest, ...books.best]) {
    const before = books.library.below(page);
    if (page.event === 'keep') yield* checkKeep(books, page, before, verdicts.get(page.get('Cause') ?? ''));
    else yield* checkBaseline(books, page, before);
  }
}

async function* checkKeep(
  books: Books,
  page: AuditPage,
  before: AuditPage | undefined,
  verdict: JudgedPage | undefined,
): AsyncGenerator<AuditFinding> {
  const [, second, third] = page.parents;
  const tried = books.library.page(second);
  if (before === undefined || !before.ours || second === undefined || third !== undefined)
    return yield about(
      page,
      'a keep is a merge of the best before it and a candidate',
      'two parents',
      page.parents.length,
    );
  if (verdict?.page.event !== 'keep' || verdict.tried?.id !== second)
    return yield about(page, 'no notebook keeps this candidate', `a keep of ${second}`, page.get('Cause'));
  yield* unequal(page, 'its tree is not the one that was measured', tried?.tree, page.tree);
  for (const key of ['Experiment', 'Agent', 'Metric', 'Score', 'Samples', 'Numbers', 'Harness', 'Brief'])
    yield* unequal(page, `it differs from its verdict in Org-${key}`, verdict.page.get(key), page.get(key));
  yield* checkGain(books, page, before, verdict);
}

/** Where the metric is noisy the verdict itself is the gain: scores of different seeds cannot be compared. */
async function* checkGain(books: Books, page: AuditPage, before: AuditPage, verdict: JudgedPage) {
  if (verdict.page.get('Against') !== undefined || parseNoise(verdict.page.get('Noise')) !== undefined) return;
  if (before.get('Harness') !== page.get('Harness') || before.get('Metric') !== page.get('Metric')) return;
  const brief = await books.library.brief(page);
  const [score, last] = [page.number('Score'), before.number('Score')];
  const gain = isProblem(brief) ? 1 : gainOver(score ?? Number.NaN, last ?? Number.NaN, brief.direction);
  const simpler = verdict.page.get('Part') !== undefined; // A change with an idle part left out need only be as good.
  if (gain > 0 || (simpler && gain === 0)) return;
  yield about(page, 'it is not better than the best before it', `better than ${last}`, score);
}

/** A baseline is the trunk, or best and the trunk, under the brief and the harness that the trunk has. */
async function* checkBaseline(
  books: Books,
  page: AuditPage,
  before: AuditPage | undefined,
): AsyncGenerator<AuditFinding> {
  if (before === undefined || page.parents.length > 2)
    return yield about(
      page,
      'a baseline stands on the trunk, or on best and the trunk',
      'one or two parents',
      page.parents.length,
    );
  const second = books.library.page(page.parents[1]);
  const trunk = second ?? (before.ours ? undefined : before);
  if (second === undefined && page.tree !== before.tree)
    yield about(page, 'its tree is not the one it stands on', before.tree, page.tree);
  if (page.number('Score') === undefined) yield about(page, 'a baseline has a score', 'Org-Score', page.get('Score'));
  const { org } = books.library;
  // Best under a changed brief names no commit of the trunk; its tree still has the harness.
  const pinned = await orProblem(
    trunk === undefined ? pinBlob(org, page.get('Brief') ?? '', page.tree) : pinBrief(org, trunk.id),
  );
  if (isProblem(pinned))
    return yield about(page, 'what it was measured by cannot be had', 'brief and harness', pinned.message);
  const own = await orProblem(pinBlob(org, pinned.blob, page.tree));
  const ids = { Harness: pinned.harness, Brief: pinned.blob };
  for (const [key, id] of Object.entries(ids)) yield* unequal(page, `Org-${key} is not the trunk's`, id, page.get(key));
  if (isProblem(own) || own.harness !== pinned.harness)
    yield about(
      page,
      'the harness in its tree is not the one it was measured by',
      pinned.harness,
      isProblem(own) ? own.message : own.harness,
    );
}

/** What was said in notebooks changes nothing but what it says, and a risky keep is on best only with an approval. */
export async function* checkReviews(books: Books) {
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
  const below = books.library.below(page);
  const judged = notebook.verdicts.find((verdict) => verdict.page.id === page.get('Cause'));
  if (page.get('Decision') !== undefined && judged?.page.event !== 'keep')
    return yield about(page, 'a review is about a keep of its notebook', 'a keep', page.get('Cause'));
  const tree = page.get('Decision') === 'reject' ? judged?.below?.tree : below?.tree;
  if (page.parents.length !== 1 || page.tree !== tree)
    yield about(page, `a ${page.event} has the tree of its line`, tree, page.tree);
  const word = page.get('Decision') === 'approve' ? 'approve' : 'deny';
  const cause = page.get('Cause');
  if (page.get('By') === undefined) return;
  if (!books.queue.some((one) => one.event === word && one.get('Cause') === cause))
    yield about(page, `nobody said so on the queue: ${page.get('By')}`, `a ${word} of ${cause}`, undefined);
}

/** Nobody decides on what they made, nor a checker of the maker's model where the brief has another. */
async function* checkReviewer(books: Books, { verdicts }: NotebookPages, page: AuditPage) {
  const tried = verdicts.find((verdict) => verdict.page.id === page.get('Cause'))?.tried;
  const agent = page.get('Agent') ?? '';
  if (tried === undefined || page.get('By') !== undefined) return;
  if (agent === tried.get('Agent')) yield about(page, 'its maker reviewed it', 'somebody else', agent);
  const model = page.get('Model');
  if (model === undefined || model !== tried.get('Model') || page.get('Brief') === undefined) return;
  const brief = await books.library.brief(page);
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
  // A person who withdraws an approval after it is on best is too late.
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
