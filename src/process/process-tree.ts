import { readdirSync, readFileSync } from 'node:fs';
import { orElse } from '../text/problem.ts';

/** A process and the CPU time it has used, as /proc tells it. */
export interface Proc {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** When it began, in the kernel's ticks since boot: together with its number an identity. */
  readonly start: number;
  readonly state: string;
  readonly ownMs: number;
  /** Of its children that have ended and that it has waited for, and of theirs. */
  readonly reapedMs: number;
  /** How much of the CPU time it asks for it gets: 0 while it asks for none, 1 when it never waits for a CPU. */
  readonly atWork: number;
}

/** The kernel's ticks since boot: the clock of `start`. */
export const ticksNow = (): number =>
  orElse(() => Math.floor((Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000) / tickMs), 0);

/** Linux counts in hundredths of a second here, whatever the kernel was built with. */
const tickMs = 10;

/** Processes that are known not to be ours. A process never becomes a descendant of ours later on. */
const strangers = new Set<number>();

/**
 * Every process that was started by `root`, or by one of these, and `root` itself. In a process namespace an orphan becomes the child of
 * the namespace's first process, so nobody leaves the tree. Empty where there is no /proc.
 */
export function readProcessTree(root: number): ReadonlyMap<number, Proc> {
  const listed = listProcesses();
  const all = new Set(listed);
  for (const pid of strangers) if (!all.has(pid)) strangers.delete(pid);
  const found = new Map<number, Proc>();
  for (const pid of listed) {
    const proc = strangers.has(pid) ? undefined : readProc(pid);
    if (proc !== undefined) found.set(pid, proc);
  }
  const inside = descendantsOf(root, found);
  if (root === process.pid) for (const pid of found.keys()) if (!inside.has(pid)) strangers.add(pid);
  return inside;
}

/** The same tree without what stands outside of a process in it. */
export function descendantsOf(root: number, procs: ReadonlyMap<number, Proc>): Map<number, Proc> {
  const children = new Map<number, Proc[]>();
  for (const proc of procs.values()) {
    const siblings = children.get(proc.parent);
    if (siblings === undefined) children.set(proc.parent, [proc]);
    else siblings.push(proc);
  }
  const inside = new Map<number, Proc>();
  const first = procs.get(root);
  for (const next = first === undefined ? [] : [first]; next.length > 0; ) {
    const proc = next.pop() as Proc;
    inside.set(proc.pid, proc);
    next.push(...(children.get(proc.pid) ?? []));
  }
  return inside;
}

const listProcesses = (): number[] =>
  orElse(() => readdirSync('/proc').flatMap((name) => (/^[0-9]+$/.test(name) ? [Number(name)] : [])), []);

/** Undefined where it has ended meanwhile. */
const readProc = (pid: number): Proc | undefined =>
  orElse(() => {
    const proc = parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return proc.state === 'R' ? { ...proc, atWork: readShare(pid) } : proc;
  }, undefined);

/** The kernel tells for how long a process has run, and for how long it has waited to. Where it does not tell, it counts in full. */
const readShare = (pid: number): number =>
  orElse(() => {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number);
    return ran + waited > 0 ? ran / (ran + waited) : 0;
  }, 1);

/** The name of a program may hold spaces and brackets, so the fields are counted from the last bracket. */
export function parseStat(pid: number, stat: string): Proc {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  return {
    pid,
    ...{ state: fields[0] ?? '', parent: number(1), session: number(3), start: number(19) },
    ...{ ownMs: (number(11) + number(12)) * tickMs, reapedMs: (number(13) + number(14)) * tickMs },
    atWork: 0,
  };
}

/** A round finds what was started during the round before it. */
const mostRounds = 20;

/**
 * Stops every process of a tree that is not. A stopped process starts nothing, so it ends when a look finds nobody new. One that was just
 * starting another may finish that, so it has to be done again a little later.
 */
export function stopTree(root: number): void {
  const stopped = new Set<string>();
  for (let round = 0; round < mostRounds; round++) {
    const awake = [...readProcessTree(root).values()].filter(
      ({ pid, start, state }) => !stopped.has(`${pid} ${start}`) && !/[TtZX]/.test(state),
    );
    if (awake.length === 0) return;
    for (const { pid, start } of awake) {
      stopped.add(`${pid} ${start}`);
      send(pid, 'SIGSTOP');
    }
  }
}

export function continueTree(root: number): void {
  for (const { pid } of readProcessTree(root).values()) send(pid, 'SIGCONT');
}

/** It may be gone meanwhile. */
const send = (pid: number, signal: 'SIGSTOP' | 'SIGCONT'): boolean => orElse(() => process.kill(pid, signal), false);
