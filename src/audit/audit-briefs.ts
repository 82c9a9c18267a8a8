import type { Brief } from '../domain/words/brief.ts';
import { entryAt } from '../git/objects/tree.ts';
import { readBrief } from '../org/force/pin-brief.ts';
import { isProblem, type Problem } from '../text/problem.ts';
import type { AuditPage, Library } from './audit-library.ts';

type Reader = (page: AuditPage) => Promise<Brief | Problem>;

/** The brief that a commit names, parsed once for all that name it; a Problem when it is not there or cannot be read. */
export function readBriefs(library: Library): Reader {
  const known = readers.get(library);
  if (known !== undefined) return known;
  const briefs = new Map<string, Brief | Problem>();
  const reader: Reader = async (page) => {
    const blob = page.get('Brief') ?? '';
    const before = briefs.get(blob);
    if (before !== undefined) return before;
    const brief = await readOne(library, blob, page.commit.tree);
    briefs.set(blob, brief);
    return brief;
  };
  readers.set(library, reader);
  return reader;
}

const readers = new WeakMap<Library, Reader>();

async function readOne(library: Library, blob: string, tree: string): Promise<Brief | Problem> {
  try {
    return await readBrief(library.org, blob, tree);
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** The id of what a tree has where the brief says that the harness is. */
export async function harnessIn(library: Library, brief: Brief, tree: string): Promise<string | undefined> {
  return (await entryAt(library.org.repo, tree, brief.harness))?.oid;
}
