import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { orElse } from '../../text/problem.ts';

/** Where a program of this name is on the PATH; undefined when it is not installed. */
export function placeOfProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(':')
    .filter((dir) => path.isAbsolute(dir))
    .map((dir) => path.join(dir, name))
    .find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * What has to be there besides a program itself: on the PATH there is often only a link into a tree of packages, or a short
 * script whose interpreter stands in an environment of its own.
 */
export function belongingsOf(program: string): readonly string[] {
  const files = [program, interpreterOf(program)].filter((file) => file !== undefined);
  const real = files.map(realOf).filter((file) => file !== undefined);
  const trees = [...files, ...real].map(treeAround).filter((tree) => tree !== undefined);
  return [...new Set([...files, ...real, ...trees])];
}

/** The same of a command line: its program, and every script that it is given by its full path. */
export const belongingsOfLine = ([program = '', ...words]: readonly string[]): readonly string[] =>
  [program.includes('/') ? program : (placeOfProgram(program) ?? ''), ...words]
    .filter((word) => path.isAbsolute(word))
    .flatMap((file) => orElse(() => (statSync(file).isFile() ? belongingsOf(file) : []), []));

/** The packages that a file is one of, or the directory that has it in its `bin`. Never somebody's whole home. */
function treeAround(file: string): string | undefined {
  const packages = /^.*?\/node_modules(?=\/)/.exec(file)?.[0];
  if (packages !== undefined) return packages;
  const above = path.dirname(path.dirname(file));
  const own = path.basename(path.dirname(file)) === 'bin' && !['/', '/usr', '/usr/local', homedir()].includes(above);
  return own && path.basename(above) !== '.local' ? above : undefined;
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** What a script names in its first line, where it does so by its full path. */
function interpreterOf(file: string): string | undefined {
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(256);
    const first = head.toString('latin1', 0, readSync(handle, head)).split('\n')[0] ?? '';
    return /^#!\s*(\/\S+)/.exec(first)?.[1];
  } finally {
    closeSync(handle);
  }
}
