import path from 'node:path';
import { quote } from '../launcher.ts';
import type { Cell } from './cell.ts';
import type { Holder } from './holder.ts';
import { below, isFile } from './root.ts';

/**
 * The same cell without bubblewrap: a shell in namespaces of its own, with the root that the holder has built, which then
 * gives up its rights. What is new for every command is made here, in as few processes as can be.
 */
export function inNamespaces(cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const unshare = ['--user', '--map-root-user', '--mount', ...(cell.network ? [] : ['--net']), '--ipc'];
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
