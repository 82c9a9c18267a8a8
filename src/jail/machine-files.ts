import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { programDirs } from './cell.ts';

/** What is installed for a repository, at its root: packages that a harness finds by looking upwards. */
const installed = ['node_modules', '.venv', 'venv', 'package.json'];

/** A place that a brief shows, as a path. */
export const shownPath = (place: string): string => place.replace(/^~(?=\/)/, homedir());

/** The places that a brief shows, as paths. What is not there cannot be shown. */
export const shownPaths = (show: readonly string[]): readonly string[] =>
  show.map(shownPath).filter((place) => existsSync(place));

/** Where `~` leads in a cell: to the home only when something in it is shown. */
export const homeWith = (places: readonly string[]): string =>
  places.some((place) => place.startsWith(`${homedir()}/`)) ? homedir() : '/tmp';

/** uv would make an environment where it stands; there is one already, beside the repository's packages. */
export function packagesOf(root: string): Record<string, string> {
  const venv = path.join(root, '.venv');
  if (!existsSync(venv)) return {};
  return { UV_PROJECT_ENVIRONMENT: venv, UV_NO_SYNC: '1', UV_OFFLINE: '1', UV_CACHE_DIR: '/tmp/uv' };
}

/** What every cell of a repository shows of the machine: its programs, and the packages installed for the repository. */
export function machineFor(root: string): readonly string[] {
  const programs = programDirs(process.env.PATH ?? '', homedir()).filter(
    (dir) => dir !== root && !root.startsWith(`${dir}/`) && !dir.startsWith(path.join(root, '.')),
  );
  const packages = installed.map((name) => path.join(root, name)).filter((file) => existsSync(file));
  const all = [...new Set([...programs, ...packages])];
  return all.filter((dir) => !all.some((other) => dir.startsWith(`${other}/`)));
}
