import { type Cell, presentCards, presentSecrets, systemParts } from './cell.ts';

/**
 * A shell in a cell of bubblewrap. It has the rights of root over the cell and nothing else, so that it can put each
 * command into a process namespace of its own; the commands get none of them (`inside`). Everything ends with us.
 */
export function inBubblewrap(cell: Cell, env: Readonly<Record<string, string>>, shell: readonly string[]): string[] {
  const parts = systemParts().flatMap(({ path, link }) =>
    link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
  );
  return [
    'bwrap',
    ...['--unshare-user', '--uid', '0', '--gid', '0', '--cap-add', 'ALL'],
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...parts,
    ...presentSecrets().flatMap(({ path, isDirectory }) =>
      isDirectory ? ['--size', '4096', '--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...presentCards().flatMap((device) => ['--dev-bind', device, device]),
    ...['/tmp', ...cell.scratch].flatMap((dir) => ['--size', String(cell.scratchBytes), '--tmpfs', dir]),
    ...cell.shown.flatMap((dir) => ['--ro-bind', dir, dir]),
    ...cell.open.flatMap((dir) => ['--bind', dir, dir]),
    ...['--remount-ro', '/'],
    ...shell,
  ];
}
