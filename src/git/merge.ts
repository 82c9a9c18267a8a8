import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Ran } from '../process/run-process.ts';
import { Problem } from '../text/problem.ts';
import { type Identity, newCommit, readCommit } from './objects/commit.ts';
import { isTree, readTree, storeObject } from './objects/tree.ts';
import type { Repo } from './repo.ts';
import { git, gitProblem, tryGit } from './run-git.ts';
import { whyUnwritable } from './worktree.ts';

type Merged =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** Merges two commits in memory; no work tree and no index are touched. */
export async function mergeTrees(repo: Repo, ours: string, theirs: string): Promise<Merged> {
  for (let attempt = 1; ; attempt++) {
    const merged = await mergeOnce(repo, ours, theirs, attempt > 10);
    if (merged === undefined) continue;
    if (merged.kind === 'conflict') return merged;
    const sides = await Promise.all([ours, theirs].map(async (commit) => (await readCommit(repo, commit))?.tree));
    if (await adopt(repo, merged.tree, sides)) return merged;
    if (attempt > 10) throw new Problem('git/failed', `${merged.tree} is gone as soon as it is made`, 'End the gc.');
  }
}

/** Brings to one tree what another has made of a third, in memory. Trees, not commits: what was squashed has no history in common. */
export async function mergeChange(repo: Repo, base: string, ours: string, theirs: string): Promise<Merged> {
  if (theirs === base || theirs === ours) return { kind: 'clean', tree: ours };
  if (ours === base) return { kind: 'clean', tree: theirs };
  // Before git 2.40 a merge took no base, so three commits that nobody else sees say it.
  const nobody = { name: 'orgrepo', email: '', at: 0 };
  const commitOf = (tree: string, parents: readonly string[]): string =>
    storeObject(repo, newCommit(repo.hash, { tree, parents, author: nobody, committer: nobody, message: 'a side\n' }));
  const below = [commitOf(base, [])];
  return mergeTrees(repo, commitOf(ours, below), commitOf(theirs, below));
}

/** The newest commit that both lead to; undefined where they have nothing in common. */
export async function mergeBase(repo: Repo, one: string, other: string): Promise<string | undefined> {
  await repo.store.flush();
  const ran = await plainGit(repo, ['merge-base', one, other], [0, 1]);
  return ran.code === 0 ? ran.stdout.text.trim() : undefined;
}

/** Runs a command that may end with one of these codes. */
async function plainGit(repo: Repo, args: readonly string[], codes: readonly number[]): Promise<Ran> {
  const ran = await tryPlainGit(repo, args);
  if (ran.code === undefined || !codes.includes(ran.code)) throw gitProblem(repo, args, ran);
  return ran;
}

/**
 * Takes what git has made for the merge into our own store, which writes it again should a gc take it for garbage before
 * a ref names it. False when that has happened already.
 */
async function adopt(repo: Repo, merged: string, sides: readonly (string | undefined)[]): Promise<boolean> {
  const made = await repo.reader.read(merged);
  if (made?.type !== 'tree') return false;
  storeObject(repo, { oid: merged, type: 'tree', content: made.content });
  const known = await Promise.all(sides.map((tree) => (tree === undefined ? new Map() : readTree(repo, tree))));
  for (const [name, entry] of await readTree(repo, merged)) {
    const before = known.map((tree) => tree.get(name)?.oid as string | undefined);
    if (before.includes(entry.oid)) continue;
    if (isTree(entry)) {
      if (!(await adopt(repo, entry.oid, before))) return false;
      continue;
    }
    const file = await repo.reader.read(entry.oid);
    if (file?.type !== 'blob') return false;
    storeObject(repo, { oid: entry.oid, type: 'blob', content: file.content });
  }
  return true;
}

/**
 * Undefined when a gc beside it removed, as empty, the directory that git was about to write to, or took for garbage what is
 * ours and is written again; not the last time.
 */
async function mergeOnce(repo: Repo, ours: string, theirs: string, last: boolean): Promise<Merged | undefined> {
  await repo.store.flush();
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', ours, theirs];
  const ran = await tryPlainGit(repo, args);
  const [tree, ...paths] = ran.stdout.text.split('\0').filter((part) => part !== '');
  if (ran.code === 0 && tree !== undefined) return { kind: 'clean', tree };
  if (ran.code === 1 && tree !== undefined) return { kind: 'conflict', paths };
  if (!last && /unable to (create|write).*No such file or directory/.test(ran.stderr.text)) return undefined;
  if (!last && /not something we can merge|unable to read|bad object/.test(ran.stderr.text)) {
    repo.store.writeAgain();
    return undefined;
  }
  throw gitProblem(repo, args, ran);
}

/** Whether a commit leads back to another, or is that one. */
export async function descendsFrom(repo: Repo, commit: string, ancestor: string): Promise<boolean> {
  if (ancestor === commit || (await descendsClosely(repo, commit, ancestor))) return true;
  await repo.store.flush();
  return (await plainGit(repo, ['merge-base', '--is-ancestor', ancestor, commit], [0, 1])).code === 0;
}

/** So many commits are read faster than a git is started. */
const mostRead = 12;

/** Reads the nearest ancestors alone: most questions are about those. */
async function descendsClosely(repo: Repo, commit: string, ancestor: string): Promise<boolean> {
  const line = [commit];
  for (let at = 0; at < line.length && at < mostRead; at++) {
    const parents = (await readCommit(repo, line[at] as string))?.parents ?? [];
    if (parents.includes(ancestor)) return true;
    line.push(...parents.filter((parent) => !line.includes(parent)));
  }
  return false;
}

/** The change between two commits or trees as text, with no program of anybody's in between: of these files, or of all. */
export async function diffText(repo: Repo, before: string, after: string, files: readonly string[] = []) {
  const args = ['diff-tree', '-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', before, after];
  return (await plainGit(repo, [...args, '--', ...files], [0])).stdout.text;
}

export type ChangedFile = Awaited<ReturnType<typeof changedFiles>>[number];

/** The files that differ between two trees, with the lines that came and went; none where it is not text. */
export async function changedFiles(repo: Repo, before: string, after: string) {
  await repo.store.flush();
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-ext-diff', '--no-textconv', '--no-renames', before, after];
  const { stdout } = await plainGit(repo, args, [0]);
  return stdout.text.split('\0').flatMap((line) => {
    const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(line) ?? [];
    const count = (word: string | undefined) => (word === undefined || word === '-' ? undefined : Number(word));
    return path === undefined ? [] : [{ path, added: count(added), deleted: count(deleted) }];
  });
}

/**
 * Runs a git command that looks into files, with the repository's objects but none of its config and attributes: a
 * merge driver or a textconv that somebody has put there is not known here, and cannot run.
 */
function tryPlainGit(repo: Repo, args: readonly string[]): Promise<Ran> {
  const shallow = path.join(repo.gitDir, 'shallow');
  const env = { GIT_OBJECT_DIRECTORY: repo.objectsDir, ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}) };
  return tryGit({ gitDir: plainDir(repo) }, args, { env });
}

const made = new Map<string, string>();

/** The smallest thing that git takes for a repository; one for each process, gone with it. */
function plainDir(repo: Repo): string {
  const known = made.get(repo.gitDir);
  if (known !== undefined && existsSync(known)) return known;
  const dir = newDir(repo);
  mkdirSync(path.join(dir, 'refs'));
  mkdirSync(path.join(dir, 'objects'));
  writeFileSync(path.join(dir, 'HEAD'), 'ref: refs/heads/none\n');
  const format = repo.hash === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  writeFileSync(
    path.join(dir, 'config'),
    `[core]\n\trepositoryFormatVersion = ${format === '' ? 0 : 1}\n\tbare = true\n${format}`,
  );
  made.set(repo.gitDir, dir);
  return dir;
}

/** Beside the run lock, where a restart finds what a killed process left; elsewhere where only reading is possible. */
function newDir(repo: Repo): string {
  if (whyUnwritable(repo) !== undefined) return mkdtempSync(path.join(tmpdir(), 'orgrepo-plain-'));
  const dir = path.join(repo.gitDir, 'orgrepo', `plain.${process.pid}-${randomBytes(6).toString('hex')}`);
  mkdirSync(dir, { recursive: true });
  return dir;
}

export function removePlainDir(gitDir: string): void {
  const dir = made.get(gitDir);
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  made.delete(gitDir);
}

/**
 * A repository to be thrown away, with a branch that has no commit yet and nothing checked out. It borrows the objects of
 * another, which is only read: whatever is written, is written here.
 */
export async function makeScratch(repo: Repo, dir: string, branch: string, person: Identity): Promise<void> {
  const place = { gitDir: path.join(dir, '.git') };
  mkdirSync(place.gitDir, { recursive: true });
  const init = ['init', '--quiet', '--template=', `--initial-branch=${branch}`, `--object-format=${repo.hash}`];
  await git(place, init, { env: { GIT_WORK_TREE: dir } });
  mkdirSync(path.join(place.gitDir, 'objects', 'info'), { recursive: true });
  writeFileSync(path.join(place.gitDir, 'objects', 'info', 'alternates'), `${repo.objectsDir}\n`);
  await git(place, ['config', 'user.name', person.name]);
  await git(place, ['config', 'user.email', person.email]);
}
