import type { Cell } from './cell.ts';
import { type Holder, ip } from './cell-holder.ts';
import { cellUser } from './cell-owner.ts';

/** A shell in a cell of bubblewrap, without rights of any kind. It is the first process in there: everything ends with it. */
export function inBubblewrap(cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const { uid, gid } = cellUser();
  const network = cell.network || ip !== undefined ? [] : ['--unshare-net']; // bwrap can bring up a loopback by itself.
  return [
    'bwrap',
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid), '--disable-userns', '--cap-drop', 'ALL'],
    ...['--unshare-pid', '--as-pid-1', ...network, '--unshare-ipc', '--unshare-cgroup-try', '--die-with-parent'],
    // What the holder has mounted to be read stays so: who has come into a namespace by losing rights cannot change it.
    ...['--dev-bind', stage, '/', '--proc', '/proc'],
    ...shell,
  ];
}
