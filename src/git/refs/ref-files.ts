import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { ifThere, orElse } from '../../text/problem.ts';
import { type GitPlace, git } from '../run-git.ts';

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
  return readPacked(gitDir).get(ref) ?? 'absent';
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
  for (const taken of readPacked(gitDir).keys())
    if (taken === ref || taken.startsWith(`${ref}/`) || ref.startsWith(`${taken}/`)) return false;
  return !existsSync(path.join(gitDir, ref));
}

const plainId = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;

/** The id in a ref's own file; undefined when that is anything but a plain id. */
function readLooseRef(file: string): string | undefined {
  const fd = orElse(() => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW), undefined);
  if (fd === undefined) return undefined;
  try {
    return plainId.exec(readFileSync(fd, 'latin1'))?.[1];
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** By repository: what packed-refs contained, and as of which file. That is never written to, only replaced by another. */
const known = new Map<string, { readonly stamp: string; readonly refs: ReadonlyMap<string, string> }>();

/** The refs that packed-refs has, whether or not one has a file of its own by now. */
function readPacked(gitDir: string): ReadonlyMap<string, string> {
  const file = path.join(gitDir, 'packed-refs');
  const stat = statSync(file, { throwIfNoEntry: false });
  const stamp = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const before = known.get(gitDir);
  if (before?.stamp === stamp) return before.refs;
  const { refs } = parsePacked(stat === undefined ? '' : readFileSync(file, 'latin1'));
  known.set(gitDir, { stamp, refs });
  return refs;
}

/** A ref, or the file that should hold some, that is not as git writes it. */
export interface BrokenRef {
  readonly ref: string;
  readonly expected: string;
  readonly found: string;
}

interface RefList {
  readonly refs: ReadonlyMap<string, string>;
  readonly broken: readonly BrokenRef[];
  /** Values in packed-refs that a ref's own file has replaced since. */
  readonly replaced: ReadonlyMap<string, string>;
}

/**
 * The refs below these directories, read byte by byte. Git itself cannot be believed here: it leaves out a ref that it cannot
 * read, and takes an id in capitals or with something behind it for a good one.
 */
export async function listRefs(place: GitPlace, roots: readonly string[]): Promise<RefList> {
  if (!hasPlainRefs(place.gitDir)) return listByGit(place, roots);
  const broken: BrokenRef[] = [];
  const loose = new Map<string, string>();
  // Before the packed ones: a ref that is packed meanwhile is then seen there.
  for (const ref of roots.flatMap((root) => filesBelow(place.gitDir, root))) {
    const text = readIfThere(path.join(place.gitDir, ref));
    if (text === undefined) continue;
    const id = plainId.exec(text)?.[1];
    if (id === undefined) broken.push({ ref, expected: 'the id of a commit and a line break', found: shown(text) });
    else loose.set(ref, id);
  }
  const packed = parsePacked(readIfThere(path.join(place.gitDir, 'packed-refs')) ?? '');
  const wanted = [...packed.refs].filter(([ref]) => roots.some((root) => ref.startsWith(`${root}/`)));
  return {
    refs: new Map([...wanted, ...loose]),
    broken: [...broken, ...packed.broken],
    replaced: new Map(wanted.filter(([ref, id]) => loose.has(ref) && loose.get(ref) !== id)),
  };
}

/** The names of the refs below a directory such as `refs/orgrepo/wip/`, asked for again and again: packed ones are read once. */
export async function refNames(place: GitPlace, dir: string): Promise<readonly string[]> {
  if (!hasPlainRefs(place.gitDir)) return [...(await listByGit(place, [dir])).refs.keys()];
  const packed = [...readPacked(place.gitDir).keys()].filter((ref) => ref.startsWith(dir));
  return [...new Set([...filesBelow(place.gitDir, dir.slice(0, -1)), ...packed])].sort();
}

async function listByGit(place: GitPlace, roots: readonly string[]): Promise<RefList> {
  const listed = await git(place, ['for-each-ref', '--format=%(objectname) %(refname)', ...roots]);
  const lines = listed.split('\n').filter((line) => line !== '');
  return {
    refs: new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))])),
    broken: [],
    replaced: new Map(),
  };
}

function filesBelow(gitDir: string, root: string): string[] {
  return ifThere(() => readdirSync(path.join(gitDir, root), { withFileTypes: true }), []).flatMap((entry) => {
    const name = `${root}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(gitDir, name);
    return entry.name.endsWith('.lock') ? [] : [name]; // Git is writing it, or was killed while it did.
  });
}

const readIfThere = (file: string): string | undefined => ifThere(() => readFileSync(file, 'latin1'), undefined);

const header = /^# pack-refs with:( peeled| fully-peeled| sorted)+ ?$/;
const packedLine = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/[^\x00-\x20\x7f~^:?*[\\]+)$/;
const peeledLine = /^\^([0-9a-f]{40}|[0-9a-f]{64})$/;

function parsePacked(text: string): Pick<RefList, 'refs' | 'broken'> {
  const refs = new Map<string, string>();
  const broken: BrokenRef[] = [];
  if (text === '') return { refs, broken };
  const lines = text.split('\n');
  const say = (line: string, expected: string): void =>
    void broken.push({ ref: 'packed-refs', expected, found: shown(line) });
  if (lines.pop() !== '') say(text.slice(-80), 'a line break at the end');
  const sorted = header.test(lines[0] ?? '') && (lines[0] ?? '').includes(' sorted');
  let last = '';
  for (const [index, line] of lines.entries()) {
    const [, id, ref] = packedLine.exec(line) ?? [];
    if (id !== undefined && ref !== undefined) {
      if (sorted && ref <= last) say(line, `a ref that comes after ${last}`);
      last = ref;
      refs.set(ref, id);
    } else if (!(index === 0 && header.test(line)) && !peeledLine.test(line)) say(line, 'an id and the name of a ref');
  }
  return { refs, broken };
}

const shown = (text: string): string => (text === '' ? 'nothing' : JSON.stringify(text.slice(0, 120)));
