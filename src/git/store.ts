import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { Problem } from '../domain/problem.ts';
import { type NewObject, objectHeader } from './objects.ts';

const syncFile = promisify(fsync);

/** New objects on their way to disk. In this process, because starting git for each costs ten times as much as the writing. */
export interface ObjectStore {
  add(object: NewObject): void;
  /** An object that was added and is not on disk yet. */
  pending(oid: string): NewObject | undefined;
  /** When this returns, everything added before is on disk, whatever happens to the machine next. */
  flush(): Promise<void>;
}

export function openStore(objectsDir: string): ObjectStore {
  let waiting = new Map<string, NewObject>();
  let writing = new Map<string, NewObject>();
  let turn: Promise<void> = Promise.resolve();

  const writeWaiting = async (): Promise<void> => {
    if (waiting.size === 0) return;
    [writing, waiting] = [waiting, new Map()];
    try {
      await writeObjects(objectsDir, [...writing.values()]);
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
  };
}

/** As git itself does it: a temporary file, synced, then renamed into place. The syncs share one wait for the disk. */
async function writeObjects(objectsDir: string, objects: readonly NewObject[]): Promise<void> {
  const open: { handle: number; temporary: string; file: string }[] = [];
  try {
    for (const object of objects) {
      const dir = path.join(objectsDir, object.oid.slice(0, 2));
      const file = path.join(dir, object.oid.slice(2));
      if (freshened(file)) continue;
      const temporary = path.join(dir, `tmp_obj_${randomBytes(6).toString('hex')}`);
      const handle = openIn(dir, temporary);
      open.push({ handle, temporary, file });
      writeWhole(handle, deflateSync(Buffer.concat([objectHeader(object), object.content]), { level: 1 }));
    }
    await Promise.all(open.map(({ handle }) => syncFile(handle)));
    for (const { temporary, file } of open) renameSync(temporary, file);
  } catch (error) {
    for (const { temporary } of open) rmSync(temporary, { force: true });
    throw diskProblem(objectsDir, error);
  } finally {
    for (const { handle } of open) closeSync(handle);
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

function openIn(dir: string, file: string): number {
  try {
    return openSync(file, 'wx', 0o444);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dir, { recursive: true });
    return openSync(file, 'wx', 0o444);
  }
}

function writeWhole(handle: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
}

function diskProblem(dir: string, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(
    'disk/write',
    `${dir} could not be written to: ${message}`,
    'Free some disk space, or give orgrepo the right to write there, and run again; nothing was lost.',
  );
}
