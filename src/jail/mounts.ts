import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { quote } from '../process/run-process.ts';
import { isWithin } from './cell.ts';

/** One thing that is put somewhere: memory, or a place of the machine, to be read or to be written to. */
export type Mount =
  | { readonly kind: 'memory'; readonly to: string; readonly options: string }
  | { readonly kind: 'show' | 'bind'; readonly from: string; readonly to: string; readonly isFile: boolean };

export const mountOf = (kind: 'show' | 'bind', from: string, to: string): Mount => ({
  ...{ kind, from, to },
  isFile: statSync(from, { throwIfNoEntry: false })?.isDirectory() === false,
});

/**
 * The commands of a shell that mount all of these, in this order: as few as can be, because every process that is started
 * makes whoever waits for a cell wait longer. Directories are made by mount itself; a file needs one to be put over.
 */
export function mountAll(mounts: readonly Mount[], table: string): readonly string[] {
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
