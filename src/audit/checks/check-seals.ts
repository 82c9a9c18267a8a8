import type { AuditFinding } from '../../domain/rules/finding.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';
import type { AuditPage } from '../audit-library.ts';

/**
 * Every commit that orgrepo made is as it was when it was sealed. Versions before seals left none, so a branch may begin
 * without them; once there is one, all that follow have theirs.
 */
export function* checkSeals(books: Books): Generator<AuditFinding> {
  const done = new Set<string>();
  const branches = [
    books.formerBest,
    books.best,
    books.queue,
    books.reports,
    ...books.notebooks.map(({ pages }) => pages),
    ...books.spend.values(),
    ...books.traces.values(),
    books.decisions,
    books.applied,
    ...books.tips.values(),
  ];
  for (const pages of branches) {
    let sealed = belowOf(books, pages[0])?.seal === 'whole';
    for (const page of pages) {
      if (page.ours && !done.has(page.id)) yield* checkSeal(page, sealed);
      done.add(page.id);
      sealed ||= page.seal === 'whole';
    }
  }
  const offers = books.queue.map(({ event, commit }) => (event === 'offer' ? commit.parents[1] : undefined));
  const aside = [
    ...books.verdicts.map(({ tried }) => tried),
    ...books.saved.values(),
    ...offers.map((id) => books.library.page(id)),
  ];
  for (const page of aside)
    if (page !== undefined && !done.has(page.id)) yield* checkSeal(page, belowOf(books, page)?.seal === 'whole');
}

const belowOf = (books: Books, page: AuditPage | undefined): AuditPage | undefined =>
  books.library.page(page?.commit.parents[0]);

function* checkSeal(page: AuditPage, mustHaveOne: boolean): Generator<AuditFinding> {
  if (page.seal === 'broken')
    yield about(page, 'the commit is not as it was sealed', page.get('Seal'), 'another checksum');
  else if (page.seal === 'none' && mustHaveOne)
    yield about(page, 'the commit has no seal, and those before it have', 'Org-Seal', undefined);
}
