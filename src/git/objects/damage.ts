import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ifThere } from '../../text/problem.ts';
import { listRefs } from '../refs/ref-files.ts';
import type { Repo } from '../repo.ts';
import { type GitPlace, git, tryGit } from '../run-git.ts';

/*
 * A machine that loses its power leaves files that have their name and not their content: a filesystem may write the
 * one long before the other. What was written in the last half minute can be missing in any order.
 */

/** What is in a directory. A gc or a person's git may take one away while we look: then there is nothing in it. */
const namesIn = (dir: string): string[] => ifThere(() => readdirSync(dir), []);

/** Object files that are empty. No object is; git takes such a file for the object and then cannot read it. */
export function emptyObjects(objectsDir: string): string[] {
  return namesIn(objectsDir)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => namesIn(path.join(objectsDir, name)).map((rest) => path.join(objectsDir, name, rest)))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.size === 0);
}

/** Makes an empty ref name a commit. By hand, and in one step: git refuses to touch what it cannot read. */
export function fillRef(gitDir: string, ref: string, oid: string): void {
  const file = path.join(gitDir, ref);
  writeFileSync(`${file}.lock`, `${oid}\n`, { flag: 'wx' });
  renameSync(`${file}.lock`, file);
}

/** Those of these commits that have everything they are made of, back to a commit that is known to have it. */
export async function wholeAmong(repo: Repo, commits: readonly string[], known?: string): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = `${[...commits, ...(known === undefined ? [] : [`^${known}`])].join('\n')}\n`;
  // What a partial clone has left out on purpose is not lost.
  const args = ['rev-list', '--objects', '--quiet', '--exclude-promisor-objects', '--stdin'];
  if ((await tryGit(repo, args, { input })).code === 0) return [...commits];
  if (commits.length === 1) return [];
  const half = Math.ceil(commits.length / 2);
  const first = await wholeAmong(repo, commits.slice(0, half), known);
  return [...first, ...(await wholeAmong(repo, commits.slice(half), known))];
}

/** Every commit in the store, also those that no ref leads to. */
export async function allCommits(repo: Repo): Promise<string[]> {
  const format = '--batch-check=%(objecttype) %(objectname)';
  const listed = await git(repo, ['cat-file', '--batch-all-objects', '--unordered', format]);
  return listed.split('\n').flatMap((line) => (line.startsWith('commit ') ? [line.slice('commit '.length)] : []));
}

/** The files in which git keeps many objects at once, or what it knows about them. Each ends in a checksum of the rest. */
const summed = /\.(pack|idx|rev|bitmap|mtimes|graph)$|^(commit-graph|multi-pack-index)$/;

/** Those of git's own files that are not as git wrote them, by their path from the objects' directory. */
export function damagedFiles(repo: Repo): string[] {
  return ['pack', 'info', 'info/commit-graphs'].flatMap((dir) =>
    namesIn(path.join(repo.objectsDir, dir))
      .filter((name) => summed.test(name) && !name.startsWith('tmp_'))
      .map((name) => `${dir}/${name}`)
      .filter((file) => isDamaged(path.join(repo.objectsDir, file), repo.hash)),
  );
}

/** A gc may have taken the file away meanwhile: then there is nothing that could be damaged. */
function isDamaged(file: string, hash: Repo['hash']): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  const sumBytes = hash === 'sha256' ? 32 : 20;
  if (size < sumBytes) return true;
  const fd = ifThere(() => openSync(file, 'r'), undefined);
  if (fd === undefined) return false;
  try {
    const sum = createHash(hash);
    const chunk = Buffer.allocUnsafe(1 << 20);
    for (let at = 0; at < size - sumBytes; ) {
      const read = readSync(fd, chunk, 0, Math.min(chunk.length, size - sumBytes - at), at);
      if (read === 0) return true;
      sum.update(chunk.subarray(0, read));
      at += read;
    }
    const end = Buffer.alloc(sumBytes);
    readSync(fd, end, 0, sumBytes, size - sumBytes);
    return !sum.digest().equals(end);
  } finally {
    closeSync(fd);
  }
}

/**
 * All that makes git show an object, by its `id`, otherwise than it is: another one in its place, or other parents. `where` is the
 * ref, or the file, that says so. Orgrepo itself reads past them, but a person's `git log` does not.
 */
export async function listSubstitutes(place: GitPlace) {
  const { refs, broken } = await listRefs(place, ['refs/replace']);
  // One that is not as git writes it may still be obeyed.
  const said = [...refs, ...broken.map(({ ref, found }) => [ref, found] as const)];
  const replaced = said.flatMap(([ref, says]) => {
    const id = /^refs\/replace\/(?:.*\/)?([0-9a-f]{40,64})$/i.exec(ref)?.[1]?.toLowerCase();
    return id === undefined ? [] : [{ id, kind: 'replace' as const, where: ref, says }];
  });
  return [...replaced, ...grafts(path.join(place.gitDir, 'info/grafts'))];
}

function grafts(file: string) {
  const lines = ifThere(() => readFileSync(file, 'latin1').split('\n'), []);
  return lines.flatMap((says) => {
    const id = /^([0-9a-f]{40,64})(?=\s|$)/i.exec(says)?.[1]?.toLowerCase();
    return id === undefined ? [] : [{ id, kind: 'graft' as const, where: file, says }];
  });
}
