import { type Cell, presentCards, presentSecrets, systemParts } from './cell.ts';

/** The same cell without bubblewrap: made by hand, by a shell in namespaces of its own. */
export function inNamespaces(cell: Cell, env: Readonly<Record<string, string>>, shell: readonly string[]): string[] {
  const unshare = ['--user', '--map-root-user', '--mount', '--net', '--ipc', '--uts', '--cgroup', '--pid'];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    ...['setpriv', '--pdeathsig=KILL', 'unshare', ...unshare, '--fork', '--kill-child'],
    ...['/bin/sh', '-euc', `${building(cell)}\nexec env -i "$@"`, 'cell', ...variables, ...shell],
  ];
}

/** Builds a new root in memory, moves there, and lets go of the old one. */
function building(cell: Cell): string {
  const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];
  const parts = systemParts();
  return [
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    'mount --make-rprivate /',
    'root=$(mktemp -d)',
    'mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"',
    'cd "$root"',
    'file() { mkdir -p ".$(dirname "$1")"; touch ".$1"; mount --bind "$1" ".$1"; }',
    'open() { if [ -d "$1" ]; then mkdir -p ".$1"; mount --bind "$1" ".$1"; else file "$1"; fi; }',
    'show() { open "$1"; mount -o remount,bind,ro,nosuid,nodev ".$1"; }',
    'scratch() { mkdir -p ".$1"; mount -t tmpfs -o "nosuid,nodev,size=$2" tmpfs ".$1"; }',
    ...parts.map(({ path, link }) =>
      link === undefined ? `show ${quote(path)}` : `ln -s ${quote(link)} .${quote(path)}`,
    ),
    ...presentSecrets().map(({ path, isDirectory }) =>
      isDirectory ? `scratch ${quote(path)} 4096` : `mount --bind /dev/null .${quote(path)}`,
    ),
    'mkdir -p proc dev/shm dev/pts old',
    'mount -t proc proc proc',
    ...[...devices, ...presentCards()].map((device) => `file ${device}`),
    'ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr',
    ...['/tmp', '/dev/shm', ...cell.scratch].map((dir) => `scratch ${quote(dir)} ${cell.scratchBytes}`),
    ...cell.shown.map((dir) => `show ${quote(dir)}`),
    ...cell.open.map((dir) => `open ${quote(dir)}`),
    'pivot_root . old',
    'cd /',
    'umount -l /old',
    'rmdir /old',
    'mount -o remount,bind,ro /',
  ].join('\n');
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
