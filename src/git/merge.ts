import { tryPlainGit } from './plain.ts';
import type { Repo } from './repo.ts';
import { gitProblem } from './run.ts';

export type Merged =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** Merges two commits in memory; no work tree and no index are touched. */
export async function mergeTrees(repo: Repo, ours: string, theirs: string): Promise<Merged> {
  await repo.store.flush();
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', ours, theirs];
  const ran = await tryPlainGit(repo, args);
  const [tree, ...paths] = ran.stdout.text.split('\0').filter((part) => part !== '');
  if (ran.code === 0 && tree !== undefined) return { kind: 'clean', tree };
  if (ran.code === 1 && tree !== undefined) return { kind: 'conflict', paths };
  throw gitProblem(args, ran);
}

export async function isAncestor(repo: Repo, ancestor: string, of: string): Promise<boolean> {
  await repo.store.flush();
  const args = ['merge-base', '--is-ancestor', ancestor, of];
  const ran = await tryPlainGit(repo, args);
  if (ran.code === 0 || ran.code === 1) return ran.code === 0;
  throw gitProblem(args, ran);
}

/** The change between two commits or trees as text for people, with no program of anybody's in between. */
export async function diffText(repo: Repo, before: string, after: string): Promise<string> {
  const args = ['diff-tree', '-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', before, after];
  const ran = await tryPlainGit(repo, args);
  if (ran.code !== 0) throw gitProblem(args, ran);
  return ran.stdout.text;
}
