import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Housing, ProcessLimits } from '../process/launcher.ts';
import { ifThere, orElse } from '../text/otherwise.ts';
import type { Cell } from './cell.ts';
import { type Holder, holderOf, ip } from './cell-holder.ts';
import { cellUser, isRoot } from './cell-owner.ts';

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
  const isUnused = (pid: number): boolean => {
    const counted = countersOf(pid);
    unused ??= counted; // The first command of a launcher finds a network that nobody can have used.
    return counted !== undefined && counted === unused;
  };
  const outside = (pid: number, dir: string): string => `/proc/${pid}/root${holder.at(dir)}`;
  return {
    launcher: (cell) => holder.around('loop', cell),
    command: (shell) => builders[walls](cell, holder, shell),
    limits: limitsOf(cell),
    holds: cell.held.length > 0,
    owner: isRoot() ? cellUser() : undefined,
    isSound: (pid) => cell.network || isUnused(pid),
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
    // What the holder has mounted to be read stays so: who has come into a namespace by losing rights cannot change it.
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
