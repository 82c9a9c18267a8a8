import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from './bubblewrap.ts';
import { type Cell, presentCards, quote, scratchFiles, systemParts } from './cell.ts';
import type { Holder } from './holder.ts';

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** The same cell without bubblewrap: made by hand, by a shell in namespaces of its own, which then gives up its rights. */
export function inNamespaces(cell: Cell, holder: Holder, env: Environment, shell: readonly string[]): string[] {
  const unshare = [
    '--user',
    '--map-root-user',
    '--mount',
    ...(cell.network ? [] : ['--net']),
    '--ipc',
    '--uts',
    '--cgroup',
    '--pid',
  ];
  const drop = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    ...['setpriv', '--pdeathsig=KILL', 'unshare', ...unshare, '--fork', '--kill-child'],
    ...['/bin/sh', '-euc', `${building(cell, holder)}\nexec env -i "$@"`, 'cell'],
    ...[...variables, 'setpriv', ...drop, '--', ...shell],
  ];
}

/** Where the new root is built; a holder keeps nothing there. */
const root = '/tmp';

/** Builds a new root in memory, moves there, and lets go of the old one. `mount --all` makes many mounts in one process. */
function building(cell: Cell, holder: Holder): string {
  const parts = systemParts();
  const scratch = ['/tmp', '/dev/shm'].map((dir) => memory(dir, cell.scratchBytes));
  const seen = [
    ...parts.flatMap(({ path, link }) => (link === undefined ? [{ from: path, to: path, access: 'ro' }] : [])),
    ...cell.shown.map((path) => ({ from: holder.at(path), to: path, access: 'ro' })),
    ...[...cell.open, ...cell.held].map((path) => ({ from: holder.at(path), to: path, access: 'rw' })),
  ];
  const isFile = ({ to }: { readonly to: string }): boolean =>
    lstatSync(to, { throwIfNoEntry: false })?.isFile() === true;
  const single = [...devices, ...presentCards()].map((path) => ({ from: path, to: path, access: 'rw' }));
  const files = [...single, ...seen.filter(isFile)];
  const dirs = seen.filter((one) => !isFile(one));
  return [
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${root}`,
    `cd ${root}`,
    ...parts.flatMap(({ path, link }) => (link === undefined ? [] : [`ln -s ${quote(link)} .${quote(path)}`])),
    `printf '%s\\n' ${[procTable, ...scratch, ...dirs.map((one) => bound(one, ',X-mount.mkdir,nodev'))].map(quote).join(' ')} > table`,
    'mount --all --fstab table',
    `mkdir -p ${[...new Set(files.map(({ to }) => quote(`.${path.dirname(to)}`)))].join(' ')} dev/pts old`,
    ...files.map(({ to }) => `: > .${quote(to)}`),
    `printf '%s\\n' ${files.map((one) => quote(bound(one, ''))).join(' ')} > table`,
    'mount --all --fstab table',
    'rm table',
    'ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr',
    'echo 0 > proc/sys/user/max_user_namespaces', // Nobody in here makes namespaces of their own.
    'pivot_root . old',
    'cd /',
    'umount -l /old',
    'rmdir /old',
    'mount -o remount,bind,ro /',
  ].join('\n');
}

const procTable = `proc ${root}/proc proc X-mount.mkdir,nosuid,nodev,noexec 0 0`;

const memory = (dir: string, bytes: number): string =>
  `tmpfs ${root}${dir} tmpfs X-mount.mkdir,nosuid,nodev,mode=1777,size=${bytes},nr_inodes=${scratchFiles} 0 0`;

const bound = ({ from, to, access }: { from: string; to: string; access: string }, more: string): string =>
  `${spelt(from)} ${root}${spelt(to)} none bind,${access},nosuid${more} 0 0`;

/** A path as an fstab spells it. */
const spelt = (path: string): string =>
  path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
