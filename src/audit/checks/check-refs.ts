import type { AuditFinding } from '../../domain/rules/finding.ts';
import { bestRef, queueRef, shortRef, tipsRef, tipsRefs, wipRef, wipRefs, workRef } from '../../git/refs/ref-names.ts';
import { isOrgRef } from '../../org/rules/org-refs.ts';
import { parseTips } from '../../records/notebook/run-end.ts';
import { type Books, checkLineOf, kindInWords, linesBelow, pagesAt } from '../audit-books.ts';
import { type AuditPage, about, aboutPlace, aboutTip, type Library, remembered, unequal } from '../audit-library.ts';
import type { Snapshot } from '../snapshot.ts';
import { isMended } from './check-numbers.ts';

/** What can be told of refs before anything behind them is read. */
export function* checkRefFiles({ refs, broken }: Snapshot): Generator<AuditFinding> {
  for (const { ref, expected, found } of broken) yield aboutPlace(ref, 'the ref cannot be read', expected, found);
  for (const ref of refs.keys())
    if (!isOrgRef(ref)) yield aboutPlace(ref, 'orgrepo makes no such ref', 'no ref of this name', ref);
}

/** Every ref leads to a commit of its own kind, none is missing, and none was moved back. */
export async function* checkRefs(books: Books): AsyncGenerator<AuditFinding> {
  const { snapshot, library } = books;
  for (const [ref, tip] of snapshot.refs) {
    const page = library.page(tip);
    if (page === undefined) yield aboutPlace(ref, 'the ref does not name a commit', 'a commit', tip);
    else if (!booksOf(books, ref).has(tip))
      yield about(
        page,
        `${shortRef(ref)} is at a commit that does not belong there`,
        kindInWords(ref),
        page.event || 'no commit of orgrepo',
      );
  }
  yield* checkMissing(books);
  for (const [ref, id] of snapshot.replaced)
    if (!booksOf(books, ref).has(id) && !(ref.startsWith(wipRefs) && (await library.org.repo.reader.has(id))))
      yield aboutPlace(ref, 'packed-refs holds a value that the ref never had', 'a commit below its tip', id);
  for (const [ref, id] of snapshot.left) yield* checkNotMovedBack(books, ref, id, 'this clone last left it at');
  const end = books.queue.findLast((page) => page.event === 'end');
  for (const [ref, id] of parseTips(end?.get('Tips')))
    yield* checkNotMovedBack(books, ref, id, `the run that ended with ${end?.id.slice(0, 7)} left it at`);
}

/** The commits that a ref has had, for as far as its branch tells. */
function booksOf(books: Books, ref: string): ReadonlySet<string> {
  const known = idsOfRefs(books);
  const ids = known.get(ref) ?? new Set(pagesAt(books, ref).map((page) => page.id));
  known.set(ref, ids);
  return ids;
}

const idsOfRefs = remembered((_: Books) => new Map<string, ReadonlySet<string>>());

function* checkMissing({ snapshot, notebooks, queue }: Books): Generator<AuditFinding> {
  const { refs } = snapshot;
  if (refs.size === 0) return;
  if (!refs.has(queueRef)) yield aboutPlace(queueRef, 'the queue is missing', 'a branch', undefined);
  if (notebooks.size > 0 && !refs.has(bestRef)) yield aboutPlace(bestRef, 'best is missing', 'a branch', undefined);
  for (const page of queue) {
    const named = [page.event === 'claim' || page.event === 'done' ? page.get('Spec') : undefined, page.get('Next')];
    for (const spec of named)
      if (spec !== undefined && !refs.has(workRef(spec)))
        yield about(page, `the notebook of ${spec} is missing`, workRef(spec), undefined);
  }
}

/** A branch only ever grows, so what it once stood at is part of it. */
function* checkNotMovedBack(books: Books, ref: string, id: string, who: string): Generator<AuditFinding> {
  const now = books.snapshot.refs.get(ref);
  if (now === id || booksOf(books, ref).has(id)) return;
  if (ref.startsWith(wipRefs) && now !== undefined && isLater(books.library, now, id)) return;
  yield aboutTip(ref, `${shortRef(ref)} was moved back or taken away`, `${who} ${id}`, now);
}

/** A saved candidate is replaced by the next one of its spec: its number is higher. */
function isLater(library: Library, now: string, before: string): boolean {
  const [a, b] = [numberAt(library, now), numberAt(library, before)];
  return b === undefined || (a !== undefined && (a > b || (a === b && library.page(now)?.event === 'wip')));
}

/** The number of a saved candidate; edits that were not offered yet stand on top of one. */
function numberAt(library: Library, id: string): number | undefined {
  const page = library.page(id);
  return (page?.event === 'wip' ? library.page(page.commit.parents[0]) : page)?.number('Experiment');
}

/** Edits and candidates that are saved belong to the spec that they are saved for, and stand on its notebook. */
export function* checkSaved(books: Books): Generator<AuditFinding> {
  for (const [spec, page] of books.saved) {
    if (page === undefined) continue;
    yield* unequal(page, `${wipRef(spec)} holds a candidate of another spec`, spec, page.get('Spec'));
    const notebook = books.notebooks.get(spec);
    const tried = page.event === 'wip' ? books.library.page(page.commit.parents[0]) : page;
    if (notebook === undefined || tried?.event !== 'try' || books.snapshot.moving) continue;
    const at = notebook.verdicts.findIndex((verdict) => verdict.tried?.id === tried.id);
    const later =
      at < 0 ? undefined : notebook.verdicts.slice(at + 1).find(({ page: one }) => one.get('Seconds') !== undefined);
    if (later !== undefined)
      yield about(
        page,
        `${wipRef(spec)} was moved back to an older candidate`,
        `#${later.page.get('Experiment')} or a later one`,
        `#${tried.get('Experiment')}`,
      );
  }
}

/**
 * Nothing that a run left is gone. A branch is held against the last run that tells of it, since a person may have deleted it
 * to start over. A book need not be in every clone: it is missed only where its commits are there and the ref is not.
 */
export async function* checkTips(books: Books): AsyncGenerator<AuditFinding> {
  const lines = linesBelow(books, tipsRefs);
  for (const [ref, pages] of lines) yield* checkForm(books, ref, pages);
  if (isMended(books)) return; // What a power failure took may be named.
  const wanted = new Map<string, { readonly ref: string; readonly id: string; readonly by: string }>();
  const all = [...lines.values()].flat().sort((a, b) => a.commit.committer.at - b.commit.committer.at);
  for (const page of all)
    for (const [ref, id] of parseTips(page.get('Tips')))
      wanted.set(isBranch(ref) ? ref : `${ref} ${id}`, { ref, id, by: page.id.slice(0, 7) });
  for (const { ref, id, by } of wanted.values())
    if (isBranch(ref) || (await books.library.org.repo.reader.has(id)))
      yield* checkNotMovedBack(books, ref, id, `the run that ${by} tells of left it at`);
}

const isBranch = (ref: string): boolean => ref.startsWith('refs/heads/');

function* checkForm(books: Books, ref: string, pages: readonly AuditPage[]): Generator<AuditFinding> {
  yield* checkLineOf(books, pages, `${ref} does`);
  for (const page of pages) {
    if (tipsRef(page.get('Host') ?? '') !== ref) yield about(page, 'it is of another host', ref, page.get('Host'));
    yield* unequal(page, 'it changes no files', pages[0]?.commit.tree, page.commit.tree);
  }
}
