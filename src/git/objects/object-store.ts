import {
  closeSync,
  constants,
  existsSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { findSecret } from '../../secrets/known-secrets.ts';
import { Problem } from '../../text/problem.ts';
import { type NewObject, objectHeader, withoutIds } from './tree.ts';

/** New objects on their way to disk. In this process, because starting git for each costs ten times as much as the writing. */
export interface ObjectStore {
  /** Throws a Problem when it holds a secret: an offer of such a thing has to be refused before. */
  add(object: NewObject): void;
  /** An object that is at hand: not on disk yet, written lately, or a commit or a tree that was read lately. */
  recall(oid: string): KnownObject | undefined;
  /** Keeps what was read. */
  learn(object: KnownObject): void;
  /** Writes once more what was written lately: somebody may have taken it for garbage before a ref named it. */
  writeAgain(): void;
  /** When this returns, everything added before is in the repository, whatever happens to this process. */
  flush(): Promise<void>;
  /** When this returns, it is on disk too, whatever happens to the machine. Costs ten times as much. */
  sync(): Promise<void>;
}

/** An object never changes under its id. Commits and trees are asked for again and again; files are too large to keep. */
export interface KnownObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

/** What may not be named by a ref yet: more than all lanes together write between two moves of their refs. */
const mostRecent = 500;
const mostRecentBytes = 16 * 1024 * 1024;

const mostKnown = 2_000;
const largestKnown = 16_384;

/** Objects are synced behind our back once so many have gathered: what a failing machine may cost is bounded. */
const syncAfter = 128;

export function openStore(objectsDir: string): ObjectStore {
  let waiting = new Map<string, NewObject>();
  let writing = new Map<string, NewObject>();
  let turn: Promise<void> = Promise.resolve();
  let unsynced: Unsynced[] = [];
  let syncing: Promise<void> = Promise.resolve();
  const known = new Map<string, KnownObject>();
  const learn = (object: KnownObject): void => {
    if (object.type === 'blob' || object.content.length > largestKnown) return;
    if (known.size >= mostKnown) known.clear();
    known.set(object.oid, object);
  };

  const syncGathered = (): Promise<void> => {
    const files = unsynced;
    unsynced = [];
    syncing = syncing.then(() => syncFiles(files));
    return syncing;
  };

  const recent = new Map<string, NewObject>();
  let recentBytes = 0;
  const keepRecent = (object: NewObject): void => {
    if (recent.has(object.oid)) return;
    recent.set(object.oid, object);
    recentBytes += object.content.length;
    for (const [oid, { content }] of recent) {
      if (recent.size <= mostRecent && recentBytes <= mostRecentBytes) break;
      recent.delete(oid);
      recentBytes -= content.length;
    }
  };

  const writeWaiting = async (): Promise<void> => {
    if (waiting.size === 0) return;
    [writing, waiting] = [waiting, new Map()];
    try {
      unsynced.push(...writeObjects(objectsDir, [...writing.values()]));
      if (unsynced.length >= syncAfter) syncGathered().catch(() => {}); // The next `sync` says so.
    } catch (error) {
      waiting = new Map([...writing, ...waiting]); // Still owed: the next flush tries again.
      throw error;
    } finally {
      writing = new Map();
    }
  };

  return {
    add: (object) => {
      refuseSecrets(object);
      waiting.set(object.oid, object);
      keepRecent(object);
      learn(object);
    },
    recall: (oid) => waiting.get(oid) ?? writing.get(oid) ?? known.get(oid) ?? recent.get(oid),
    learn,
    writeAgain: () => {
      for (const [oid, object] of recent) waiting.set(oid, object);
    },
    flush: () => {
      const mine = turn.then(writeWaiting);
      turn = mine.catch(() => {});
      return mine;
    },
    sync: async () => {
      await turn;
      await syncGathered();
    },
  };
}

/**
 * As git itself does it, a temporary file, then renamed into place; but the file is born in the objects' own directory.
 * A filesystem puts a file near the directory it is made in, and in each of 256 young directories the first one costs a
 * millisecond. Gives the files that were made, still open.
 */
function writeObjects(objectsDir: string, objects: readonly NewObject[]): Unsynced[] {
  const made: Unsynced[] = [];
  for (const object of objects) {
    const dir = path.join(objectsDir, object.oid.slice(0, 2));
    const file = path.join(dir, object.oid.slice(2));
    if (freshened(file)) continue;
    made.push({ file, fd: writeObject(objectsDir, dir, file, compressed(object)) });
  }
  return made;
}

/** Below the size of a disk block compressing saves nothing, so a small object is stored as it is: zlib's frame and no more. */
function compressed(object: NewObject): Buffer {
  const bytes = Buffer.concat([objectHeader(object), object.content]);
  if (bytes.length > 3_500) return deflateSync(bytes, { level: 1 });
  const framed = Buffer.allocUnsafe(bytes.length + 11);
  framed.writeUInt16BE(0x7801, 0);
  framed.writeUInt8(1, 2); // The last block, not compressed.
  framed.writeUInt16LE(bytes.length, 3);
  framed.writeUInt16LE(~bytes.length & 0xffff, 5);
  bytes.copy(framed, 7);
  framed.writeUInt32BE(adler32(bytes), bytes.length + 7);
  return framed;
}

/** Short enough for its sums never to overflow before the end: 3,500 bytes at most. */
function adler32(bytes: Buffer): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low += byte;
    high += low;
  }
  return ((high % 65_521) * 65_536 + (low % 65_521)) >>> 0;
}

/** A file that is written and stays open until it is synced. A gc may have packed and removed it meanwhile: no harm. */
interface Unsynced {
  readonly file: string;
  readonly fd: number;
}

/** The syncs share their wait for the disk. */
async function syncFiles(files: readonly Unsynced[]): Promise<void> {
  await Promise.all(files.map(syncOne));
}

function syncOne({ file, fd }: Unsynced): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => {
      closeSync(fd);
      if (error === null) resolve();
      else reject(diskProblem(file, error));
    });
  });
}

/** What is in git is there for ever and goes wherever the branches are pushed. What git has already is not asked about. */
function refuseSecrets({ type, content }: NewObject): void {
  const name = findSecret(content);
  if (name === undefined) return;
  if (type === 'commit' && findSecret(withoutIds(content.toString('utf8'))) === undefined) return; // A token that looks like an id.
  throw new Problem(
    'credentials/exposed',
    `a ${type === 'blob' ? 'file' : type} that was about to be written to git holds the secret ${name}`,
    'It was not written. Look for it in your specs, your sandbox and the names of your files, and take it out.',
  );
}

let temporaries = 0;

/**
 * An object that is there already must not be pruned as old by a gc that runs beside us. An empty file is what a power
 * failure has left of one: it is not there.
 */
function freshened(file: string): boolean {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.size) return false;
    const now = Date.now() / 1000;
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Tried again when a gc beside us takes the temporary file for a stray one, or the new directory for an empty one. */
function writeObject(objectsDir: string, dir: string, file: string, bytes: Buffer): number {
  for (let attempt = 1; ; attempt++) {
    const temporary = path.join(objectsDir, `tmp_obj_${process.pid}_${Date.now().toString(36)}_${++temporaries}`);
    let fd: number | undefined;
    try {
      fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o444);
      writeFileSync(fd, bytes);
      if (attempt > 1) mkdirSync(dir, { recursive: true });
      renameSync(temporary, file);
      return fd;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      if (existsSync(temporary)) rmSync(temporary, { force: true });
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt > 10) throw diskProblem(file, error);
    }
  }
}

function diskProblem(file: string, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(
    'disk/write',
    `${file} could not be written: ${message}`,
    'Free some disk space, or give orgrepo the right to write there, and run again; nothing was lost.',
  );
}
