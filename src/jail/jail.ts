import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Housing, ProcessLimits } from '../process/launcher.ts';
import { runCommand } from '../process/run-process.ts';
import { ifThere, orElse } from '../text/problem.ts';
import { type Cell, cellUser, isRoot } from './cell.ts';
import { type Holder, holderOf, ip } from './cell-holder.ts';
import { whyNoKeeper } from './cell-keeper.ts';

const tried = new Map<Walls, Promise<string | undefined>>();

/** The best level that a person's choice allows and this machine has; undefined when it has none of them. */
export async function findLevel(choice: JailChoice): Promise<JailLevel | undefined> {
  for (const level of levelsFor(choice)) if (level === 'none' || (await whyNot(level)) === undefined) return level;
  return undefined;
}

/** Why a kind of walls is not to be had here; undefined when it is. Asked of the machine once. */
export function whyNot(walls: Walls): Promise<string | undefined> {
  const answer = tried.get(walls) ?? tryOut(walls);
  tried.set(walls, answer);
  return answer;
}

/** A cell like those that candidates get. */
async function tryOut(walls: Walls): Promise<string | undefined> {
  if (process.platform !== 'linux') return `there are no namespaces on ${process.platform}`;
  const missing = whyNoKeeper();
  if (missing !== undefined) return missing;
  return whyNoCell(walls, { shown: [], hidden: [], open: [], memory: [], scratchBytes: 1_000_000, network: false });
}

/** Why this very cell cannot be made; undefined when it can. A shell in it must find itself alone. */
export async function whyNoCell(walls: Walls, cell: Cell): Promise<string | undefined> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const [file = '', ...args] = inCell(walls, cell, ['/bin/bash', '-c', 'test $$ = 1']);
  const ran = await runCommand({ file, args, cwd: '/', env, deadlineMs: 5_000 });
  if (ran.code === 0) return undefined;
  return ran.notStarted ?? (ran.stderr.text.trim().split('\n').at(-1) || `it ended with ${ran.code ?? ran.signal}`);
}

/** The jails for candidates: bubblewrap, namespaces made by hand, or none. */
export type JailLevel = 'bubblewrap' | 'namespaces' | 'none';

/** What a person asks for: the best there is (auto), that or nothing (require), or a level by name. */
export type JailChoice = 'auto' | 'require' | JailLevel;

export const jailChoices: readonly JailChoice[] = ['auto', 'require', 'bubblewrap', 'namespaces', 'none'];

/** The levels that would do, best first. */
export function levelsFor(choice: JailChoice): readonly JailLevel[] {
  if (choice === 'auto') return ['bubblewrap', 'namespaces', 'none'];
  return choice === 'require' ? ['bubblewrap', 'namespaces'] : [choice];
}

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

const settingOf = (file: string): string => orElse(() => readFileSync(`/proc/sys/${file}`, 'utf8').trim(), '');

export type Walls = 'bubblewrap' | 'namespaces';

const builders = { bubblewrap: inBubblewrap, namespaces: inNamespaces };

/** Walls around a launcher's commands: each command has a cell of its own, which is gone when it ends. */
export interface Jail extends Housing {
  /** Where we find a directory that the cells hold, when the launcher runs as `pid`. */
  outside(pid: number, dir: string): string;
}

export function jailOf(walls: Walls, cell: Cell): Jail {
  const holder = holderOf(cell);
  // Its counters, and connections on their way out, would tell the next command of the one before. A network for each
  // command would be dearer than all the rest of its cell, so the launcher is made anew where somebody has used it.
  let unused: string | undefined;
  const checkUnused = (pid: number): boolean => {
    const counted = countersOf(pid);
    unused ??= counted; // The first command of a launcher finds a network that nobody can have used.
    return counted !== undefined && counted === unused;
  };
  const outside = (pid: number, dir: string): string => `/proc/${pid}/root${holder.at(dir)}`;
  return {
    launcher: (cell) => holder.around('loop', cell),
    command: (shell) => builders[walls](cell, holder, shell),
    limits: limitsOf(cell),
    holds: cell.memory.length > 0,
    owner: isRoot() ? cellUser() : undefined,
    checkSound: (pid) => cell.network || checkUnused(pid),
    outside,
  };
}

const counters = ['dev', 'snmp', 'snmp6', 'netstat'];

/** All that a network counts, as text; undefined when its launcher is gone. A kernel without IPv6 has no counters for it. */
const countersOf = (pid: number): string | undefined =>
  orElse(
    () => counters.map((name) => ifThere(() => readFileSync(`/proc/${pid}/net/${name}`, 'latin1'), '')).join(''),
    undefined,
  );

/** The command line of one command in a cell of its own. */
export function inCell(walls: Walls, cell: Cell, command: readonly string[]): string[] {
  const holder = holderOf(cell);
  return holder.around('once', builders[walls](cell, holder, withLimits(limitsOf(cell), command)));
}

/** The same cell without bubblewrap: a shell in namespaces of its own, which then gives up its rights. */
function inNamespaces(_cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const unshare = ['--user', '--map-root-user', '--mount', '--ipc', '--cgroup', '--pid', '--fork', '--kill-child'];
  const drop = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  // Nobody in here makes namespaces of their own.
  const script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  return [
    ...['unshare', ...unshare, `--root=${stage}`, '--mount-proc'],
    ...['/bin/sh', '-euc', script, 'cell', 'setpriv', ...drop, '--', ...shell],
  ];
}

/** A shell in a cell of bubblewrap, without rights of any kind. It is the first process in there: everything ends with it. */
function inBubblewrap(cell: Cell, { stage }: Holder, shell: readonly string[]): string[] {
  const { uid, gid } = cellUser();
  const network = cell.network || ip !== undefined ? [] : ['--unshare-net']; // bwrap can bring up a loopback by itself.
  return [
    'bwrap',
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid), '--disable-userns', '--cap-drop', 'ALL'],
    ...['--unshare-pid', '--as-pid-1', ...network, '--unshare-ipc', '--unshare-cgroup-try', '--die-with-parent'],
    // What the holder has mounted read-only stays so: a process that has come into a namespace by losing rights cannot change it.
    ...['--dev-bind', stage, '/', '--proc', '/proc'],
    ...shell,
  ];
}

/** The ends of what a command in a cell can use up. */
function limitsOf(cell: Cell): ProcessLimits {
  const granted = readFileSync('/proc/self/limits', 'utf8');
  const atMost = (name: string, wanted: number): number => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(granted)?.[1] ?? Number.POSITIVE_INFINITY);
    return Math.floor(Math.min(wanted, hard));
  };
  return {
    memoryBytes: atMost('Max data size', totalmem() * 0.75),
    processes: atMost('Max processes', mostProcesses),
    fileBytes: atMost('Max file size', cell.scratchBytes),
  };
}

/** The same for a command that no shell of ours starts. */
const withLimits = (limits: ProcessLimits, command: readonly string[]): string[] => [
  ...['prlimit', '--core=0', `--data=${limits.memoryBytes}`, `--nproc=${limits.processes}`],
  ...[`--fsize=${limits.fileBytes}`, '--nice=0', '--', ...command], // A low priority cannot be raised again.
];

/** Threads count too; a training on many cores has several for each. */
const mostProcesses = Math.max(512, 32 * availableParallelism());
