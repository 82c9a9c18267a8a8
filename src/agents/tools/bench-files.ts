import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile, writeRegularFile } from '../../process/regular-file.ts';

/**
 * The files of a bench as somebody sees them who must not get out of it: by paths with slashes below its directory, through
 * no link, and never `.git`.
 */
export interface BenchFiles {
  /** Every file, sorted; at most so many. */
  list(below: string): readonly string[];
  /** Undefined when there is no such file, or it is none that can be read. */
  read(file: string): string | undefined;
  /** What is wrong, or undefined when it is done. */
  write(file: string, text: string): string | undefined;
  remove(file: string): string | undefined;
}

/** A file larger than this is no text for a model, and no tool would show it. */
export const largestFile = 2 * 1024 * 1024;

const mostFiles = 5_000;

export function benchFiles(dir: string, mayWrite: (file: string) => boolean): BenchFiles {
  const place = (file: string): string | undefined => placeIn(dir, file);
  return {
    list: (below) => [...walk(dir, below === '' ? '' : clean(below))].slice(0, mostFiles),
    read: (file) => {
      const found = place(file);
      return found === undefined ? undefined : readRegularFile(found, largestFile);
    },
    write: (file, text) => {
      const found = place(file);
      if (found === undefined || !mayWrite(clean(file))) return 'that is not yours to write';
      if (Buffer.byteLength(text) > largestFile) return `a file may have ${largestFile} bytes at most`;
      const stat = lstatSync(found, { throwIfNoEntry: false });
      if (stat !== undefined && !stat.isFile()) return 'that is no file';
      mkdirSync(path.dirname(found), { recursive: true });
      writeRegularFile(found, Buffer.from(text), stat === undefined ? 0o644 : stat.mode & 0o777);
      return undefined;
    },
    remove: (file) => {
      const found = place(file);
      if (found === undefined || !mayWrite(clean(file))) return 'that is not yours to remove';
      if (lstatSync(found, { throwIfNoEntry: false })?.isFile() !== true) return 'there is no such file';
      rmSync(found);
      return undefined;
    },
  };
}

/** A path as the bench spells it: without `./`, and with nothing that leads elsewhere. */
const clean = (file: string): string => path.posix.normalize(file).replace(/^\.\/|\/$/g, '');

/** Where a file of the bench is; undefined when it would be outside, in `.git`, or behind a link. */
function placeIn(dir: string, file: string): string | undefined {
  const parts = clean(file).split('/');
  const strange = file === '' || file.includes('\0') || path.posix.isAbsolute(file) || file.includes('\\');
  if (strange || parts.some((part) => part === '..' || part === '' || /^\.git$/i.test(part))) return undefined;
  for (let depth = 1; depth < parts.length; depth++) {
    const above = lstatSync(path.join(dir, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    if (above !== undefined && !above.isDirectory()) return undefined;
  }
  return path.join(dir, ...parts);
}

function* walk(dir: string, below: string): Generator<string> {
  const start = below === '' || below === '.' ? dir : placeIn(dir, below);
  if (start === undefined || lstatSync(start, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const entries = readdirSync(start, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = below === '' || below === '.' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) yield* walk(dir, file);
    else if (entry.isFile()) yield file;
  }
}
