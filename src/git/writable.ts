import { accessSync, constants, lstatSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../text/problem.ts';
import type { Repo } from './repo.ts';
import { benchesDir } from './worktree.ts';

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
