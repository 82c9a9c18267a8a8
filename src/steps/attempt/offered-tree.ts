import { type BuiltTree, editTree, newObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import type { DirectoryState, Found } from '../../score/arena/arena-directory.ts';
import type { Bench } from './prepare-bench.ts';

/** A file that an agent has left otherwise than it found it. */
export interface FileChange {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: Found | undefined;
}

/** What an agent has changed in its bench. */
export function* differencesIn(bench: Pick<Bench, 'files'>, state: DirectoryState): Generator<FileChange> {
  for (const [file, before] of bench.files) {
    const after = state.files.get(file);
    if (after?.oid !== before.oid || after.mode !== before.mode) yield { path: file, before, after };
  }
  for (const [file, after] of state.files) if (!bench.files.has(file)) yield { path: file, before: undefined, after };
}

/** The tree of a bench with these changes, with the objects that it needs. */
export async function buildTree(
  repo: Repo,
  bench: Pick<Bench, 'line'>,
  state: DirectoryState,
  differences: readonly FileChange[],
): Promise<BuiltTree> {
  const blobs = differences.flatMap(({ path: file }) => {
    const content = state.files.get(file)?.content;
    return content === undefined ? [] : [newObject(repo.hash, 'blob', content)];
  });
  const changes = new Map(
    differences.map(({ path: file, after }) => [
      file,
      after === undefined ? undefined : { mode: after.mode, oid: after.oid },
    ]),
  );
  const tree = await editTree(repo, bench.line.tree, changes);
  return { oid: tree.oid, objects: [...blobs, ...tree.objects] };
}
