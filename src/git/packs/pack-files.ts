import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HashName, Repo } from '../repo.ts';
import { isCollecting } from '../run-git.ts';

/** The files of one pack, by its name without an ending: `pack-3f2a…`. Git knows a pack by its index. */
const endings = ['.pack', '.rev', '.idx'] as const;

/** Moves a pack to where git finds it, the index last, and returns when the directory is on disk. */
export function movePack(name: string, from: string, to: string): void {
  for (const ending of endings)
    if (existsSync(path.join(from, name + ending)))
      renameSync(path.join(from, name + ending), path.join(to, name + ending));
  const fd = openSync(to, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes a pack, the index first: a pack without one is not looked for. */
export function removePack(name: string, dir: string): void {
  for (const ending of endings.toReversed()) rmSync(path.join(dir, name + ending), { force: true });
}

/** Whether nobody but us has a claim on a pack: a person may keep it, and git may have built something on it. */
export function isPlainPack(name: string, dir: string): boolean {
  const more = readdirSync(dir).filter((file) => file.startsWith(`${name}.`));
  return more.every((file) => endings.some((ending) => file === name + ending)) && more.includes(`${name}.idx`);
}

export const packBytes = (name: string, dir: string): number =>
  statSync(path.join(dir, `${name}.pack`), { throwIfNoEntry: false })?.size ?? 0;

/** The ids in a pack, in order, one after the other. Undefined when its index is not as git writes it since 2007. */
export async function packIds(name: string, dir: string, hash: HashName): Promise<Ids | undefined> {
  const index = await readFile(path.join(dir, `${name}.idx`));
  if (index.length < tableStart || index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2)
    return undefined;
  const length = hash === 'sha256' ? 32 : 20;
  const count = index.readUInt32BE(tableStart - 4);
  return { bytes: index.subarray(tableStart, tableStart + count * length), length, count };
}

/** Behind the signature, the version, and how many ids begin with each byte at the most. */
const tableStart = 8 + 256 * 4;

export interface Ids {
  readonly bytes: Buffer;
  readonly length: number;
  readonly count: number;
}

/** Whether every id of `some` is in `all`. Both are in order, so one walk finds out. */
export async function areWithin(some: Ids, all: Ids): Promise<boolean> {
  const { length } = some;
  let at = 0;
  for (let n = 0; n < some.count; n++) {
    const id = some.bytes.subarray(n * length, (n + 1) * length);
    while (at < all.count && id.compare(all.bytes, at * length, (at + 1) * length) > 0) at += 1;
    if (at >= all.count || id.compare(all.bytes, at * length, (at + 1) * length) !== 0) return false;
    if (n % 5_000 === 0) await nextTurn(); // Lanes go on meanwhile.
  }
  return true;
}

/** Ids as text, in the form of a pack's. */
export function idsOf(ids: readonly string[]): Ids {
  const sorted = [...new Set(ids)].sort();
  return { bytes: Buffer.from(sorted.join(''), 'hex'), length: (sorted[0]?.length ?? 0) / 2, count: sorted.length };
}

export type PackedRepo = Pick<Repo, 'gitDir' | 'objectsDir' | 'hash'>;

const ownFile = ({ gitDir }: PackedRepo): string => path.join(gitDir, 'orgrepo', 'packs');

/** The packs that were made here and are there. Where the file is lost they are somebody's packs, and stay. */
export function ownPacks(repo: PackedRepo): string[] {
  return listed(ownFile(repo)).filter((name) => existsSync(indexOf(repo, name)));
}

const listed = (file: string): string[] =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter((name) => /^pack-[0-9a-f]{40,64}$/.test(name));

const indexOf = ({ objectsDir }: PackedRepo, name: string): string => path.join(objectsDir, 'pack', `${name}.idx`);

export function writeOwnPacks(repo: PackedRepo, names: readonly string[]): void {
  const file = ownFile(repo);
  writeFileSync(`${file}.${process.pid}`, names.map((name) => `${name}\n`).join(''));
  renameSync(`${file}.${process.pid}`, file);
}

/** Removes what a kill has left of a pack that was about to be there, or about to go. */
export function sweepPacks(repo: PackedRepo): void {
  if (isCollecting(repo.gitDir)) return;
  const half = listed(ownFile(repo)).filter((name) => !existsSync(indexOf(repo, name)));
  for (const name of half) removePack(name, path.join(repo.objectsDir, 'pack'));
  if (half.length > 0) writeOwnPacks(repo, ownPacks(repo));
}
