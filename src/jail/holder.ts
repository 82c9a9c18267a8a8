import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../process.ts';
import { type Cell, isBelowSystem, isWithin, presentCards, scratchFiles, systemParts } from './cell.ts';
import { type Mount, mountAll } from './mounts.ts';

/**
 * What stands around the cells of one launcher, made once: a mount namespace whose stage is the root of every cell, and a
 * network of nobody. A cell for every command is dear by what has to be mounted for it, so next to nothing is left to do.
 * A cell is made by somebody without rights, also where orgrepo runs as root: root without capabilities could still read
 * root's files and start processes without end.
 */
export interface Holder {
  /** The directory, in the holder, that is the root of its cells. */
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

export function holderOf(cell: Cell): Holder {
  const places = [...cell.shown, ...cell.open, ...cell.held];
  const base = baseFor(places);
  // Found by a name that is nobody else's: whoever looks for it by the number of a process may meet a stranger of that number.
  const stage = `${base}/orgrepo-${randomBytes(8).toString('hex')}`;
  const at = (place: string): string => `${stage}${place}`;
  const user = isRoot() ? [] : ['--user', '--map-root-user'];
  const network = cell.network ? [] : ['--net'];
  // Whoever becomes somebody else forgets whose death was to be his own.
  const another = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--pdeathsig=KILL', '--'];
  const become = isRoot() ? ['setpriv', ...another] : [];
  const shelves = shelvesFor(cell, places);
  const holes = holesFor(cell);
  const put = (within: readonly string[]): Mount[] => [
    ...cell.shown
      .filter((from) => within.includes(from))
      .map((from) => ({ kind: 'show', from, to: at(from) }) as const),
    ...cell.open.filter((from) => within.includes(from)).map((from) => ({ kind: 'bind', from, to: at(from) }) as const),
    ...cell.held.filter((dir) => within.includes(dir)).map((dir) => memory(at(dir), `mode=777,${room(cell)}`)),
  ];
  const inHole = (place: string): boolean => holes.some((hole) => isWithin(place, hole));
  const links = systemParts().flatMap(({ path: part, link }) => (link === undefined ? [] : [part]));
  const table = `${base}/table`;
  const script = [
    ...(cell.network || ip === undefined ? [] : [`${ip} link set lo up 2> /dev/null || :`]),
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${base}`,
    `mkdir -p ${['/dev', '/proc', '/dev/pts'].map((dir) => quote(at(dir))).join(' ')}`,
    // Links as the machine has them: to the places of its programs, and to what a process has open.
    ...(links.length === 0 ? [] : [`cp -P ${links.join(' ')} ${stage}/`]),
    `cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${stage}/dev/`,
    ...mountAll(
      [
        ...scratchDirs.map((dir) => memory(at(dir), `mode=1777,${room(cell)}`)),
        ...shelves.map((shelf) => memory(at(shelf), 'size=1m')),
      ],
      table,
    ),
    ...mountAll(
      [
        ...put(places.filter((place) => !isBelowSystem(place) && !inHole(place))),
        ...system(stage),
        ...holes.map((hole) => memory(at(hole), 'size=1m,mode=755')),
      ],
      table,
    ),
    // What stands in a part of the machine is there with it; only a hole in that part has to be filled.
    ...mountAll(put(places.filter(inHole)), table),
    ...[base, ...shelves.map(at), ...holes.map(at)].map((dir) => `mount -o remount,bind,ro,nosuid ${quote(dir)}`),
    'exec "$@"',
  ];
  return {
    stage,
    at,
    around: (shell) => [
      ...['setpriv', '--pdeathsig=KILL', 'unshare', ...user, ...network, '--mount', '--propagation', 'private'],
      ...['/bin/sh', '-euc', script.join('\n'), 'holder'],
      // The shell is the first process of its own: with it, or with us, everything ends that it has started.
      ...['setpriv', '--pdeathsig=KILL', 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
      ...[...become, ...shell],
    ],
  };
}

/** In memory, and empty at the start of every command. */
export const scratchDirs = ['/tmp', '/dev/shm'];

/** What stands in a scratch directory all the same, because it is shown below it: the names on its first level. */
export const kept = (cell: Cell, dir: string): string[] => [
  ...new Set(
    [...cell.shown, ...cell.open, ...cell.held].flatMap((place) =>
      place.startsWith(`${dir}/`) ? [place.slice(dir.length + 1).split('/')[0] ?? ''] : [],
    ),
  ),
];

/** A shelf carries what is shown further down in a scratch directory. Nobody can put anything else on it. */
const shelvesFor = (cell: Cell, places: readonly string[]): string[] =>
  scratchDirs
    .flatMap((dir) => kept(cell, dir).map((name) => `${dir}/${name}`))
    .filter((shelf) => !places.includes(shelf));

/** What is hidden of that which would be seen otherwise. A hole in a hole is none. */
const holesFor = ({ hidden, shown }: Cell): string[] =>
  hidden.filter(
    (dir) =>
      (isBelowSystem(dir) || shown.some((place) => place !== dir && isWithin(dir, place))) &&
      !hidden.some((other) => other !== dir && isWithin(dir, other)),
  );

/** Brings up the loopback of the holder's network, for harnesses that talk to themselves. */
export const ip = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'].find((file) => existsSync(file));

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** What programs need besides what is shown. */
const system = (stage: string): Mount[] => [
  ...systemParts().flatMap(({ path: from, link }) =>
    link === undefined ? [{ kind: 'show', from, to: `${stage}${from}` } as const] : [],
  ),
  ...[...devices, ...presentCards()].map((from) => ({ kind: 'bind', from, to: `${stage}${from}` }) as const),
];

const memory = (to: string, options: string): Mount => ({ kind: 'memory', to, options });

/** How much fits into a directory in memory. */
const room = (cell: Cell): string => `nosuid,nodev,size=${cell.scratchBytes},nr_inodes=${scratchFiles}`;

/** A directory that every machine has and nothing that is needed stands in: it is covered, for the holder alone. */
function baseFor(sources: readonly string[]): string {
  const free = ['/mnt', '/media', '/srv', '/home', '/run'].find(
    (dir) => existsSync(dir) && !sources.some((source) => source === dir || source.startsWith(`${dir}/`)),
  );
  if (free === undefined) throw new Error('no directory is free to build a cell in');
  return free;
}
