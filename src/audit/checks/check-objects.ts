import type { AuditFinding } from '../../domain/rules/finding.ts';
import { isTree, readTree } from '../../git/objects/tree.ts';
import type { Books } from '../audit-books.ts';
import { about, aboutPlace } from '../audit-finding.ts';
import type { AuditPage, Library } from '../audit-library.ts';

/** Objects that are not what their ids say, each with the oldest commit that needs it. */
export async function* badObjects(library: Library, books: Books): AsyncGenerator<AuditFinding> {
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
    ...[...books.best, ...books.formerBest, ...books.queue, ...books.reports],
    ...books.notebooks.flatMap((notebook) => notebook.pages),
    ...[...books.spend.values(), ...books.traces.values()].flat(),
    ...[...books.verdicts.map(({ tried }) => tried), ...books.saved.values()].filter((page) => page !== undefined),
  ].sort((a, b) => a.commit.committer.at - b.commit.committer.at);
  const found = new Map<string, AuditPage>();
  const clean = new Set<string>();
  for (const page of pages) {
    for (const id of await within(library, page.commit.tree, ids, clean)) if (!found.has(id)) found.set(id, page);
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
