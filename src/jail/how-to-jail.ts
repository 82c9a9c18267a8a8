import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a jail needs, by the program that shows it is there: the first of each is what a person would install. */
const needed: readonly { readonly programs: readonly string[]; readonly install: string }[] = [
  { programs: ['bwrap'], install: 'bubblewrap' },
  { programs: ['bash'], install: 'bash' },
  { programs: ['unshare', 'setpriv', 'prlimit', 'mount'], install: 'util-linux' },
];

const filters = ['perl', 'python3'];

const usual = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const isHere = (program: string): boolean =>
  `${process.env.PATH ?? ''}${delimiter}${usual}`.split(delimiter).some((dir) => existsSync(join(dir, program)));

/** What the kernel is set to, and what a person types where that keeps everybody from walls. */
const settings: readonly { readonly file: string; readonly closed: string; readonly open: string }[] = [
  { file: 'user/max_user_namespaces', closed: '0', open: 'user.max_user_namespaces=10000' },
  { file: 'kernel/unprivileged_userns_clone', closed: '0', open: 'kernel.unprivileged_userns_clone=1' },
  {
    file: 'kernel/apparmor_restrict_unprivileged_userns',
    closed: '1',
    open: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
];

/** What would give this machine a jail: never what it has already. */
export function howToJail(): string {
  if (process.platform !== 'linux') return 'Run on Linux, in a virtual machine for one.';
  const missing = needed.filter(({ programs }) => !programs.every(isHere)).map(({ install }) => install);
  if (!filters.some(isHere)) missing.push('perl');
  if (missing.length > 0) return `Install a jail: apt install ${missing.join(' ')}.`;
  const closed = settings.find(({ file, closed: value }) => settingOf(file) === value);
  if (closed !== undefined) return `Let the kernel give a jail: sysctl -w ${closed.open}.`;
  return 'Let the kernel give a jail: in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined.';
}

function settingOf(file: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${file}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
