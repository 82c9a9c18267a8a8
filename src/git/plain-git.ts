import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Ran } from '../process/run-process.ts';
import type { Identity } from './objects/commit.ts';
import type { Repo } from './repo.ts';
import { git, tryGit } from './run-git.ts';
import { whyUnwritable } from './writable.ts';

/**
 * Runs a git command that looks into files, with the repository's objects but none of its config and attributes: a
 * merge driver or a textconv that somebody has put there is not known here, and cannot run.
 */
export function tryPlainGit(repo: Repo, args: readonly string[]): Promise<Ran> {
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
