import { listSubstitutes } from '../../git/objects/damage.ts';
import { isTree, readTree } from '../../git/objects/tree.ts';
import type { Books } from '../audit-books.ts';
import { type AuditPage, about, aboutPlace, type Library } from '../audit-library.ts';

/** Objects that are not what their ids say, each with the oldest commit that needs it. */
export async function* badObjects(library: Library, books: Books) {
  const { bad, complaint } = library;
  if (bad.length === 0 && complaint !== undefined)
    yield aboutPlace('git', 'git cannot go through the history', 'no complaint', complaint);
  if (bad.length === 0) return;
  const ids = new Set(bad.map(({ oid }) => oid));
  const needed = await firstNeeds(library, books, ids);
  for (const one of bad) {
    const found =
      one.kind === 'other'
        ? `an object whose id is ${one.id}`
        : one.kind === 'missing'
          ? 'nothing'
          : 'a damaged object';
    const page = needed.get(one.oid);
    const [what, expected] = ['an object is not what its id says', `the object ${one.oid}`];
    yield page === undefined ? aboutPlace(one.oid, what, expected, found) : about(page, what, expected, found);
  }
}

/** The oldest of our commits that lead to these objects. */
async function firstNeeds(library: Library, books: Books, ids: ReadonlySet<string>): Promise<Map<string, AuditPage>> {
  const pages = [
    ...books.formerBest,
    ...books.queue,
    ...[...books.notebooks.values()].flatMap(({ pages }) => pages),
    ...[...books.lines.values()].flat(),
    ...[...books.verdicts.map(({ tried }) => tried), ...books.saved.values()].filter((page) => page !== undefined),
  ].sort((a, b) => a.commit.committer.at - b.commit.committer.at);
  const found = new Map<string, AuditPage>();
  const clean = new Set<string>();
  for (const page of pages) {
    for (const id of await within(library, page.tree, ids, clean)) if (!found.has(id)) found.set(id, page);
    if (found.size === ids.size) break;
  }
  return found;
}

async function within(library: Library, tree: string, ids: ReadonlySet<string>, clean: Set<string>): Promise<string[]> {
  if (ids.has(tree)) return [tree];
  if (clean.has(tree) || !library.has(tree)) return []; // What nobody could read is not asked for again.
  const found: string[] = [];
  for (const entry of (await readTree(library.org.repo, tree)).values()) {
    if (ids.has(entry.oid)) found.push(entry.oid);
    else if (isTree(entry)) found.push(...(await within(library, entry.oid, ids, clean)));
  }
  if (found.length === 0) clean.add(tree);
  return found;
}

/**
 * Nothing makes git show a person another history than the one that is checked here. What a person substitutes for
 * objects that orgrepo's refs do not lead to is their own affair.
 */
export async function* checkSubstitutes(library: Library) {
  for (const { id, kind, where, says } of await listSubstitutes(library.org.repo)) {
    if (!library.has(id)) continue;
    const title = library.page(id)?.title;
    const named = title === undefined ? id : `${id} (${title})`;
    yield kind === 'replace'
      ? aboutPlace(
          where,
          `git shows another object in place of ${named}`,
          `none: git replace -d ${id}`,
          `the object ${says}`,
        )
      : aboutPlace(where, `git shows other parents of ${named}`, `no line for it: take it out of ${where}`, says);
  }
}

/**
 * Every commit that orgrepo made is as it was when it was sealed. Versions before seals left none, so a branch may begin
 * without them; once there is one, all that follow have theirs.
 */
export function* checkSeals(books: Books) {
  const done = new Set<string>();
  const branches = [
    books.formerBest,
    books.queue,
    ...[...books.notebooks.values()].map(({ pages }) => pages),
    ...books.lines.values(),
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

const belowOf = (books: Books, page: AuditPage | undefined): AuditPage | undefined => books.library.below(page);

function* checkSeal(page: AuditPage, mustHaveOne: boolean) {
  if (page.seal === 'broken')
    yield about(page, 'the commit is not as it was sealed', page.get('Seal'), 'another checksum');
  else if (page.seal === 'none' && mustHaveOne)
    yield about(page, 'the commit has no seal, and those before it have', 'Org-Seal', undefined);
}
