import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../launcher.ts';
import { type Cell, scratchFiles } from './cell.ts';

/**
 * What stands around the cells of one launcher: a mount namespace that holds the directories in memory, and everything
 * that a cell shows, at a place that anybody may walk to. A cell is made by somebody without rights, also where orgrepo
 * runs as root: root without capabilities could still read root's files and start processes without end.
 */
export interface Holder {
  /** The directory, in the holder, below which it keeps all this. */
  readonly stage: string;
  /** Where a path of the machine is found there. */
  at(path: string): string;
  /** The command that starts a shell in the holder. */
  around(shell: readonly string[]): string[];
}

/** Whom cells belong to where orgrepo runs as root. */
const nobody = 65_534;

const isRoot = (): boolean => process.getuid?.() === 0;

/** The user inside a cell. */
export const cellUser = (): { readonly uid: number; readonly gid: number } =>
  isRoot() ? { uid: nobody, gid: nobody } : { uid: process.getuid?.() ?? nobody, gid: process.getgid?.() ?? nobody };

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

/** `inside` says where below the stage a path goes, `more` what else is to be built there. */
export function holderOf(cell: Cell, inside: (path: string) => string, more: (stage: string) => string[]): Holder {
  const stage = stageFor([...cell.shown, ...cell.open, ...cell.held]);
  const at = (place: string): string => `${stage}${inside(place)}`;
  const user = isRoot() ? [] : ['--user', '--map-root-user'];
  const become = isRoot() ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'] : [];
  const script = [
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${stage}`,
    ...tools,
    ...cell.shown.map((place) => `show ${quote(place)} ${quote(at(place))}`),
    ...cell.open.map((place) => `bind ${quote(place)} ${quote(at(place))}`),
    ...cell.held.map((dir) => `scratch ${quote(at(dir))} ${cell.scratchBytes}`),
    ...more(stage),
    `mount -o remount,ro ${stage}`,
    'exec "$@"',
  ];
  return {
    stage,
    at,
    around: (shell) => [
      // Without us nobody could ask for the end of what runs in there.
      ...['setpriv', '--pdeathsig=KILL', 'unshare', ...user, '--mount', '--propagation', 'private'],
      ...['/bin/sh', '-euc', script.join('\n'), 'holder'],
      ...[...become, 'setpriv', '--pdeathsig=KILL', ...shell],
    ],
  };
}

/** A mount that does not allow programs has to stay so. */
const tools = [
  'bind() { if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; : > "$2"; fi; mount --bind "$1" "$2"; }',
  'show() { bind "$1" "$2"; mount -o remount,bind,ro,nosuid,nodev "$2" || mount -o remount,bind,ro,nosuid,nodev,noexec "$2"; }',
  `scratch() { mkdir -p "$1"; mount -t tmpfs -o "nosuid,nodev,mode=777,size=$2,nr_inodes=${scratchFiles}" tmpfs "$1"; }`,
];

/** A directory that every machine has and nothing that is needed stands in: it is covered, for the holder alone. */
function stageFor(sources: readonly string[]): string {
  const free = ['/mnt', '/media', '/srv', '/home', '/run'].find(
    (dir) => existsSync(dir) && !sources.some((source) => source === dir || source.startsWith(`${dir}/`)),
  );
  if (free === undefined) throw new Error('no directory is free to build a cell in');
  return free;
}
