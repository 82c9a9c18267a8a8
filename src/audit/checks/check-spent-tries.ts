import type { AuditFinding } from '../../domain/rules/finding.ts';
import { add, isAmount, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { spendRef } from '../../git/refs/ref-names.ts';
import { spentIn } from '../../records/entry.ts';
import { spendEventOf } from '../../spend/books/spend-entry.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';
import type { AuditPage } from '../audit-library.ts';

/**
 * The book of a host holds at least what the tries of each spec say was spent on them there. A clone may have an older book
 * than its branches, so only tries count whose trace is here: traces and books are pushed and fetched together.
 */
export function* checkSpentTries(books: Books): Generator<AuditFinding> {
  const traced = new Set([...books.traces.values()].flat().map((page) => page.get('Cause')));
  const tries = books.verdicts.flatMap(({ tried }) => (tried !== undefined && traced.has(tried.id) ? [tried] : []));
  const spent = new Map<string, { readonly sum: Sum; readonly last: AuditPage }>();
  for (const tried of tries) {
    const used = spentIn(tried);
    const book = spendRef(tried.get('Host') ?? '');
    if (used === undefined || !isAmount({ ...used, usd: undefined }) || !books.spend.has(book)) continue;
    const key = `${book} ${tried.get('Spec')}`;
    spent.set(key, { sum: add(spent.get(key)?.sum ?? noSum, sumOf({ ...used, usd: undefined })), last: tried });
  }
  if (spent.size === 0) return;
  const booked = bookedIn(books);
  for (const [key, { sum, last }] of spent) {
    const held = booked.get(key) ?? noSum;
    if (held === 'open' || (held.tokensIn >= sum.tokensIn && held.tokensOut >= sum.tokensOut)) continue;
    yield about(last, 'the book of spending holds less than was spent on its spec', inWords(sum), inWords(held));
  }
}

/** What was settled for each spec. Where a call was never settled nobody knows how much it used. */
function bookedIn(books: Books): ReadonlyMap<string, Sum | 'open'> {
  const sums = new Map<string, Sum | 'open'>();
  for (const [ref, pages] of books.spend) {
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

const inWords = ({ tokensIn, tokensOut }: Sum): string => `${tokensIn} tokens in, ${tokensOut} out`;
