import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../regular-file.ts';
import type { Repo } from './repo.ts';
import { git } from './run.ts';

/** A linked worktree: the directory an agent may write to, and git's own notes on it, which stay in .git. */
export interface Worktree {
  readonly dir: string;
  readonly adminDir: string;
}

export const benchesDir = '.worktrees';

let adding: Promise<unknown> = Promise.resolve();

/** A linked worktree with nothing checked out. Made anew unless it is there and whole; one at a time, because git's own add races. */
export function ensureWorktree(repo: Repo, name: string, commit: string): Promise<Worktree> {
  const mine = adding.then(() => ensureOne(repo, name, commit));
  adding = mine.catch(() => {});
  return mine;
}

async function ensureOne(repo: Repo, name: string, commit: string): Promise<Worktree> {
  const dir = path.join(repo.root, benchesDir, name);
  const found = findAdminDir(repo, dir);
  if (found !== undefined && isWhole(dir, found)) return { dir, adminDir: found };
  excludeBenches(repo);
  if (found !== undefined) rmSync(found, { recursive: true, force: true });
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(path.dirname(dir), { recursive: true });
  await repo.store.flush();
  await git(repo, ['worktree', 'add', '--quiet', '--force', '--no-checkout', '--detach', dir, commit]);
  return { dir, adminDir: findAdminDir(repo, dir) ?? path.join(repo.gitDir, 'worktrees', name) };
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

const gitFileText = (worktree: Worktree): string => `gitdir: ${worktree.adminDir}\n`;

/** Puts a bench's `.git` file back to what it must be; false when it was so already. */
export function mendGitFile(worktree: Worktree): boolean {
  if (!gitFileChanged(worktree)) return false;
  const file = path.join(worktree.dir, '.git');
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, gitFileText(worktree));
  return true;
}

/** An agent that changes the `.git` file of its bench is up to something. Read as hostile: it may be a pipe by now. */
export const gitFileChanged = (worktree: Worktree): boolean =>
  readRegularFile(path.join(worktree.dir, '.git'), 4_096) !== gitFileText(worktree);

function findAdminDir(repo: Repo, dir: string): string | undefined {
  const all = path.join(repo.gitDir, 'worktrees');
  if (!existsSync(all)) return undefined;
  return readdirSync(all)
    .map((name) => path.join(all, name))
    .find((admin) => readText(path.join(admin, 'gitdir')).trim() === path.join(dir, '.git'));
}

function isWhole(dir: string, adminDir: string): boolean {
  return (
    !existsSync(path.join(adminDir, 'locked')) && // Git's own mark of an add that did not finish.
    readText(path.join(adminDir, 'HEAD')) !== '' &&
    !gitFileChanged({ dir, adminDir })
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
