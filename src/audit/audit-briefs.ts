import type { Brief } from '../domain/words/brief.ts';
import { entryAt, readTree } from '../git/objects/tree.ts';
import { readBrief } from '../org/force/pin-brief.ts';
import { parseSpec } from '../records/queue/spec-text.ts';
import { decodeText } from '../text/decode.ts';
import { isProblem, type Problem } from '../text/problem.ts';
import type { Books } from './audit-books.ts';
import { type AuditPage, type Library, remembered } from './audit-library.ts';

type Reader = (page: AuditPage) => Promise<Brief | Problem>;

/** The brief that a commit names, parsed once for all that name it; a Problem when it is not there or cannot be read. */
export const readBriefs: (library: Library) => Reader = remembered((library) => {
  const briefs = new Map<string, Promise<Brief | Problem>>();
  return (page) => {
    const blob = page.get('Brief') ?? '';
    const brief = briefs.get(blob) ?? readOne(library, blob, page.commit.tree);
    briefs.set(blob, brief);
    return brief;
  };
});

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

/** How many attempts a spec asked for; undefined when it left that to the brief. A finished spec's file is in the queue's past. */
export async function attemptsAsked(books: Books, spec: string): Promise<number | undefined> {
  const { library } = books;
  const { done, tip } = eventsOf(books);
  const last = done.get(spec);
  const at = last === undefined ? tip : library.page(last.commit.parents[0]);
  return at === undefined ? undefined : attemptsIn(library, at.commit.tree, spec);
}

const eventsOf = remembered(({ queue }: Books) => ({
  done: new Map(queue.flatMap((page) => (page.event === 'done' ? [[page.get('Spec') ?? '', page] as const] : []))),
  tip: queue.at(-1),
}));

async function attemptsIn(library: Library, tree: string, spec: string): Promise<number | undefined> {
  const { repo } = library.org;
  const dir = await entryAt(repo, tree, 'specs');
  for (const [name, entry] of dir === undefined ? [] : await readTree(repo, dir.oid)) {
    if (!name.startsWith(spec) || !name.endsWith('.md')) continue;
    const blob = await repo.reader.read(entry.oid);
    try {
      const file = `specs/${name}`;
      const read = parseSpec(blob === undefined ? '' : decodeText(blob.content, file, 'spec/syntax'), file);
      if (read.id === spec) return read.attempts;
    } catch (error) {
      if (!isProblem(error)) throw error; // A file of a person's that is no spec: nobody could claim it.
    }
  }
  return undefined;
}
