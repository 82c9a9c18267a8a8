import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { Problem } from '../domain/problem.ts';
import { type NewObject, objectHeader } from './objects.ts';

/** New objects on their way to disk. In this process, because starting git for each costs ten times as much as the writing. */
export interface ObjectStore {
  add(object: NewObject): void;
  /** An object that was added and is not on disk yet. */
  pending(oid: string): NewObject | undefined;
  /** When this returns, everything added before is in the repository, whatever happens to this process. */
  flush(): Promise<void>;
  /** When this returns, it is on disk too, whatever happens to the machine. Costs ten times as much. */
  sync(): Promise<void>;
}

/** Objects are synced behind our back once so many have gathered: what a failing machine may cost is bounded. */
const syncAfter = 256;

export function openStore(objectsDir: string): ObjectStore {
  let waiting = new Map<string, NewObject>();
  let writing = new Map<string, NewObject>();
  let turn: Promise<void> = Promise.resolve();
  let unsynced: string[] = [];
  let syncing: Promise<void> = Promise.resolve();

  const syncGathered = (): Promise<void> => {
    const files = unsynced;
    unsynced = [];
    syncing = syncing.then(() => syncFiles(files));
    return syncing;
  };

  const writeWaiting = async (): Promise<void> => {
    if (waiting.size === 0) return;
    [writing, waiting] = [waiting, new Map()];
    try {
      unsynced.push(...writeObjects(objectsDir, [...writing.values()]));
      if (unsynced.length >= syncAfter) void syncGathered();
    } catch (error) {
      waiting = new Map([...writing, ...waiting]); // Still owed: the next flush tries again.
      throw error;
    } finally {
      writing = new Map();
    }
  };

  return {
    add: (object) => void waiting.set(object.oid, object),
    pending: (oid) => waiting.get(oid) ?? writing.get(oid),
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

/** As git itself does it: a temporary file, then renamed into place. Gives the files that were made. */
function writeObjects(objectsDir: string, objects: readonly NewObject[]): string[] {
  const made: string[] = [];
  for (const object of objects) {
    const dir = path.join(objectsDir, object.oid.slice(0, 2));
    const file = path.join(dir, object.oid.slice(2));
    if (freshened(file)) continue;
    const temporary = path.join(dir, `tmp_obj_${randomBytes(6).toString('hex')}`);
    try {
      writeNew(dir, temporary, deflateSync(Buffer.concat([objectHeader(object), object.content]), { level: 1 }));
      renameSync(temporary, file);
    } catch (error) {
      if (existsSync(temporary)) rmSync(temporary);
      throw diskProblem(file, error);
    }
    made.push(file);
  }
  return made;
}

/** The syncs share their wait for the disk. A file that is gone was packed by a gc, which has synced it itself. */
async function syncFiles(files: readonly string[]): Promise<void> {
  for (let at = 0; at < files.length; at += 16) await Promise.all(files.slice(at, at + 16).map(syncOne));
}

async function syncOne(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw diskProblem(file, error);
  }
}

/** An object that is there already must not be pruned as old by a gc that runs beside us. */
function freshened(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const now = Date.now() / 1000;
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Tried again when a gc beside us removes the empty directory that we have just made. */
function writeNew(dir: string, file: string, bytes: Buffer): void {
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(file, bytes, { flag: 'wx', mode: 0o444 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt > 10) throw error;
      mkdirSync(dir, { recursive: true });
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
