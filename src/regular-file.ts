import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A file that somebody untrusted wrote, as text; undefined when it is no regular file or larger than it may be. */
export function readRegularFile(file: string, mostBytes: number): string | undefined {
  let handle: number;
  try {
    // Not through a link, and never waiting for the other end of a pipe.
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(handle);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(handle, 'utf8') : undefined;
  } finally {
    closeSync(handle);
  }
}
