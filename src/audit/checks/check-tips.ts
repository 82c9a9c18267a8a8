import type { AuditFinding } from '../../domain/rules/finding.ts';
import { tipsRef } from '../../git/refs/ref-names.ts';
import { parseTips } from '../../records/notebook/tips.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';
import type { AuditPage } from '../audit-library.ts';
import { isMended } from './check-numbers.ts';
import { checkNotMovedBack } from './check-refs.ts';

/**
 * Nothing that a run left is gone. A branch is held against the last run that tells of it, since a person may have deleted it
 * to start over. A book need not be in every clone: it is missed only where its commits are there and the ref is not.
 */
export async function* checkTips(books: Books): AsyncGenerator<AuditFinding> {
  for (const [ref, pages] of books.tips) yield* checkForm(books, ref, pages);
  if (isMended(books)) return; // What a power failure took may be named.
  const wanted = new Map<string, { readonly ref: string; readonly id: string; readonly by: string }>();
  const all = [...books.tips.values()].flat().sort((a, b) => a.commit.committer.at - b.commit.committer.at);
  for (const page of all)
    for (const [ref, id] of parseTips(page.get('Tips')))
      wanted.set(isBranch(ref) ? ref : `${ref} ${id}`, { ref, id, by: page.id.slice(0, 7) });
  for (const { ref, id, by } of wanted.values())
    if (isBranch(ref) || (await books.library.org.repo.reader.has(id)))
      yield* checkNotMovedBack(books, ref, id, `the run that ${by} tells of left it at`);
}

const isBranch = (ref: string): boolean => ref.startsWith('refs/heads/');

function* checkForm({ library }: Books, ref: string, pages: readonly AuditPage[]): Generator<AuditFinding> {
  const below = library.page(pages[0]?.commit.parents[0]);
  if (pages[0] !== undefined && (below === undefined || below.ours))
    yield about(pages[0], `${ref} does not begin on the trunk`, 'a commit of the trunk', below?.title);
  for (const page of pages) {
    if (page.commit.parents.length !== 1) yield about(page, 'it follows one commit', 1, page.commit.parents.length);
    if (tipsRef(page.get('Host') ?? '') !== ref) yield about(page, 'it is of another host', ref, page.get('Host'));
    if (page.commit.tree !== pages[0]?.commit.tree)
      yield about(page, 'it changes no files', pages[0]?.commit.tree, page.commit.tree);
  }
}
