import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { orElse } from '../text/otherwise.ts';

/** Not through a link, and never waiting for the other end of a pipe. */
const openSafely = (file: string, how: number): number | undefined =>
  orElse(() => openSync(file, how | constants.O_NOFOLLOW | constants.O_NONBLOCK), undefined);

/** A file that somebody untrusted wrote, as text; undefined when it is no regular file or larger than it may be. */
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

/** Whoever goes on writing there may put something into its place again and again, but not for ever. */
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
