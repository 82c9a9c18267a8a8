import type { Brief } from '../../domain/words/brief.ts';
import type { Verdict } from '../../domain/words/experiment.ts';
import { type BuiltTree, editTree, newObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { gitFileChanged, type Worktree } from '../../git/worktree.ts';
import { contentOf, type DirectoryState, type Found } from '../../score/arena/arena-directory.ts';
import { secretIn } from '../../score/arena/boundary-check.ts';
import {
  breaches,
  breachesInWords,
  seedChanges,
  seedChangesInWords,
  type TextChange,
  zonesOf,
} from '../../score/judge/boundary.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import type { Bench } from './prepare-bench.ts';

/** A file that an agent has changed, added or removed. */
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

/** The tree of a bench with these changes, and the objects that it needs. */
export async function buildTree(
  repo: Repo,
  bench: Pick<Bench, 'line'>,
  state: DirectoryState,
  differences: readonly FileChange[],
): Promise<BuiltTree> {
  const blobs = differences.flatMap(({ path }) => {
    const content = state.files.get(path)?.content;
    return content === undefined ? [] : [newObject(repo.hash, 'blob', content)];
  });
  const tree = await editTree(repo, bench.line.tree, new Map(differences.map(({ path, after }) => [path, after])));
  return { oid: tree.oid, objects: [...blobs, ...tree.objects] };
}

/** What was done in a bench that the brief does not allow, in words; undefined when there is nothing. */
export function overstepIn(
  { worktree, brief }: { readonly worktree: Worktree; readonly brief: Brief },
  state: DirectoryState,
  differences: readonly FileChange[],
): string | undefined {
  const left = [...state.odd, ...differences.filter(({ after }) => after !== undefined)];
  const named = left.map(({ path: file }) => findSecret(file)).find((name) => name !== undefined);
  // Asked before a name is cut for a message: half a secret is not recognised.
  if (named !== undefined) return `holds the secret ${named} in the name of a file`;
  const touched = [
    ...state.odd.map(({ path: odd, what }) => `left ${JSON.stringify(odd)}, ${what}`),
    ...(gitFileChanged(worktree) ? ['changed .git of its bench'] : []),
    ...breaches(
      differences.map(({ path: file, before, after }) => ({
        path: file,
        before: before?.mode,
        after: after?.mode,
        bytes: state.files.get(file)?.content?.length,
      })),
      zonesOf(brief),
    ),
  ];
  return touched.length === 0 ? undefined : breachesInWords(touched);
}

/** Why a change within the boundary is not measured: it holds a secret, or only sets another seed. */
export async function unfitChange(
  repo: Repo,
  differences: readonly FileChange[],
): Promise<(Pick<Verdict, 'reason'> & { readonly event: 'tampered' | 'discard' }) | undefined> {
  const secret = await secretIn(repo, differences);
  if (secret !== undefined) return secret;
  const seeds = seedChanges(await textsOf(repo, differences));
  return seeds && { event: 'discard', reason: seedChangesInWords(seeds) };
}

/** The changed files as text; none when one of them is new, gone, long or binary, and so more than another seed. */
async function textsOf(repo: Repo, differences: readonly FileChange[]): Promise<TextChange[]> {
  const texts: TextChange[] = [];
  for (const { path: file, before, after } of differences) {
    if (before === undefined || after?.content === undefined || after.content.length > longestText) return [];
    const content = await contentOf(repo, before.oid);
    if (content.length > longestText || content.includes(0) || after.content.includes(0)) return [];
    texts.push({ path: file, before: content.toString('utf8'), after: after.content.toString('utf8') });
  }
  return texts;
}

const longestText = 1_000_000;
