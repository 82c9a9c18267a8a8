import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from '../repo.ts';

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

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A gc may have taken the file away meanwhile: then there is nothing that could be damaged. */
function isDamaged(file: string, hash: Repo['hash']): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  const sumBytes = hash === 'sha256' ? 32 : 20;
  if (size < sumBytes) return true;
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
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
