import { chmodSync, type Dir, type Dirent, lstatSync, opendirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** What is removed at once: more than an honest program leaves, and less than anybody would notice. */
const mostEntries = 200;
const mostBytes = 64 * 1024 * 1024;

/** What becomes of something in a directory: it stays, it is removed, or it is a directory of which each part is asked about. */
export type Fate = 'kept' | 'removed' | 'entered';

/**
 * Removes what somebody untrusted has left in a directory, whatever it is called; `fateOf` is asked by path and says what
 * stays. False when something is still there, or when it is more than can be removed in a moment: then nothing is removed.
 */
export function clearDirectory(dir: string, fateOf: (path: string) => Fate = () => 'removed'): boolean {
  try {
    const rubbish = findRubbish(dir, fateOf);
    for (const place of rubbish ?? []) rmSync(place, { recursive: true, force: true });
    return rubbish !== undefined && (rubbish.length === 0 || findRubbish(dir, fateOf)?.length === 0);
  } catch {
    return false;
  }
}

/** Undefined when there is too much of it. */
function findRubbish(dir: string, fateOf: (path: string) => Fate): Buffer[] | undefined {
  const rubbish: Buffer[] = [];
  let [entries, bytes] = [0, 0];
  const weigh = (place: Buffer, stat = lstatSync(place)): boolean => {
    entries += 1;
    bytes += stat.size;
    if (entries > mostEntries || bytes > mostBytes) return false;
    return !stat.isDirectory() || everyEntry(place, (name) => weigh(below(place, name)));
  };
  const enter = (place: Buffer, prefix: string): boolean =>
    everyEntry(place, (name) => {
      const file = `${prefix}${name.toString('utf8')}`;
      const fate = fateOf(file);
      if (fate === 'kept') return true;
      const entry = below(place, name);
      const stat = lstatSync(entry);
      if (fate === 'entered' && stat.isDirectory()) return enter(entry, `${file}/`);
      rubbish.push(entry);
      return weigh(entry, stat);
    });
  return enter(Buffer.from(path.join(dir, '.')), '') ? rubbish : undefined;
}

const below = (dir: Buffer, name: Buffer): Buffer => Buffer.concat([dir, Buffer.from('/'), name]);

/** Reads no more names than are asked about: there may be very many. */
function everyEntry(place: Buffer, isFine: (name: Buffer) => boolean): boolean {
  const dir: Dir = opendirSync(place as unknown as string, { encoding: 'buffer' as BufferEncoding });
  try {
    for (let entry = next(dir); entry !== null; entry = next(dir)) if (!isFine(entry.name)) return false;
    return true;
  } finally {
    dir.closeSync();
  }
}

const next = (dir: Dir): Dirent<Buffer> | null => dir.readSync() as Dirent<Buffer> | null;

/** Whoever owns a directory can lock himself out of it; we own it too. */
export function unlockDirectory(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory() && (stat.mode & 0o700) !== 0o700) chmodSync(dir, 0o755);
}
