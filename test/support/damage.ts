import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { TestOrg } from './org.ts';

/** What a machine that lost its power does to a repository: files that were named and never filled. */

const objectFile = (org: TestOrg, id: string): string =>
  path.join(org.dir, '.git/objects', id.slice(0, 2), id.slice(2));

/** The object's file is there and holds nothing. */
export function emptyObject(org: TestOrg, name: string): string {
  const id = org.git('rev-parse', name).trim();
  chmodSync(objectFile(org, id), 0o644);
  truncateSync(objectFile(org, id));
  chmodSync(objectFile(org, id), 0o444);
  return id;
}

/** The object's file never came to be. */
export function loseObject(org: TestOrg, name: string): string {
  const id = org.git('rev-parse', name).trim();
  rmSync(objectFile(org, id));
  return id;
}

/** The ref's file is there and holds nothing. */
export function emptyRef(org: TestOrg, ref: string): void {
  const file = path.join(org.dir, '.git', ref);
  if (!existsSync(file)) throw new Error(`${ref} has no file of its own`);
  truncateSync(file);
}

/** Everything that `git fsck` complains of: refs that name nothing, links that lead nowhere, files that are no objects. */
export function complaints(org: TestOrg): string[] {
  const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'];
  const ran = spawnSync('git', args, { cwd: org.dir, encoding: 'utf8' });
  const said = `${ran.stdout}${ran.stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('notice'));
  return ran.status === 0 ? said : [...said, `exit ${ran.status}`];
}
