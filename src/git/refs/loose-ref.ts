import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { orElse } from '../../text/otherwise.ts';

/*
 * Refs that have a file of their own are read and moved in this process, by git's own rules: asking a git that is
 * already running costs ten times as much. Whatever is not plain (packed, locked, a link, a reftable) is left to git.
 */

/** False where refs are kept in a reftable. */
export const hasPlainRefs = (gitDir: string): boolean => !existsSync(path.join(gitDir, 'reftable'));

/** The id that a ref stands for, `absent` when there is certainly no such ref, undefined when git must be asked. */
export function lookUpRef(gitDir: string, ref: string): string | 'absent' | undefined {
  const file = path.join(gitDir, ref);
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return readLooseRef(file);
  } catch {
    return undefined; // Another ref stands where a directory should.
  }
  return readPacked(gitDir).ids.get(ref) ?? 'absent';
}

/** The id in a ref's own file; undefined when that is anything but a plain id. */
function readLooseRef(file: string): string | undefined {
  const fd = orElse(() => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW), undefined);
  if (fd === undefined) return undefined;
  try {
    return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(readFileSync(fd, 'latin1'))?.[1];
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/**
 * Moves a ref, or makes it where `from` is undefined: make `<ref>.lock`, look at the ref, write the lock, rename it into
 * place. False when nothing was done, for whatever reason: somebody holds the lock, the ref is packed, has another
 * value, or has a log to be kept.
 */
export function moveLooseRef(gitDir: string, ref: string, to: string, from: string | undefined): boolean {
  const file = path.join(gitDir, ref);
  const lock = `${file}.lock`;
  if (existsSync(path.join(gitDir, 'logs', ref))) return false;
  let fd: number | undefined;
  try {
    fd = openSync(lock, 'wx', 0o666);
    const may = from === undefined ? isFree(gitDir, ref) : readLooseRef(file) === from;
    if (may) writeSync(fd, `${to}\n`);
    closeSync(fd);
    if (may) renameSync(lock, file);
    else rmSync(lock);
    return may;
  } catch {
    if (fd !== undefined) rmSync(lock, { force: true });
    return false;
  }
}

/** The same for a ref whose directory may be gone with it. */
export function makeLooseRef(gitDir: string, ref: string, to: string): boolean {
  try {
    mkdirSync(path.dirname(path.join(gitDir, ref)), { recursive: true });
  } catch {
    return false; // Nothing can be written here, or another ref stands where a directory should.
  }
  return moveLooseRef(gitDir, ref, to, undefined);
}

/** True when it is certain that there is no such ref, and none that its name would collide with. */
function isFree(gitDir: string, ref: string): boolean {
  const { ids, directories } = readPacked(gitDir);
  const parts = ref.split('/');
  const taken = parts.some((_, index) => ids.has(parts.slice(0, index + 1).join('/')));
  return !taken && !directories.has(ref) && !existsSync(path.join(gitDir, ref));
}

/** The refs that packed-refs has, whether or not one has a file of its own by now. */
export const packedRefs = (gitDir: string): ReadonlyMap<string, string> => readPacked(gitDir).ids;

interface Packed {
  /** As of which file; it is never written to, only replaced by another. */
  readonly stamp: string;
  readonly ids: ReadonlyMap<string, string>;
  /** What stands above a packed ref. */
  readonly directories: ReadonlySet<string>;
}

const known = new Map<string, Packed>();

function readPacked(gitDir: string): Packed {
  const file = path.join(gitDir, 'packed-refs');
  const stat = statSync(file, { throwIfNoEntry: false });
  const stamp = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const before = known.get(gitDir);
  if (before?.stamp === stamp) return before;
  const packed = { stamp, ...parsePacked(stat === undefined ? '' : readFileSync(file, 'latin1')) };
  known.set(gitDir, packed);
  return packed;
}

function parsePacked(text: string): Omit<Packed, 'stamp'> {
  const ids = new Map<string, string>();
  const directories = new Set<string>();
  for (const line of text.split('\n')) {
    const [, id, ref] = /^([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
    if (id === undefined || ref === undefined) continue;
    ids.set(ref, id);
    for (let at = ref.lastIndexOf('/'); at > 0 && !directories.has(ref.slice(0, at)); at = ref.lastIndexOf('/', at - 1))
      directories.add(ref.slice(0, at));
  }
  return { ids, directories };
}
