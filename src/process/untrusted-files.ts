import {
  chmodSync,
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { orElse } from '../text/problem.ts';

/** Not through a link, and never waiting for the other end of a pipe. */
const openSafely = (file: string, how: number): number | undefined =>
  orElse(() => openSync(file, how | constants.O_NOFOLLOW | constants.O_NONBLOCK), undefined);

/** A file that somebody untrusted wrote, as text; undefined when it is not a regular file or larger than it may be. */
export const readRegularFile = (file: string, mostBytes: number): string | undefined =>
  readRegularBytes(file, mostBytes)?.toString('utf8');

/** The same, byte by byte. */
export function readRegularBytes(file: string, mostBytes: number): Buffer | undefined {
  const handle = openSafely(file, constants.O_RDONLY);
  if (handle === undefined) return undefined;
  try {
    const stat = fstatSync(handle);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(handle) : undefined;
  } finally {
    closeSync(handle);
  }
}

/**
 * Writes a file where somebody untrusted may have put something else. A plain file of ours is written over in place,
 * which spares the file system a new inode and a flush; a link of either kind, or anything else, is removed first.
 */
export function writeRegularFile(file: string, content: Buffer, mode: number): void {
  const handle = openPlain(file) ?? openNew(file, mode);
  try {
    fill(handle, content);
    if ((fstatSync(handle).mode & 0o777) !== mode) fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

/** Gives a file that is there another content, and nothing else. Emptying it first would cost a flush when it is closed. */
export function overwriteFile(file: string, content: Buffer): void {
  const handle = openSync(file, 'r+');
  try {
    fill(handle, content);
  } finally {
    closeSync(handle);
  }
}

function fill(handle: number, content: Buffer): void {
  for (let written = 0; written < content.length; ) written += writeSync(handle, content, written, undefined, written);
  ftruncateSync(handle, content.length);
}

function openPlain(file: string): number | undefined {
  const handle = openSafely(file, constants.O_WRONLY);
  if (handle === undefined) return undefined;
  const stat = fstatSync(handle);
  // An empty file is not written over: the file system would take it for a replacement and flush it.
  if (stat.isFile() && stat.nlink === 1 && stat.size > 0) return handle;
  closeSync(handle);
  return undefined;
}

/** A process that goes on writing there may put something into its place again and again, but not for ever. */
const mostTries = 100;

function openNew(file: string, mode: number): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  for (let tries = 1; ; tries++) {
    rmSync(file, { recursive: true, force: true });
    try {
      return openSync(file, flags, mode);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries >= mostTries) throw error;
    }
  }
}

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

/** An owner of a directory can lock himself out of it; we own it too. */
export function unlockDirectory(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory() && (stat.mode & 0o700) !== 0o700) chmodSync(dir, 0o755);
}
