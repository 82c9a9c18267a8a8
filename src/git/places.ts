import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from './repo.ts';

/** Every directory in which a repository keeps its files or its history: work trees, linked ones too, and `.git`. */
export function placesOfRepo({ root, gitDir, objectsDir }: Pick<Repo, 'root' | 'gitDir' | 'objectsDir'>): string[] {
  const main = path.basename(gitDir) === '.git' ? [path.dirname(gitDir)] : [];
  return [...new Set([root, gitDir, objectsDir, ...main, ...linkedTo(gitDir)].flatMap(real))];
}

function linkedTo(gitDir: string): string[] {
  const dir = path.join(gitDir, 'worktrees');
  return entriesOf(dir).flatMap((name) => {
    try {
      return [path.dirname(path.resolve(dir, name, readFileSync(path.join(dir, name, 'gitdir'), 'utf8').trim()))];
    } catch {
      return []; // It is just being made or taken away.
    }
  });
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** None where nothing is any more: a linked work tree may have been deleted by hand. */
function real(dir: string): string[] {
  try {
    return [realpathSync(dir)];
  } catch {
    return [];
  }
}
