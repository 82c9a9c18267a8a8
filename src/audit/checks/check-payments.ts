import type { AuditFinding } from '../../domain/rules/finding.ts';
import { costUsd, isPayment, paidUsd, rounded } from '../../spend/books/paid-book.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';

/** The sum of a month that a payment carries is that of all payments of the month before it and its own. */
export function* checkPayments(books: Books): Generator<AuditFinding> {
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
