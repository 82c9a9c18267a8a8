import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Cell, quote, scratchFiles } from './cell.ts';

/**
 * What stands around the cells of one launcher: a mount namespace that holds the directories in memory, and everything
 * that a cell shows, at a place that anybody may walk to. A cell is made by somebody without rights, also where orgrepo
 * runs as root: root without capabilities could still read root's files and start processes without end.
 */
export interface Holder {
  /** Where, in the holder, a path of the machine is found. */
  at(path: string): string;
  /** The command that starts a shell in the holder. */
  around(shell: readonly string[]): string[];
}

/** Whom cells belong to where orgrepo runs as root. */
const nobody = 65_534;

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Lets the user of a cell write to a directory of ours: where orgrepo runs as root, that is somebody else. */
export function openToCells(dir: string): void {
  if (!isRoot()) return;
  chmodSync(dir, 0o777);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const place = path.join(dir, entry.name);
    if (entry.isDirectory()) openToCells(place);
    else if (entry.isFile()) chmodSync(place, (lstatSync(place).mode & 0o777) | 0o666);
  }
}

/** The user inside a cell. */
export const cellUser = (): { readonly uid: number; readonly gid: number } =>
  isRoot() ? { uid: nobody, gid: nobody } : { uid: process.getuid?.() ?? nobody, gid: process.getgid?.() ?? nobody };

export function holderOf(cell: Cell): Holder {
  const sources = [...cell.shown, ...cell.open, ...cell.held];
  const stage = stageFor(sources);
  const at = (path: string): string => `${stage}${path}`;
  const user = isRoot() ? [] : ['--user', '--map-root-user'];
  const become = isRoot() ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'] : [];
  return {
    at,
    around: (shell) => [
      // Without us nobody could ask for the end of what runs in there.
      ...['setpriv', '--pdeathsig=KILL', 'unshare', ...user, '--mount', '--propagation', 'private'],
      ...['/bin/sh', '-euc', `${building(cell, stage, at)}\nexec "$@"`, 'holder'],
      ...[...become, 'setpriv', '--pdeathsig=KILL', ...shell],
    ],
  };
}

function building(cell: Cell, stage: string, at: Holder['at']): string {
  return [
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH',
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${stage}`,
    'bind() { if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; : > "$2"; fi; mount --bind "$1" "$2"; }',
    ...[...cell.shown, ...cell.open].map((dir) => `bind ${quote(dir)} ${quote(at(dir))}`),
    ...cell.held.map(
      (dir) =>
        `mkdir -p ${quote(at(dir))}; mount -t tmpfs -o nosuid,nodev,mode=777,size=${cell.scratchBytes},nr_inodes=${scratchFiles} tmpfs ${quote(at(dir))}`,
    ),
  ].join('\n');
}

/** A directory that every machine has and nothing that is needed stands in: it is covered, for the holder alone. */
function stageFor(sources: readonly string[]): string {
  const free = ['/mnt', '/media', '/srv', '/home', '/run'].find(
    (dir) => existsSync(dir) && !sources.some((source) => source === dir || source.startsWith(`${dir}/`)),
  );
  if (free === undefined) throw new Error('no directory is free to build a cell in');
  return free;
}
