import {
  type BigIntStats,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { newObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { makeShownDirectory } from '../../jail/cell.ts';
import { removeTree, runCommand } from '../../process/run-process.ts';
import { clearDirectory, unlockDirectory, writeRegularFile } from '../../process/untrusted-files.ts';
import { orElse, Problem } from '../../text/problem.ts';

/** The files of a tree that a bench or a trial needs, by path. */
export type Files = ReadonlyMap<string, TreeEntry>;

/** A file as it was found. */
export interface Found extends TreeEntry {
  /** Inode, size and times: a file whose stamp is the same has not been written to. */
  readonly stamp: string;
  readonly changedAt: number;
  readonly content: Buffer | undefined;
}

interface Odd {
  readonly path: string;
  readonly what: string;
  /** The name's own bytes, where they are no text. */
  readonly raw?: Buffer;
}

/** What stands in a directory that somebody untrusted may write to, read without following a link or running anything. */
export interface DirectoryState {
  readonly files: ReadonlyMap<string, Found>;
  readonly directories: readonly string[];
  /** What is not a file, cannot be read, or is more than there may be. */
  readonly odd: readonly Odd[];
  readonly readAt: number;
}

const mostFiles = 20_000;
const mostBytes = 16 * 1024 * 1024;
// File times are only as fine as the kernel's tick: a file written this recently is read again, whatever its stamp.
const tickMs = 100;

/** Does it once more when somebody has removed a directory meanwhile: a person may delete .worktrees at any time. */
export async function despiteRemoval<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isGone(error) || attempt > mostAttempts) throw error;
    }
  }
}

export const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const mostAttempts = 20;

export const emptyDirectory: DirectoryState = { files: new Map(), directories: [], odd: [], readAt: 0 };

/**
 * Looks at every file of a directory. A file that has the stamp it had before is taken to be the same, unless
 * `alwaysRead` names it. In a bench `.git` is passed over: it is looked at by those who know what it must be.
 */
export function readDirectory(
  repo: Repo,
  dir: string,
  before: DirectoryState,
  alwaysRead: (path: string) => boolean,
  passOver?: string,
): DirectoryState {
  const files = new Map<string, Found>();
  const directories: string[] = [];
  const odd: Odd[] = [];
  const readAt = Date.now();
  let count = 0;
  const look = (file: string): void => {
    const place = path.join(dir, file);
    const stat = lstatSync(place, { bigint: true });
    if (stat.isDirectory()) {
      directories.push(file);
      enter(place, `${file}/`);
    } else if (!stat.isFile() && !stat.isSymbolicLink())
      odd.push({ path: file, what: 'neither a file nor a directory' });
    else if (stat.size > mostBytes) odd.push({ path: file, what: `larger than ${mostBytes} bytes` });
    else {
      const known = alwaysRead(file) ? undefined : before.files.get(file);
      files.set(file, identify(repo, place, stat, known, before.readAt));
    }
  };
  const enter = (place: string, prefix: string): void => {
    for (const bytes of readdirSync(place, { encoding: 'buffer' })) {
      const name = bytes.toString('utf8');
      if (Buffer.from(name).equals(bytes)) visit(prefix + name);
      else odd.push({ path: prefix + name, what: 'a name that is not UTF-8', raw: bytes });
    }
  };
  const visit = (file: string): void => {
    if (count > mostFiles || file === passOver) return;
    count += 1;
    if (count > mostFiles) odd.push({ path: file, what: `one of more than ${mostFiles} files` });
    else {
      try {
        look(file);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code !== 'ENOENT') odd.push({ path: file, what: `not to be read (${code})` });
      }
    }
  };
  unlockDirectory(dir);
  enter(dir, '');
  return { files, directories, odd, readAt };
}

/** Makes a directory hold exactly these files. What was written has no stamp yet, so the next look reads it. */
export async function restoreDirectory(repo: Repo, dir: string, state: DirectoryState, wanted: Files) {
  for (const name of state.directories) unlockDirectory(path.join(dir, name));
  for (const odd of state.odd) removeOdd(dir, odd);
  for (const file of state.files.keys()) if (!wanted.has(file)) rmSync(path.join(dir, file), { force: true });
  const needed = new Set([...wanted.keys()].flatMap(directoriesOf));
  for (const name of state.directories) if (!needed.has(name)) removeTree(path.join(dir, name));
  const missing = [...wanted].filter(([file, entry]) => {
    const found = state.files.get(file);
    return found?.oid !== entry.oid || found.mode !== entry.mode;
  });
  for (const [file] of missing) clearWay(dir, file);
  await layOut(repo, dir, missing);
  const files = new Map([...state.files].filter(([file]) => wanted.has(file)));
  for (const [file, { mode, oid }] of missing)
    files.set(file, { mode, oid, stamp: '', changedAt: 0, content: undefined });
  return { files, directories: [...needed], odd: [], readAt: state.readAt } satisfies DirectoryState;
}

/** Writes files from the object store into a directory that nobody else has touched. */
export async function layOut(repo: Repo, dir: string, files: Iterable<readonly [string, TreeEntry]>): Promise<void> {
  const there = new Set<string>();
  const list = [...files];
  const contents = await Promise.all(list.map(([, entry]) => contentOf(repo, entry.oid)));
  list.forEach(([file, { mode }], index) => {
    const [target, content] = [path.join(dir, file), contents[index] as Buffer];
    const parent = path.dirname(target);
    if (!there.has(parent) && !existsSync(parent)) makeShownDirectory(parent);
    there.add(parent);
    if (mode === '120000') {
      rmSync(target, { force: true });
      symlinkSync(content.toString('utf8'), target);
    } else writeRegularFile(target, content, mode === '100755' ? 0o755 : 0o644);
  });
}

const cached = new Map<string, Buffer>();
let cachedBytes = 0;
const cacheLimit = 16 * 1024 * 1024;

/** A file's bytes by its id. The same harness is laid out for every trial, so the small ones are kept at hand. */
export async function contentOf(repo: Repo, oid: string): Promise<Buffer> {
  const known = cached.get(oid);
  if (known !== undefined) return known;
  const found = await repo.reader.read(oid);
  if (found?.type !== 'blob') {
    throw new Problem('integrity/history', `the file ${oid} is missing from the repository`, 'Check it with: git fsck');
  }
  keepAtHand(oid, found.content);
  return found.content;
}

/** A file that will be wanted soon: the candidate's own is written to its room a moment after it was read. */
export function keepAtHand(oid: string, content: Buffer): void {
  if (content.length > cacheLimit / 16) return;
  const bytes = Math.max(content.length, Buffer.poolSize); // A small one holds on to the slab that it was cut from.
  if (cachedBytes + bytes > cacheLimit) {
    cached.clear();
    cachedBytes = 0;
  }
  cached.set(oid, content);
  cachedBytes += bytes;
}

function removeOdd(dir: string, { path: file, raw }: Odd): void {
  const place = path.join(dir, file);
  if (raw === undefined) removeTree(place);
  else rmSync(Buffer.concat([Buffer.from(`${path.dirname(place)}/`), raw]), { recursive: true, force: true });
}

/** All directories that lead to a file. */
export const directoriesOf = (file: string): string[] => {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

/** Somebody may have put a directory where a file belongs, a file where a directory does, or a link on the way out. */
function clearWay(dir: string, file: string): void {
  const parts = file.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = path.join(dir, ...parts.slice(0, depth));
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (depth === parts.length ? stat.isDirectory() : !stat.isDirectory()) removeTree(place);
  }
}

function identify(repo: Repo, file: string, stat: BigIntStats, known: Found | undefined, knownAt: number): Found {
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
  if (known !== undefined && known.stamp === stamp && known.changedAt + tickMs < knownAt) return known;
  const content = stat.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file);
  const mode = stat.isSymbolicLink() ? '120000' : (stat.mode & 0o100n) === 0n ? '100644' : '100755';
  return { mode, oid: newObject(repo.hash, 'blob', content).oid, stamp, changedAt: Number(stat.ctimeMs), content };
}

/**
 * Removes a directory that somebody untrusted has used, without standing still: what is more than a little is removed by
 * another process. What cannot be removed stays.
 */
export async function removeRubbish(dir: string): Promise<void> {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && clearDirectory(dir) && removeEmpty(dir))) return;
  if (await run('rm', '-rf', '--', dir)) return;
  await run('chmod', '-R', 'u+rwX', '--', dir); // Somebody has taken away the right to look into it.
  await run('rm', '-rf', '--', dir);
}

const removeEmpty = (dir: string): boolean =>
  orElse(() => {
    rmdirSync(dir);
    return true;
  }, false);

const longestMs = 600_000;

async function run(file: string, ...args: string[]): Promise<boolean> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  return (await runCommand({ file, args, cwd: '/', env, deadlineMs: longestMs })).code === 0;
}
