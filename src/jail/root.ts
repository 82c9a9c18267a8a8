import { lstatSync } from 'node:fs';
import { quote } from '../launcher.ts';
import { type Cell, presentCards, scratchFiles, systemParts } from './cell.ts';
import { type Holder, holderOf } from './holder.ts';

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/**
 * A holder whose stage is the root of its cells. What they all have is built here once: a cell of its own for every
 * command is dear by what has to be mounted for it.
 */
export const rootHolder = (cell: Cell): Holder => holderOf(cell, inside, (stage) => furnish(cell, stage));

/** What is below a directory that is new in every cell has to be brought there each time; until then it is kept apart. */
export const scratch = ['/tmp', '/dev/shm'];
const isBelow = (place: string): boolean => scratch.some((dir) => place.startsWith(`${dir}/`));
const inside = (place: string): string => (isBelow(place) ? `/.kept${place}` : place);

/** All that is brought to a new directory: its first level, with what is mounted further down. */
export function below(cell: Cell): string[] {
  const places = [...cell.shown, ...cell.open, ...cell.held].filter(isBelow);
  const tops = places.map((place) => {
    const dir = scratch.find((one) => place.startsWith(`${one}/`)) ?? '';
    return `${dir}/${place.slice(dir.length + 1).split('/')[0]}`;
  });
  return [...new Set(tops)];
}

export const isFile = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isFile() === true;

/** What a root needs besides what is shown: the system, devices, and the tables of what is mounted in every cell. */
function furnish(cell: Cell, stage: string): string[] {
  const parts = systemParts();
  const memory = scratch.map(
    (dir) => `tmpfs ${dir} tmpfs nosuid,nodev,mode=1777,size=${cell.scratchBytes},nr_inodes=${scratchFiles} 0 0`,
  );
  const bound = (place: string): string => `${spelt(`/.kept${place}`)} ${spelt(place)} none rbind,X-mount.mkdir 0 0`;
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
