import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { Problem } from '../domain/problem.ts';
import type { HashName, Repo } from './repo.ts';

/** An object that has an id but is not yet in the store. */
export interface NewObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly content: Buffer;
}

export function newObject(hash: HashName, type: NewObject['type'], content: Buffer | string): NewObject {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const oid = createHash(hash).update(header(type, bytes)).update(bytes).digest('hex');
  return { oid, type, content: bytes };
}

/**
 * Puts an object into the store as git itself would: a temporary file, synced, then renamed into place.
 * In this process, because starting git for each object costs ten times as much as the writing.
 */
export function storeObject(repo: Repo, object: NewObject): string {
  const dir = path.join(repo.objectsDir, object.oid.slice(0, 2));
  const file = path.join(dir, object.oid.slice(2));
  if (freshened(file)) return object.oid;
  const temporary = path.join(dir, `tmp_obj_${randomBytes(6).toString('hex')}`);
  const packed = deflateSync(Buffer.concat([header(object.type, object.content), object.content]), { level: 1 });
  try {
    writeSynced(dir, temporary, packed);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskProblem(file, error);
  }
  return object.oid;
}

/** An object that is there already must not be pruned as old by a gc that runs beside us. */
function freshened(file: string): boolean {
  try {
    const now = Date.now() / 1000;
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

function writeSynced(dir: string, file: string, bytes: Buffer): void {
  const handle = openIn(dir, file);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
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

function diskProblem(file: string, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(
    'disk/write',
    `${file} could not be written: ${message}`,
    'Free some disk space, or give orgrepo the right to write there, and run again; nothing was lost.',
  );
}

const header = (type: string, content: Buffer): Buffer => Buffer.from(`${type} ${content.length}\0`);
