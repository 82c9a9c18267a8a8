import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../text/otherwise.ts';
import type { Repo } from './repo.ts';

/**
 * Every directory in which a repository keeps its files or its history: work trees, linked ones too, `.git`, and the same
 * of a repository that it borrows objects from.
 */
export function placesOfRepo(repo: Pick<Repo, 'root' | 'gitDir' | 'objectsDir'>, depth = 0): string[] {
  const { root, gitDir, objectsDir } = repo;
  const main = path.basename(gitDir) === '.git' ? [path.dirname(gitDir)] : [];
  const lenders = depth < mostLenders ? lendersOf(objectsDir) : [];
  const theirs = lenders.flatMap((dir) => placesOfRepo(repoAround(dir), depth + 1));
  return [...new Set([...[root, gitDir, objectsDir, ...main, ...linkedTo(gitDir)].flatMap(real), ...theirs])];
}

/** As far as git itself goes from one to the next. */
const mostLenders = 5;

function lendersOf(objectsDir: string): string[] {
  const lines = orElse(() => readFileSync(path.join(objectsDir, 'info', 'alternates'), 'utf8'), '').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => path.resolve(objectsDir, line));
}

/** The repository whose objects these are, where they stand as git puts them. */
function repoAround(objectsDir: string): Pick<Repo, 'root' | 'gitDir' | 'objectsDir'> {
  const around = path.dirname(objectsDir);
  const gitDir = existsSync(path.join(around, 'HEAD')) ? around : objectsDir;
  return { root: gitDir, gitDir, objectsDir };
}

function linkedTo(gitDir: string): string[] {
  const dir = path.join(gitDir, 'worktrees');
  return orElse(() => readdirSync(dir), []).flatMap((name) => {
    const file = orElse(() => readFileSync(path.join(dir, name, 'gitdir'), 'utf8'), ''); // It may just be made or taken away.
    return file === '' ? [] : [path.dirname(path.resolve(dir, name, file.trim()))];
  });
}

/** None where nothing is any more: a linked work tree may have been deleted by hand. */
const real = (dir: string): string[] => orElse(() => [realpathSync(dir)], []);
