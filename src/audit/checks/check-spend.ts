import {
  type Amount,
  add,
  emptySpendLedger,
  type Hold,
  isAmount,
  noSum,
  openLedger,
  type SpendEvent,
  type SpendLedger,
  type Sum,
  sumOf,
} from '../../domain/words/spending.ts';
import { formatAmount, formatSpent } from '../../domain/words/spent.ts';
import { shortRef, spendRef, spendRefs, traceRefs } from '../../git/refs/ref-names.ts';
import { spentIn } from '../../records/entry.ts';
import { spendEventOf } from '../../spend/books/spend-ledger.ts';
import { type Books, checkLineOf, linesBelow } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, unequal } from '../audit-library.ts';

/** Every book adds up from its first entry to its last, and whatever was settled or released was reserved, and just once. */
export function* checkSpend(books: Books) {
  for (const [ref, pages] of linesBelow(books, spendRefs)) yield* checkBook(books, ref, pages);
}

/** A reservation that nobody has ended yet. */
interface Open {
  readonly hold: Hold;
  readonly page: AuditPage;
}

function* checkBook(books: Books, ref: string, pages: readonly AuditPage[]): Generator<AuditFinding> {
  yield* checkLineOf(books, pages, `${shortRef(ref)} does`);
  if (pages[0]?.seal === 'none') yield about(pages[0], 'the commit has no seal', 'Org-Seal', undefined);
  const open = new Map<string, Open>();
  const nights = new Set<string>();
  let ledger = emptySpendLedger;
  for (const page of pages) {
    const event = spendEventOf(page);
    yield* checkForm(books, ref, page);
    // Without it nothing above can add up, so nothing more is said of this book.
    if (event === undefined) return yield about(page, 'what it spends cannot be read', 'tokens, a day and a run', '');
    const wrong = wrongEnd(page, event, open);
    if (wrong !== undefined) return yield wrong;
    if (event.kind === 'reserve') open.set(page.id, { hold: event.hold, page });
    else open.delete(page.get('Cause') ?? '');
    const before = ledger;
    ledger = openLedger([withoutWork(event)], before);
    if (event.kind === 'reserve') yield* checkWhen(page, event.hold, before, nights);
    const [expected, found] = [formatSpent(ledger), page.get('Spent')];
    if (expected !== found) return yield about(page, 'its sums are not those of the entries below it', expected, found);
  }
}

function* checkForm(books: Books, ref: string, page: AuditPage) {
  const host = ref.slice(spendRefs.length);
  yield* unequal(page, "it is in another host's book", host, page.get('Host'));
  yield* unequal(page, 'spending changes no files', books.library.below(page)?.tree ?? page.tree, page.tree);
}

/** The sums that an entry carries are not those of specs and attempts, and a long night has thousands of them. */
const withoutWork = (event: SpendEvent): SpendEvent => ({
  ...event,
  hold: { ...event.hold, spec: undefined, attempt: undefined },
});

/** A day or a night that came back would begin at nothing, and its cap with it. */
function* checkWhen(page: AuditPage, hold: Hold, before: SpendLedger, nights: Set<string>) {
  if (hold.day < before.day) yield about(page, 'it counts for a day that is over', before.day, hold.day);
  if (hold.night !== before.night && nights.has(hold.night))
    yield about(page, 'it counts for a night that is over', before.night, hold.night);
  nights.add(hold.night);
}

function wrongEnd(page: AuditPage, event: SpendEvent, open: ReadonlyMap<string, Open>): AuditFinding | undefined {
  if (event.kind === 'reserve') return undefined;
  const cause = page.get('Cause');
  const reserved = open.get(cause ?? '');
  if (reserved === undefined)
    return about(page, `it ${event.kind}s what is not reserved, or no more`, 'an open reservation', cause);
  const [was, is] = [reserved.hold, event.hold].map(inWords);
  if (was !== is || reserved.page.get('Model') !== page.get('Model'))
    return about(page, 'it is the end of another reservation', was, is);
  if (event.kind === 'settle' && isMore(event.counted, event.hold))
    return about(page, 'more is counted than was reserved', inWords(event.hold), formatAmount(event.counted));
  return undefined;
}

const inWords = ({ agent, spec, attempt, day, night, most, rest }: Hold): string =>
  [agent, spec ?? '-', attempt ?? '-', day, night, formatAmount(most), ...(rest ? ['at least'] : [])].join(' ');

/** A program that cannot be stopped between two calls may have used more than was reserved for it. */
function isMore(counted: Amount, { most, rest }: Hold): boolean {
  const [a, b] = [sumOf(counted), sumOf(most)];
  const priced = (counted.usd === undefined) === (most.usd === undefined);
  if (priced && rest) return false;
  return !priced || a.nanos > b.nanos || a.tokensIn > b.tokensIn || a.tokensOut > b.tokensOut;
}

/**
 * The book of a host holds at least what the tries of each spec say was spent on them there. A clone may have an older book
 * than its branches, so only tries count whose trace is here: traces and books are pushed and fetched together.
 */
export function* checkSpentTries(books: Books) {
  const traced = new Set([...linesBelow(books, traceRefs).values()].flat().map((page) => page.get('Cause')));
  const tries = books.verdicts.flatMap(({ tried }) => (tried !== undefined && traced.has(tried.id) ? [tried] : []));
  const spent = new Map<string, { readonly sum: Sum; readonly last: AuditPage }>();
  for (const tried of tries) {
    const used = spentIn(tried);
    const book = spendRef(tried.get('Host') ?? '');
    if (used === undefined || !isAmount({ ...used, usd: undefined }) || !books.lines.has(book)) continue;
    const key = `${book} ${tried.get('Spec')}`;
    spent.set(key, { sum: add(spent.get(key)?.sum ?? noSum, sumOf({ ...used, usd: undefined })), last: tried });
  }
  if (spent.size === 0) return;
  const booked = bookedIn(books);
  for (const [key, { sum, last }] of spent) {
    const reserved = booked.get(key) ?? noSum;
    if (reserved === 'open' || (reserved.tokensIn >= sum.tokensIn && reserved.tokensOut >= sum.tokensOut)) continue;
    yield about(
      last,
      'the book of spending holds less than was spent on its spec',
      tokensInWords(sum),
      tokensInWords(reserved),
    );
  }
}

/** What was settled for each spec. Where a call was never settled nobody knows how much it used. */
function bookedIn(books: Books): ReadonlyMap<string, Sum | 'open'> {
  const sums = new Map<string, Sum | 'open'>();
  for (const [ref, pages] of linesBelow(books, spendRefs)) {
    const ended = new Set(pages.map((page) => page.get('Cause')));
    for (const page of pages) {
      const event = spendEventOf(page);
      const key = `${ref} ${event?.hold.spec}`;
      const before = sums.get(key) ?? noSum;
      if (before === 'open') continue;
      if (event?.kind === 'settle') sums.set(key, add(before, sumOf({ ...event.counted, usd: undefined })));
      if (event?.kind === 'reserve' && !ended.has(page.id)) sums.set(key, 'open');
    }
  }
  return sums;
}

const tokensInWords = ({ tokensIn, tokensOut }: Sum): string => `${tokensIn} tokens in, ${tokensOut} out`;
