import { formatRights } from '../../domain/rules/statement.ts';
import { person } from '../../domain/staff/staff.ts';
import { parseLedger } from '../../domain/words/ledger.ts';
import { readTree } from '../../git/objects/tree.ts';
import { appliedRef } from '../../git/refs/ref-names.ts';
import { endorsedAt, guardedPaths, guardedTree } from '../../org/force/endorse-org.ts';
import {
  actsIn,
  isAct,
  isPersons,
  isPersonsDecision,
  judgeDecision,
  noDecisions,
  type Signing,
} from '../../records/requests/requests.ts';
import { costUsd, isPayment, paidUsd, rounded } from '../../spend/books/paid-book.ts';
import { unlessProblem } from '../../text/problem.ts';
import { type Books, checkLineOf } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, remembered, unequal } from '../audit-library.ts';
import { wasRepaired } from './check-notebooks.ts';

/** Each person or manager was asked once by each number, only people have said yes, and nothing was done by a yes that was not there. */
export async function* checkActs(books: Books): AsyncGenerator<AuditFinding> {
  const before: AuditPage[] = [];
  const numbers = new Map<string, Set<string>>([
    ['ask', new Set()],
    ['escalate', new Set()],
  ]);
  const promises = new Set<string>();
  const keeps = new Map(
    books.verdicts.flatMap(({ page }) => (page.event === 'keep' ? [[page.id, page] as const] : [])),
  );
  const mayBeAhead = books.snapshot.moving || wasRepaired(books); // Then a keep may be named that is not here yet, or no more.
  let counted = 0;
  const { wrong } = await judgeQueue(books);
  for (const page of books.queue) {
    if (!page.ours) continue;
    if (page.event === 'approve' || page.event === 'deny') yield* checkWord(page, before, keeps, mayBeAhead);
    const { acts } = parseLedger(page.get('Ledger') ?? '');
    const expected = counted + (isAct(page) ? 1 : 0);
    yield* unequal(page, 'the ledger does not count who was asked and answered', expected, acts);
    counted = acts;
    const why = wrong.get(page.id);
    if (why !== undefined)
      yield about(page, `its ${page.event} does not count: ${why}`, 'a signed statement', page.get('Signer'));
    if (!isAct(page)) continue;
    const id = page.get('Approval') ?? page.get('Escalation') ?? '';
    const given = numbers.get(page.event);
    if (given?.has(id) && !isJoined(page, before)) yield about(page, `${id} is given twice`, 'once', 'twice');
    given?.add(id);
    if ((page.event === 'approve' || page.event === 'deny') && !isPersons(page))
      yield about(page, 'an answer is not from a person', 'a person', page.commit.author.email);
    const broken = page.event === 'escalate' ? page.get('Rule') : undefined;
    const promise = `${page.get('Spec')} ${broken}`;
    if (broken !== undefined && promises.has(promise))
      yield about(page, 'one broken promise is reported twice for a spec', 'once', 'twice');
    if (broken !== undefined) promises.add(promise);
    if (page.event === 'use') yield* checkUse(page, before, id);
    if (why !== undefined) continue;
    if (page.event === 'answer' && !isPersons(page) && page.commit.author.name !== page.get('By'))
      yield about(page, 'somebody answers in the name of another', page.get('By'), page.commit.author.name);
    before.push(page);
  }
}

/** What the decisions of people come to, and why a commit does not count. */
export const judgeQueue = remembered(async ({ queue, library: { org } }: Books) => {
  let state = noDecisions();
  const wrong = new Map<string, string>();
  const endorsed = new Map<AuditPage, Signing>();
  for (const page of queue) {
    if (!page.ours || !(isAct(page) || isPersonsDecision(page))) continue;
    const judged = await judgeDecision(org, state, page);
    state = judged.state;
    if (judged.wrong !== undefined) wrong.set(page.id, judged.wrong);
    else if (page.event === 'endorse' && state.signing !== undefined) endorsed.set(page, state.signing);
  }
  return { state, wrong, endorsed };
});

/** Another agent asks for what was asked for before. */
const isJoined = (page: AuditPage, before: readonly AuditPage[]): boolean => {
  const same = before.filter((one) => one.event === 'ask' && one.get('Approval') === page.get('Approval'));
  const agent = page.get('Agent');
  return same[0]?.get('Act') === page.get('Act') && same.every((one) => one.get('Agent') !== agent);
};

/** A person says yes or no to a request that was asked, or to a keep. */
function* checkWord(
  page: AuditPage,
  before: readonly AuditPage[],
  keeps: ReadonlyMap<string, AuditPage>,
  mayBeAhead: boolean,
) {
  const [request, cause] = [page.get('Approval'), page.get('Cause')];
  if (request !== undefined) {
    if (!before.some((one) => one.event === 'ask' && one.get('Approval') === request))
      yield about(page, `its ${page.event} names a request that nobody asked`, `an ask of ${request}`, undefined);
    return;
  }
  const keep = keeps.get(cause ?? '');
  const words = (one: AuditPage): string => `#${one.get('Experiment')} of ${one.get('Spec')}`;
  if (keep === undefined && !(mayBeAhead && cause !== undefined))
    yield about(page, `its ${page.event} names nothing`, 'a request that was asked, or a keep', cause);
  else if (keep !== undefined && words(keep) !== words(page))
    yield about(page, `its ${page.event} names another experiment than its keep`, words(keep), words(page));
}

/** As the requests stood in the second before. */
function* checkUse(page: AuditPage, before: readonly AuditPage[], id: string) {
  const at = page.commit.committer.at;
  const used = actsIn(before, at).find((act) => act.id === id);
  if (used?.stage.kind !== 'approved')
    yield about(page, `${id} was used, and nobody had said yes`, 'approved', used?.stage.kind ?? 'unasked');
  else if (!used.asked.agents.includes(page.get('Agent') ?? ''))
    yield about(page, `${id} was used by an agent that it is not for`, used.asked.agents.join(', '), page.get('Agent'));
}

/** The sum of a month that a payment carries is that of all payments of the month before it and its own. */
export function* checkPayments(books: Books) {
  const sums = new Map<string, number>();
  for (const page of books.queue) {
    if (!page.ours || !isPayment(page)) continue;
    const month = page.get('Month') ?? '';
    const sum = rounded((sums.get(month) ?? 0) + costUsd(page));
    if (paidUsd(page) !== sum)
      yield about(page, 'what tools have paid in the month is another sum', sum, page.get('Paid'));
    sums.set(month, sum);
  }
}

/** What people offer is kept by the queue as they offered it, and what was tried in their name is what they offered. */
export function* checkOffers(books: Books) {
  if (books.snapshot.moving || wasRepaired(books)) return; // The queue and a notebook may be out of step.
  const offers = new Map<string, AuditPage>();
  for (const page of books.queue) {
    if (!page.ours || page.event !== 'offer') continue;
    const offer = books.library.page(page.parents[1]);
    if (offer?.event !== 'offer' || page.get('Cause') !== offer.id || page.get('Spec') !== offer.get('Spec')) {
      yield about(page, 'the queue does not keep what it says was offered', page.get('Cause'), offer?.title);
      continue;
    }
    offers.set(offer.id, offer);
    yield* checkOffer(books, offer);
  }
  for (const { page, tried, below } of books.verdicts) {
    const isOwn = tried !== undefined && (tried.get('Cause') ?? tried.get('Part')) === undefined;
    if (!isOwn || (tried.get('Agent') !== person && tried.get('Offer') === undefined)) continue;
    const offer = offers.get(tried.get('Offer') ?? '');
    if (offer === undefined || offer.get('Spec') !== tried.get('Spec') || tried.get('Agent') !== person) {
      yield about(tried, 'no person has offered it', `an offer for ${tried.get('Spec')}`, tried.get('Offer'));
      continue;
    }
    const base = books.library.below(offer);
    // On a line that had moved on meanwhile it is a merge, and where nothing was measured it is the line itself.
    const isSame = base?.tree === below?.tree && page.get('Seconds') !== undefined;
    if (isSame && offer.tree !== tried.tree)
      yield about(tried, 'it is not what the person offered', offer.tree, tried.tree);
  }
}

/** An offer stands on a line of its spec's notebook. */
function* checkOffer(books: Books, offer: AuditPage) {
  const spec = offer.get('Spec') ?? '';
  const notebook = books.notebooks.get(spec);
  const [base] = offer.parents;
  if (offer.parents.length !== 1 || !notebook?.pages.some((page) => page.id === base))
    yield about(offer, `it was not made for a line of ${spec}`, 'one commit of its notebook below it', base);
}

/** What an organisation is made of. */
const paths = new Set<string>([...guardedPaths, 'program.md', 'orgrepo.md']);

/** Every organisation that was applied says by whom, begins on the trunk, and brings nothing else along. */
export async function* checkApplied(books: Books) {
  const applied = books.lines.get(appliedRef) ?? [];
  yield* checkLineOf(books, applied, 'what was applied does');
  for (const page of applied) {
    if ((page.get('By') ?? '') === '') yield about(page, 'it does not say who applied it', 'a name', '');
    for (const name of (await readTree(books.library.org.repo, page.tree)).keys())
      if (!paths.has(name)) yield about(page, 'there is something else in its tree', [...paths].join(', '), name);
  }
  const signed = books.queue.filter(({ ours, event }) => ours && event === 'endorse');
  let at = 0;
  for (const page of applied) {
    at = Math.max(at, page.commit.committer.at); // A commit cannot be older than the one below it.
    const acts = actsSigned(signed, at);
    if (acts.length === 0) continue;
    const act = await guardedTree(books.library.org, page.tree);
    if (!acts.includes(act))
      yield about(page, 'nobody has signed the organisation that it applies', acts.join(', '), act);
  }
}

/** People have the rights that ORG.md gave them in the commit that was signed. One that cannot be read any more says nothing. */
export async function* checkRights(books: Books) {
  for (const [page, { act, policies, rights }] of (await judgeQueue(books)).endorsed) {
    const given = await unlessProblem(endorsedAt(books.library.org, page.get('Trunk') ?? ''));
    if (given === undefined) continue;
    const [expected, found] = [given, { act, policies, rights }].map((one) =>
      [`act ${one.act}`, `policies ${one.policies}`, ...formatRights(one.rights)].join(', '),
    );
    yield* unequal(page, 'it puts other rights into force than the commit that it names', expected, found);
  }
}

/**
 * The organisations that may be applied in this second: the one that was signed last, and later ones, because clocks of machines
 * differ. None where nothing had to be signed then.
 */
function actsSigned(endorsed: readonly AuditPage[], at: number): readonly (string | undefined)[] {
  const before = endorsed.findLastIndex(({ commit }) => commit.committer.at < at);
  const then = endorsed.filter(({ commit }, index) => index === before || commit.committer.at === at);
  const isOff = before < 0 || then.some((one) => one.get('Signers') === 'none');
  return isOff ? [] : endorsed.slice(before).map((one) => one.get('Act'));
}
