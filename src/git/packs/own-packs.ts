import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from '../repo.ts';
import { isCollecting } from './collector.ts';
import { removePack } from './pack-files.ts';

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
