import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../regular-file.ts';
import { unlockDirectory } from '../used-directory.ts';
import type { Repo } from './repo.ts';
import { git } from './run.ts';

/** A linked worktree: the directory an agent may write to, and git's own notes on it, which stay in .git. */
export interface Worktree {
  readonly dir: string;
  readonly adminDir: string;
}

export const benchesDir = '.worktrees';

/**
 * A linked worktree with nothing checked out, made anew unless it is there and whole. Made by hand and not by
 * `git worktree add`, which races with itself and can be killed half way: here a rename makes it, or nothing does.
 */
export async function ensureWorktree(repo: Repo, name: string, commit: string): Promise<Worktree> {
  const dir = path.join(repo.root, benchesDir, name);
  const adminDir = path.join(repo.gitDir, 'worktrees', `orgrepo-${name}`);
  const worktree = { dir, adminDir };
  unlockDirectory(dir);
  if (isWhole(worktree)) return worktree;
  await repo.store.flush();
  excludeBenches(repo);
  const aside = path.join(repo.gitDir, 'orgrepo', `worktree-${randomBytes(6).toString('hex')}`);
  mkdirSync(aside, { recursive: true });
  if (existsSync(adminDir)) renameSync(adminDir, path.join(aside, 'old'));
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(path.join(aside, 'new'));
  writeFileSync(path.join(aside, 'new', 'HEAD'), `${commit}\n`);
  writeFileSync(path.join(aside, 'new', 'commondir'), '../..\n');
  writeFileSync(path.join(aside, 'new', 'gitdir'), `${path.join(dir, '.git')}\n`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, '.git'), gitFileText(worktree));
  mkdirSync(path.dirname(adminDir), { recursive: true });
  renameSync(path.join(aside, 'new'), adminDir);
  rmSync(aside, { recursive: true, force: true });
  return worktree;
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
export function mendGitFile(worktree: Worktree): void {
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

/** Keeps .worktrees out of the person's `git status` without touching a file of theirs. */
function excludeBenches(repo: Repo): void {
  const file = path.join(repo.gitDir, 'info', 'exclude');
  const text = readText(file);
  if (text.split('\n').includes(`/${benchesDir}/`)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}/${benchesDir}/\n`);
}

function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.orgrepo`, text);
  renameSync(`${file}.orgrepo`, file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
