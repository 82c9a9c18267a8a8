import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

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
  const packed = readPacked(gitDir);
  if (packed === undefined) return undefined;
  const at = packed.indexOf(` ${ref}\n`);
  return at < 0 ? 'absent' : packed.slice(packed.lastIndexOf('\n', at) + 1, at);
}

/** The id in a ref's own file; undefined when that is anything but a plain id. */
function readLooseRef(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
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

/** True when it is certain that there is no such ref, and none that its name would collide with. */
function isFree(gitDir: string, ref: string): boolean {
  const packed = readPacked(gitDir);
  if (packed === undefined || existsSync(path.join(gitDir, ref))) return false;
  const parts = ref.split('/');
  const above = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}\n`);
  return ![...above, `${ref}/`].some((name) => packed.includes(` ${name}`));
}

/** Larger ones are left to git, which need not read them whole. */
const mostPacked = 128 * 1024;

function readPacked(gitDir: string): string | undefined {
  const file = path.join(gitDir, 'packed-refs');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return '';
  return stat.size > mostPacked ? undefined : readFileSync(file, 'latin1');
}
