import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Whom cells belong to where orgrepo runs as root. */
export const nobody = 65_534;

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The user inside a cell. */
export const cellUser = (): { readonly uid: number; readonly gid: number } =>
  isRoot() ? { uid: nobody, gid: nobody } : { uid: process.getuid?.() ?? nobody, gid: process.getgid?.() ?? nobody };

/**
 * Gives a directory of ours to the user of a cell, and to no other. Where orgrepo runs as root, that is somebody else; else it
 * is the person, whose it is already.
 */
export function openToCells(dir: string): void {
  chmodSync(dir, 0o700);
  if (isRoot()) giveTo(dir, nobody);
}

/** The same directory is ours again: git refuses to work in one that belongs to somebody else. */
export function closeToCells(dir: string): void {
  if (isRoot() && lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) giveTo(dir, 0);
}

/** Without a link on the way: only what stands in the directory itself changes hands. */
function giveTo(place: string, owner: number): void {
  const stat = lstatSync(place);
  lchownSync(place, owner, owner);
  if (stat.isFile()) chmodSync(place, (stat.mode & 0o777) | 0o600);
  if (!stat.isDirectory()) return;
  chmodSync(place, (stat.mode & 0o777) | 0o700);
  for (const name of readdirSync(place)) giveTo(path.join(place, name), owner);
}

/** Makes a directory that the user of a cell can look into, whatever the umask of a person who is root. */
export function makeShownDirectory(dir: string): void {
  if (!isRoot()) {
    mkdirSync(dir, { recursive: true });
    return;
  }
  const usual = process.umask(0o022);
  try {
    mkdirSync(dir, { recursive: true });
  } finally {
    process.umask(usual);
  }
}
