import { randomBytes } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readRegularFile, unlockDirectory } from '../process/untrusted-files.ts';
import { orElse, Problem } from '../text/problem.ts';
import type { Repo } from './repo.ts';
import { git } from './run-git.ts';

/** A linked worktree: the directory an agent may write to, and git's own notes on it, which stay in .git. */
export interface Worktree {
  readonly dir: string;
  readonly adminDir: string;
}

export const benchesDir = '.worktrees';

/** Where the worktree of this name is, or would be. */
export const worktreeAt = (repo: Pick<Repo, 'root' | 'gitDir'>, name: string): Worktree => ({
  dir: path.join(repo.root, benchesDir, name),
  adminDir: path.join(repo.gitDir, 'worktrees', `orgrepo-${name}`),
});

/**
 * A linked worktree with nothing checked out, made anew unless it is there and whole. Made by hand and not by
 * `git worktree add`, which races with itself and can be killed half way: here a rename makes it, or nothing does.
 */
export async function ensureWorktree(repo: Repo, name: string, commit: string): Promise<Worktree> {
  const worktree = worktreeAt(repo, name);
  unlockDirectory(worktree.dir);
  if (isWhole(worktree)) return worktree;
  await makeWorktree(repo, worktree, commit, () => rmSync(worktree.dir, { recursive: true, force: true }));
  return worktree;
}

/**
 * The same for a directory whose files are a person's: git's notes on it are made anew when they are gone, and no file is
 * touched. A `.git` that says something else is left alone: it may be a repository of their own.
 */
export async function keepWorktree(repo: Repo, worktree: Worktree, commit: string): Promise<void> {
  const isTheirs = existsSync(path.join(worktree.dir, '.git')) && gitFileChanged(worktree);
  if (!isTheirs && !isWhole(worktree)) await makeWorktree(repo, worktree, commit, () => {});
}

async function makeWorktree(repo: Repo, worktree: Worktree, commit: string, clear: () => void): Promise<void> {
  const { dir, adminDir } = worktree;
  await repo.store.flush();
  excludeOwn(repo);
  const aside = path.join(repo.gitDir, 'orgrepo', `worktree-${randomBytes(6).toString('hex')}`);
  mkdirSync(aside, { recursive: true });
  if (existsSync(adminDir)) renameSync(adminDir, path.join(aside, 'old'));
  clear();
  mkdirSync(path.join(aside, 'new'));
  writeFileSync(path.join(aside, 'new', 'HEAD'), `${commit}\n`);
  writeFileSync(path.join(aside, 'new', 'commondir'), '../..\n');
  writeFileSync(path.join(aside, 'new', 'gitdir'), `${path.join(dir, '.git')}\n`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, '.git'), gitFileText(worktree));
  mkdirSync(path.dirname(adminDir), { recursive: true });
  renameSync(path.join(aside, 'new'), adminDir);
  rmSync(aside, { recursive: true, force: true });
}

/** Makes git's view of a bench this commit, so that a person who looks in finds a clean `git diff` against it. */
export async function pointWorktree(repo: Repo, worktree: Worktree, commit: string): Promise<void> {
  await repo.store.flush();
  replaceFile(path.join(worktree.adminDir, 'HEAD'), `${commit}\n`);
  rmSync(path.join(worktree.adminDir, 'index.lock'), { force: true });
  await git({ gitDir: worktree.adminDir }, ['read-tree', commit], {
    env: { GIT_COMMON_DIR: repo.gitDir, GIT_WORK_TREE: worktree.dir },
  });
}

/** Puts a bench's `.git` file back to what it must be. */
export function repairGitFile(worktree: Worktree): void {
  if (!gitFileChanged(worktree)) return;
  const file = path.join(worktree.dir, '.git');
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, gitFileText(worktree));
}

/** An agent that changes the `.git` file of its bench is up to something. Read as hostile: it may be a pipe by now. */
export const gitFileChanged = (worktree: Worktree): boolean =>
  readRegularFile(path.join(worktree.dir, '.git'), 4_096) !== gitFileText(worktree);

const gitFileText = (worktree: Worktree): string => `gitdir: ${worktree.adminDir}\n`;

function isWhole(worktree: Worktree): boolean {
  const { dir, adminDir } = worktree;
  return (
    readText(path.join(adminDir, 'gitdir')) === `${path.join(dir, '.git')}\n` &&
    readText(path.join(adminDir, 'HEAD')) !== '' &&
    !gitFileChanged(worktree)
  );
}

/** What of ours stands in the work tree: benches, and a person's keys. */
const ownDirs = [benchesDir, '.orgrepo'];

/** Keeps that out of the person's `git status`, and of `git add -A`, without touching a file of theirs. */
export function excludeOwn({ gitDir }: Pick<Repo, 'gitDir'>): void {
  const file = path.join(gitDir, 'info', 'exclude');
  const text = readText(file);
  const missing = ownDirs.map((dir) => `/${dir}/`).filter((line) => !text.split('\n').includes(line));
  if (missing.length === 0) return;
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}

function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.orgrepo`, text);
  renameSync(`${file}.orgrepo`, file);
}

const readText = (file: string): string => orElse(() => readFileSync(file, 'utf8'), '');

/** What keeps orgrepo from writing where it must: into `.git`, and into a directory of its own for benches and measurements. */
export function whyUnwritable({ root, gitDir }: Pick<Repo, 'root' | 'gitDir'>): Problem | undefined {
  const benches = path.join(root, benchesDir);
  for (const dir of [gitDir, path.join(gitDir, 'orgrepo'), benches]) {
    const stat = lstatSync(dir, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory())
      return new Problem(
        'repo/path',
        `${dir} is ${stat.isSymbolicLink() ? 'a symbolic link' : 'no directory'}, and orgrepo keeps ${dir === benches ? 'its benches' : 'its notes'} in a directory of this name`,
        `Move it out of the way: mv '${dir}' '${dir}.old'`,
        { file: path.relative(root, dir) },
      );
  }
  const place = lstatSync(benches, { throwIfNoEntry: false }) === undefined ? root : benches;
  for (const dir of [gitDir, path.join(gitDir, 'orgrepo'), place]) {
    const refusal = refusalOf(dir);
    if (refusal === undefined) continue;
    return new Problem('disk/write', `nothing can be written into ${dir}: ${refusal.words}`, refusal.hint, {
      file: path.relative(root, dir) || '.',
    });
  }
  return undefined;
}

/** Asked, not tried: where nothing can be written nothing should be. */
function refusalOf(dir: string): { readonly words: string; readonly hint: string } | undefined {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EROFS')
      return {
        words: 'the file system is read-only',
        hint: 'Work in a copy that can be written: git clone. Or mount it for writing.',
      };
    return { words: `you have no right to (${code})`, hint: `Give yourself the right to it: chmod u+rwx '${dir}'` };
  }
}
