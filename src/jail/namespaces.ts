import { lstatSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../launcher.ts';
import { type Cell, presentCards, scratchFiles, systemParts } from './cell.ts';
import { type Holder, holderOf } from './holder.ts';

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** The holder of cells that are made by hand: its stage is their root. */
export const rootHolder = (cell: Cell): Holder => holderOf(cell, inside, (stage) => furnish(cell, stage));

/**
 * The same cell without bubblewrap: a shell in namespaces of its own, with the root that the holder has built, which then
 * gives up its rights. What is new for every command is made here, in as few processes as can be.
 */
export function inNamespaces(cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const unshare = ['--user', '--map-root-user', '--mount', ...(cell.network ? [] : ['--net']), '--ipc', '--uts'];
  const drop = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  const files = below(cell).filter(isFile);
  const script = [
    'mount --all --fstab /.kept/table',
    ...files.map((file) => `mkdir -p ${quote(path.dirname(file))}; : > ${quote(file)}`),
    ...(files.length === 0 ? [] : ['mount --all --fstab /.kept/files']),
    'echo 0 > /proc/sys/user/max_user_namespaces', // Nobody in here makes namespaces of their own.
    'exec "$@"',
  ];
  return [
    ...['setpriv', '--pdeathsig=KILL', 'unshare', ...unshare, '--cgroup', '--pid', '--fork', '--kill-child'],
    ...[`--root=${stage}`, '--mount-proc', '/bin/sh', '-euc', script.join('\n'), 'cell'],
    ...['setpriv', ...drop, '--', ...shell],
  ];
}

/** What is below a directory that is new in every cell has to be brought there each time; until then it is kept apart. */
const scratch = ['/tmp', '/dev/shm'];
const isBelow = (place: string): boolean => scratch.some((dir) => place.startsWith(`${dir}/`));
const below = (cell: Cell): string[] => [...cell.shown, ...cell.open, ...cell.held].filter(isBelow);
const inside = (place: string): string => (isBelow(place) ? `/.kept${place}` : place);

const isFile = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isFile() === true;

/** What a root needs besides what is shown: the system, devices, and the tables of what is mounted in every cell. */
function furnish(cell: Cell, stage: string): string[] {
  const parts = systemParts();
  const memory = scratch.map(
    (dir) => `tmpfs ${dir} tmpfs nosuid,nodev,mode=1777,size=${cell.scratchBytes},nr_inodes=${scratchFiles} 0 0`,
  );
  const bound = (place: string): string => `${spelt(`/.kept${place}`)} ${spelt(place)} none bind,X-mount.mkdir 0 0`;
  const table = (name: string, lines: readonly string[]): string =>
    `printf '%s\\n' ${lines.map(quote).join(' ')} > ${stage}/.kept/${name}`;
  const dirs = below(cell).filter((place) => !isFile(place));
  const files = below(cell).filter(isFile);
  return [
    ...parts.map(({ path: part, link }) =>
      link === undefined ? `show ${part} ${stage}${part}` : `ln -s ${quote(link)} ${stage}${part}`,
    ),
    `mkdir -p ${['proc', 'dev/shm', 'dev/pts', 'tmp', '.kept'].map((dir) => `${stage}/${dir}`).join(' ')}`,
    ...[...devices, ...presentCards()].map((device) => `bind ${device} ${stage}${device}`),
    `ln -s /proc/self/fd ${stage}/dev/fd`,
    ...['stdin', 'stdout', 'stderr'].map((name, fd) => `ln -s fd/${fd} ${stage}/dev/${name}`),
    table('table', [...memory, ...dirs.map(bound)]),
    table('files', files.map(bound)),
  ];
}

/** A path as an fstab spells it. */
const spelt = (place: string): string =>
  place.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
