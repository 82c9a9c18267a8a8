import { type Cell, presentCards, systemParts } from './cell.ts';
import { cellUser, type Holder, holderOf } from './holder.ts';

/** The holder of such cells: it only keeps what they show. */
export const plainHolder = (cell: Cell): Holder =>
  holderOf(
    cell,
    (path) => path,
    () => [],
  );

/** A shell in a cell of bubblewrap, without rights of any kind. It is the first process in there: everything ends with it. */
export function inBubblewrap(cell: Cell, holder: Holder, shell: readonly string[]): string[] {
  const { uid, gid } = cellUser();
  const scratch = (dir: string): string[] => ['--size', String(cell.scratchBytes), '--tmpfs', dir];
  return [
    'bwrap',
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid), '--disable-userns', '--cap-drop', 'ALL'],
    ...[
      '--unshare-pid',
      '--as-pid-1',
      ...(cell.network ? [] : ['--unshare-net']),
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    '--die-with-parent',
    ...systemParts().flatMap(({ path, link }) =>
      link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...presentCards().flatMap((device) => ['--dev-bind', device, device]),
    ...[...scratch('/dev/shm'), '--remount-ro', '/dev', ...scratch('/tmp')],
    ...cell.shown.flatMap((dir) => ['--ro-bind', holder.at(dir), dir]),
    ...[...cell.open, ...cell.held].flatMap((dir) => ['--bind', holder.at(dir), dir]),
    ...['--remount-ro', '/'],
    ...shell,
  ];
}
