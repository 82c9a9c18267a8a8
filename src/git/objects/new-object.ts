import { createHash } from 'node:crypto';
import type { HashName, Repo } from '../repo.ts';

/** An object that has an id, wherever it is kept. */
export interface NewObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly content: Buffer;
}

export function newObject(hash: HashName, type: NewObject['type'], content: Buffer | string): NewObject {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const oid = createHash(hash)
    .update(objectHeader({ type, content: bytes }))
    .update(bytes)
    .digest('hex');
  return { oid, type, content: bytes };
}

/** Adds an object to the repository. It can be read at once; it is on disk before any ref moves. */
export function storeObject(repo: Repo, object: NewObject): string {
  repo.store.add(object);
  return object.oid;
}

/** A text without the ids that stand in it. */
export const withoutIds = (text: string): string => text.replace(/\b([0-9a-f]{64}|[0-9a-f]{40})\b/g, '');

export const objectHeader = ({ type, content }: Pick<NewObject, 'type' | 'content'>): Buffer =>
  Buffer.from(`${type} ${content.length}\0`);
