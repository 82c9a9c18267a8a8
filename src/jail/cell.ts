import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { homedir, totalmem } from 'node:os';
import path from 'node:path';

/** What a process in a cell finds of the machine. What is not named here is not there. */
export interface Cell {
  /** To be read, under their own names. */
  readonly shown: readonly string[];
  /**
   * Directories that are not there, although a part of the machine around them is: a repository in /opt. What is shown
   * or open below one of them is there all the same.
   */
  readonly hidden: readonly string[];
  /** The same, and to be written to. */
  readonly open: readonly string[];
  /** Directories in memory that outlive a command, to be written to; the next command finds them empty. */
  readonly memory: readonly string[];
  /** How much fits into each of these, and into /tmp, which is new for every command. */
  readonly scratchBytes: number;
  readonly network: boolean;
}

/** How much is usual: a quarter of the machine's memory, within reason. */
export const scratchBytes = Math.round(Math.min(2 ** 31, Math.max(2 ** 26, totalmem() / 4)));

/** Files in a directory in memory cost more than their bytes, so their number has an end too. */
export const scratchFiles = 100_000;

/** A part of the machine that programs need, as it stands at the root: a directory, or a link to one. */
interface SystemPart {
  readonly path: string;
  readonly link: string | undefined;
}

const systemDirs = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store'];

/** Graphics cards, for those who train on them. */
const cards = ['/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm', '/dev/dri', '/dev/kfd'];

export const presentCards = (): readonly string[] => cards.filter((file) => existsSync(file));

export function systemParts(): readonly SystemPart[] {
  return systemDirs.flatMap((dir) => {
    const stat = lstatSync(dir, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return [{ path: dir, link: stat.isSymbolicLink() ? readlinkSync(dir) : undefined }];
  });
}

/** What stands beside `bin` and belongs to the programs in it. The rest of `~/.local` or `~/.cargo` is nobody's business. */
const beside = ['bin', 'sbin', 'shims', 'lib', 'lib64', 'libexec', 'include', 'versions', 'toolchains'];

/**
 * Where the programs on a PATH live when that is not the system: a node of nvm or a python of pyenv stands in somebody's
 * home, with its libraries around it.
 */
export function programDirs(searchPath: string, home: string | undefined): readonly string[] {
  const node = path.dirname(realpathSync(process.execPath)); // On the PATH there may be only a link to it.
  const dirs = [...searchPath.split(':'), node].filter((dir) => path.isAbsolute(dir) && existsSync(dir));
  const parts = dirs.flatMap((dir) => {
    const parent = path.dirname(dir);
    if (!beside.includes(path.basename(dir)) || parent === home || parent === '/') return [dir];
    return beside.map((name) => path.join(parent, name)).filter((one) => existsSync(one));
  });
  return [...new Set(parts)].filter((dir) => dir !== '/' && dir !== home && !isBelowSystem(dir));
}

/** Whether a place is there in every cell, with the part of the machine that it stands in. */
export const isBelowSystem = (place: string): boolean => systemDirs.some((system) => isWithin(place, system));

/** What no cell can do without: a directory that holds one of these cannot be hidden. */
const needed = [...systemDirs, '/usr/bin', '/usr/lib', '/usr/local/bin', '/usr/local/lib'];

/** The part of the machine that would be hidden together with a directory. */
export const hiddenWith = (dir: string): string | undefined => needed.find((part) => isWithin(part, dir));

export const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);

/** What is installed for a repository, at its root: packages that a harness finds by looking upwards. */
const installed = ['node_modules', '.venv', 'venv', 'package.json'];

/** Those of them that hold packages, where they are there: a copy of the repository is linked to them. */
export const packagesAt = (root: string): readonly string[] =>
  installed.slice(0, 3).filter((name) => existsSync(path.join(root, name)));

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

/** The user that cells belong to where orgrepo runs as root. */
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
  const usual = isRoot() ? process.umask(0o022) : undefined;
  try {
    mkdirSync(dir, { recursive: true });
  } finally {
    if (usual !== undefined) process.umask(usual);
  }
}
