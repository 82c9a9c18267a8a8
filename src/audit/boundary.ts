import { breach, type Difference } from '../domain/boundary.ts';
import type { Brief } from '../domain/brief.ts';
import { type Entry, isTree, readTree } from '../git/tree.ts';
import { type Globs, readGlobs } from '../text/globs.ts';
import type { Library } from './library.ts';

/** Everything by which a candidate's tree oversteps what the brief lets an agent change in its base, in words. */
export async function breachesOf(library: Library, base: string, tree: string, brief: Brief): Promise<string[]> {
  const { names } = sandboxOf(brief);
  const found: string[] = [];
  for await (const difference of differences(library, base, tree, '')) {
    const words = breach(difference, names);
    if (words !== undefined) found.push(words);
  }
  return found;
}

/** Directories that are the same are not entered. */
async function* differences(
  library: Library,
  before: string | undefined,
  after: string | undefined,
  prefix: string,
): AsyncGenerator<Difference> {
  if (before === after) return;
  const { repo } = library.org;
  const [old, now] = await Promise.all(
    [before, after].map(async (oid) => (oid === undefined ? new Map<string, Entry>() : readTree(repo, oid))),
  );
  for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [was, is] = [old?.get(name), now?.get(name)];
    if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
    const path = prefix + name;
    const files = { before: isTree(was) ? undefined : was?.mode, after: isTree(is) ? undefined : is?.mode };
    if (files.before !== undefined || files.after !== undefined) yield { path, ...files };
    if (isTree(was) || isTree(is))
      yield* differences(library, isTree(was) ? was.oid : undefined, isTree(is) ? is.oid : undefined, `${path}/`);
  }
}

const sandboxes = new WeakMap<Brief, Globs>();

function sandboxOf(brief: Brief): Globs {
  const globs = sandboxes.get(brief) ?? readGlobs(brief.sandbox);
  sandboxes.set(brief, globs);
  return globs;
}
