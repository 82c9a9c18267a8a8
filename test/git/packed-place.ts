import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { newObject, storeObject } from '../../src/git/objects/tree.ts';
import { type Packing, packLoose } from '../../src/git/packs/pack-loose.ts';
import { openRepo, type Repo } from '../../src/git/repo.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

/** A repository with objects to pack. */
export interface Place {
  readonly org: TestOrg;
  readonly repo: Repo;
  readonly packs: string;
}

export async function aPlace(): Promise<Place> {
  const org = anOrg();
  const repo = await openRepo(org.dir);
  after(() => repo.close());
  return { org, repo, packs: path.join(repo.objectsDir, 'pack') };
}

/** Writes so many objects that no ref names. */
export async function write({ repo }: Place, count: number, word: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const object = newObject(repo.hash, 'blob', Buffer.from(`${word} ${n}\n`.repeat(30)));
    storeObject(repo, object);
    ids.push(object.oid);
  }
  await repo.store.flush();
  return ids;
}

export const forEver = new AbortController().signal;
export const pack = ({ repo }: Place, atLeast = 1, signal = forEver): Promise<Packing> =>
  packLoose(repo, { atLeast, olderThanMs: 0 }, signal);
export const counts = ({ org }: Place): Record<string, number> =>
  Object.fromEntries(
    [...org.git('count-objects', '-v').matchAll(/^([\w-]+): (\d+)$/gm)].map(([, k, v]) => [k, Number(v)]),
  );
export const packsOf = ({ packs }: Place): string[] =>
  existsSync(packs) ? readdirSync(packs).filter((name) => name.endsWith('.pack')) : [];
export const litterOf = ({ repo, packs }: Place): string[] => [
  ...readdirSync(path.join(repo.gitDir, 'orgrepo')).filter((name) => name !== 'packs'),
  ...readdirSync(packs).filter((name) => !/^pack-[0-9a-f]+\.(pack|idx|rev)$/.test(name)),
];

/** Those of these objects that git cannot read. */
export const lost = ({ org }: Pick<Place, 'org'>, ids: readonly string[]): string[] => {
  const there = new Set(org.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split('\n'));
  return ids.filter((id) => !there.has(id));
};
