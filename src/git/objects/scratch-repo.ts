import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from '../repo.ts';
import { git } from '../run-git.ts';
import type { Identity } from './commit.ts';

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
