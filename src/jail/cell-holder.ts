import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../process/run-process.ts';
import { type Cell, isBelowSystem, isRoot, isWithin, nobody, presentCards, scratchFiles, systemParts } from './cell.ts';
import { type Fresh, keeperOf, type Renewal } from './cell-keeper.ts';

/**
 * What stands around the cells of one launcher, made once: a mount namespace whose stage is the root of every cell, and a
 * network of nobody. A cell for every command is dear by what has to be mounted for it, so little is left to do.
 * A cell is made by somebody without rights, also where orgrepo runs as root: root without capabilities could still read
 * root's files and start processes without end.
 */
export interface Holder {
  /** The directory, in the holder, that is the root of its cells. */
  readonly stage: string;
  /** Where a path of the machine is found there. */
  at(path: string): string;
  /** The command that starts a cell in the holder, once or for every order that it gets. */
  around(how: 'once' | 'loop', cell: readonly string[]): string[];
}

export function holderOf(cell: Cell): Holder {
  const places = [...cell.shown, ...cell.open];
  const base = baseFor([...places, ...cell.memory]);
  // Found by a name that only it has: a search by the number of a process may find a stranger of that number.
  const stage = `${base}/orgrepo-${randomBytes(8).toString('hex')}`;
  const at = (place: string): string => `${stage}${place}`;
  // A scratch directory is new for every cell, so what is shown further down in one stands on a shelf beside the stage.
  const keep = (place: string): string => (inScratch(place) ? onShelf(base, place) : at(place));
  const holes = holesFor(cell);
  const inHole = (place: string): boolean => holes.some((hole) => isWithin(place, hole));
  const put = (within: readonly string[]): Mount[] => [
    ...cell.shown.filter((from) => within.includes(from)).map((from) => mountOf('show', from, keep(from))),
    ...cell.open.filter((from) => within.includes(from)).map((from) => mountOf('bind', from, keep(from))),
  ];
  const links = systemParts().flatMap(({ path: part, link }) => (link === undefined ? [] : [part]));
  const table = `${base}/table`;
  const renewal = renewalOf(cell, at, base);
  const made = ['/dev', '/proc', '/dev/pts', ...scratchDirs];
  const script = [
    'umask 022', // The user of a cell is not always the person, and has to find a way in.
    ...(cell.network || ip === undefined ? [] : [`${ip} link set lo up 2> /dev/null || :`]),
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${base}`,
    `mkdir -p ${made.map((dir) => quote(at(dir))).join(' ')}`,
    // Links as the machine has them: to the places of its programs, and to what a process has open.
    ...(links.length === 0 ? [] : [`cp -P ${links.join(' ')} ${stage}/`]),
    `cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${stage}/dev/`,
    ...mountAll(
      [
        ...put(places.filter((place) => !isBelowSystem(place) && !inHole(place))),
        ...system(stage),
        ...holes.map((hole) => memory(keep(hole), 'size=1m,mode=755')),
      ],
      table,
    ),
    // What stands in a part of the machine is there with it; only a hole in that part has to be filled.
    ...mountAll(put(places.filter(inHole)), table),
    ...(cell.memory.length === 0 ? [] : [`mkdir -p ${cell.memory.map((dir) => quote(keep(dir))).join(' ')}`]),
    ...[base, ...holes.map(keep)].map((dir) => `mount -o remount,bind,ro,nosuid ${quote(dir)}`),
    'exec "$@"',
  ];
  const network = cell.network ? [] : ['--net'];
  return {
    stage,
    at,
    around: (how, command) => [
      ...['setpriv', '--pdeathsig=KILL', 'unshare', ...(isRoot() ? [] : ownRoot), ...network],
      ...['--mount', '--propagation', 'private', '/bin/sh', '-euc', script.join('\n'), 'holder'],
      // The keeper is the first process of its own: with it, or with us, everything ends that it has started.
      ...['setpriv', ...(isRoot() ? another : []), '--pdeathsig=KILL', 'unshare', ...(isRoot() ? ownRoot : [])],
      ...['--pid', '--fork', '--kill-child', '--mount-proc', ...keeperOf(how, renewal, command)],
    ],
  };
}

/** What is made new for every cell. What is in a scratch directory goes with it. */
function renewalOf(cell: Cell, at: Holder['at'], base: string): Renewal {
  const memoryAt = (dir: string, mode: string): Fresh => ({ to: at(dir), options: `mode=${mode},${room(cell)}` });
  const shelf = (place: string): Fresh => ({
    from: onShelf(base, place),
    to: at(place),
    make: statSync(place, { throwIfNoEntry: false })?.isDirectory() === false ? 'file' : 'directory',
  });
  return {
    away: [...scratchDirs, ...cell.memory.filter((dir) => !inScratch(dir))].map(at),
    fresh: [
      ...scratchDirs.map((dir) => memoryAt(dir, '1777')),
      ...shelvedIn(cell).map(shelf),
      ...cell.memory.map((dir) => memoryAt(dir, '777')),
    ],
  };
}

const onShelf = (base: string, place: string): string => `${base}/shelves${place}`;

/** Root, but only of what is made from then on. */
const ownRoot = ['--user', '--map-root-user'];

const another = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

/** In memory, and new for every command. */
const scratchDirs = ['/tmp', '/dev/shm'];

const inScratch = (place: string): boolean => scratchDirs.some((dir) => place.startsWith(`${dir}/`));

/** What stands in a scratch directory all the same, because it is shown there or below: on the first level. */
const shelvedIn = ({ shown, open, memory }: Cell): string[] => [
  ...new Set(
    [...shown, ...open, ...memory].flatMap((place) =>
      scratchDirs.flatMap((dir) =>
        place.startsWith(`${dir}/`) ? [`${dir}/${place.slice(dir.length + 1).split('/')[0]}`] : [],
      ),
    ),
  ),
];

/** What is hidden of that which would be seen otherwise. A hole in a hole does not count. */
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
    link === undefined ? [mountOf('show', from, `${stage}${from}`)] : [],
  ),
  ...[...devices, ...presentCards()].map((from) => mountOf('bind', from, `${stage}${from}`)),
];

const memory = (to: string, options: string): Mount => ({ kind: 'memory', to, options });

/** How much fits into a directory in memory. */
const room = (cell: Cell): string => `size=${cell.scratchBytes},nr_inodes=${scratchFiles}`;

/** A directory that every machine has and nothing that is needed stands in: it is covered, for the holder alone. */
function baseFor(sources: readonly string[]): string {
  const free = ['/mnt', '/media', '/srv', '/home', '/run'].find(
    (dir) => existsSync(dir) && !sources.some((source) => source === dir || source.startsWith(`${dir}/`)),
  );
  if (free === undefined) throw new Error('no directory is free to build a cell in');
  return free;
}

/** One thing that is put somewhere: memory, or a place of the machine, to be read or to be written to. */
type Mount =
  | { readonly kind: 'memory'; readonly to: string; readonly options: string }
  | { readonly kind: 'show' | 'bind'; readonly from: string; readonly to: string; readonly isFile: boolean };

const mountOf = (kind: 'show' | 'bind', from: string, to: string): Mount => ({
  ...{ kind, from, to },
  isFile: statSync(from, { throwIfNoEntry: false })?.isDirectory() === false,
});

/**
 * The commands of a shell that mount all of these, in this order: as few as can be, because every process that is started
 * makes every wait for a cell longer. Directories are made by mount itself; a file needs one to be put over.
 */
function mountAll(mounts: readonly Mount[], table: string): readonly string[] {
  if (mounts.length === 0) return [];
  const files = mounts.flatMap((mount) => (isOfFile(mount) ? [mount.to] : []));
  const dirs = [...new Set(files.map((file) => path.dirname(file)))];
  return [
    ...(dirs.length === 0 ? [] : [`mkdir -p ${dirs.map(quote).join(' ')}`]),
    ...files.map((file) => `: > ${quote(file)}`),
    `printf %s ${quote(mounts.map(lineOf).join(''))} > ${table}`,
    // What it has to say is of interest only when something went wrong.
    `said=$(mount -a -T ${table} 2>&1) || { echo "$said" >&2; exit 1; }`,
  ];
}

const isOfFile = (mount: Mount): boolean => mount.kind !== 'memory' && mount.isFile;

/** A line of what is otherwise /etc/fstab. */
function lineOf(mount: Mount): string {
  const make = isOfFile(mount) ? '' : ',X-mount.mkdir';
  if (mount.kind === 'memory') return `tmpfs ${spelt(mount.to)} tmpfs ${mount.options}${make} 0 0\n`;
  // A mount that does not allow programs has to stay so.
  const read = mount.kind === 'show' ? `,ro,nosuid,nodev${isWithoutPrograms(mount.from) ? ',noexec' : ''}` : '';
  return `${spelt(mount.from)} ${spelt(mount.to)} none bind${read}${make} 0 0\n`;
}

const spelt = (place: string): string =>
  place.replaceAll(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Whether the filesystem that a place stands on allows no programs. */
function isWithoutPrograms(place: string): boolean {
  const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , at = '', options = '']) => ({ at: unspelt(at), options: options.split(',') }));
  const nearest = mounted.filter(({ at }) => at !== '' && isWithin(place, at));
  const [longest] = nearest.sort((a, b) => b.at.length - a.at.length);
  // Of several on one place the last is on top.
  return nearest.findLast(({ at }) => at === longest?.at)?.options.includes('noexec') ?? false;
}

const unspelt = (place: string): string =>
  place.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
