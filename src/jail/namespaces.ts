import type { Cell } from './cell.ts';
import type { Holder } from './cell-holder.ts';

/** The same cell without bubblewrap: a shell in namespaces of its own, which then gives up its rights. */
export function inNamespaces(_cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const unshare = ['--user', '--map-root-user', '--mount', '--ipc', '--cgroup', '--pid', '--fork', '--kill-child'];
  const drop = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  // Nobody in here makes namespaces of their own.
  const script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  return [
    ...['unshare', ...unshare, `--root=${stage}`, '--mount-proc'],
    ...['/bin/sh', '-euc', script, 'cell', 'setpriv', ...drop, '--', ...shell],
  ];
}
