import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { programDirs } from './cell.ts';

/** What is installed for a repository, at its root: packages that a harness finds by looking upwards. */
const installed = ['node_modules', '.venv', 'venv', 'package.json'];

/** What every cell of a repository shows of the machine: its programs, and the packages installed for the repository. */
export function machineFor(root: string): readonly string[] {
  const programs = programDirs(process.env.PATH ?? '', homedir()).filter(
    (dir) => dir !== root && !root.startsWith(`${dir}/`) && !dir.startsWith(path.join(root, '.')),
  );
  const packages = installed.map((name) => path.join(root, name)).filter((file) => existsSync(file));
  const all = [...new Set([...programs, ...packages])];
  return all.filter((dir) => !all.some((other) => dir.startsWith(`${other}/`)));
}
