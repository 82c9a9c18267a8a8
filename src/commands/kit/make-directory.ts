import { mkdirSync } from 'node:fs';
import { Problem } from '../../text/problem.ts';

/** Makes a directory that a person has named, where there is none; a file in its place, or on the way to it, is theirs to see to. */
export function makeDirectory(dir: string, hint: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new Problem('file/missing', `${dir} is no directory, and cannot be made one`, hint, { file: dir });
  }
}
