import { hostname } from 'node:os';
import { type SimpleGit, simpleGit } from 'simple-git';
import type { Identity } from './commit.ts';
import { personalVariables } from './repo.ts';

/** Ordinary git in a person's own work tree and in their name: the one place for porcelain. Never used on a bench. */
function personalGit(dir: string): SimpleGit {
  return simpleGit({ baseDir: dir }).env(personalVariables());
}

/** Who runs orgrepo: the person that git knows, else the machine. */
export async function personOf(dir: string): Promise<Identity> {
  const git = personalGit(dir);
  const [name, email] = await Promise.all([
    git.getConfig('user.name').then((found) => found.value),
    git.getConfig('user.email').then((found) => found.value),
  ]);
  return {
    name: process.env.GIT_COMMITTER_NAME ?? name ?? 'orgrepo',
    email: process.env.GIT_COMMITTER_EMAIL ?? email ?? `orgrepo@${hostname()}`,
  };
}

/** The files below these paths that differ from HEAD; a run does not see those changes. */
export async function uncommitted(dir: string, paths: readonly string[]): Promise<string[]> {
  // Without optional locks: a look must never stand in the way of the person's own commit.
  const args = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all', '-z', '--', ...paths];
  const listed = await personalGit(dir).raw(args);
  return listed.split('\0').flatMap((line) => (/^[ MADRCUT?!]{2} /.test(line) ? [line.slice(3)] : []));
}

/** Whether git keeps this file already. */
export const isTracked = async (dir: string, file: string): Promise<boolean> =>
  (await personalGit(dir).raw(['ls-files', '-z', '--', file])) !== '';

/** Whether git would pass over this file, by whatever rule of the person's. */
export const isIgnored = async (dir: string, file: string): Promise<boolean> =>
  (await personalGit(dir).checkIgnore(file)).length > 0;

/** Makes a directory a repository with everything in it committed. */
export async function startRepository(dir: string, message: string): Promise<void> {
  const git = personalGit(dir);
  await git.init(['--initial-branch=main']);
  const person = await personOf(dir);
  await git.addConfig('user.name', person.name);
  await git.addConfig('user.email', person.email);
  await git.add('.');
  await git.commit(message);
}

/** Makes a directory a repository and commits nothing. */
export async function initRepository(dir: string): Promise<void> {
  await personalGit(dir).init(['--initial-branch=main']);
}

export async function gitVersion(dir: string): Promise<string> {
  const { major, minor, patch } = await personalGit(dir).version();
  return `${major}.${minor}.${patch}`;
}
