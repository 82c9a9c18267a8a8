import { writeFileSync } from 'node:fs';
import { continueTree, descendantsOf, type Proc, readProcessTree, stopTree, ticksNow } from './process-tree.ts';

/** A process of ours that may run while something is measured, with all that it has started. */
interface Neighbour {
  /** An agent's, or one of those that measure. */
  readonly kind: 'agent' | 'room';
  /** The agent's name, or the directory of the room. */
  readonly name: string;
  readonly pid: number;
}

const running = new Set<Neighbour>();

/** Makes a process known; the answer forgets it. A process that must stand still does so from its first moment. */
export function enterNeighbour(neighbour: Neighbour): () => void {
  running.add(neighbour);
  if (neighbour.kind === 'agent' && stops.get(neighbour.name)?.since !== undefined) stopTree(neighbour.pid);
  return () => void running.delete(neighbour);
}

/** The agents that have a process now, and the numbers of these. */
export function agentsRunning(): ReadonlyMap<string, ReadonlySet<number>> {
  const agents = new Map<string, Set<number>>();
  for (const { kind, name, pid } of running)
    if (kind === 'agent') agents.set(name, (agents.get(name) ?? new Set()).add(pid));
  return agents;
}

/** CPU time in milliseconds that was used beside a measurement. */
interface UsedBeside {
  readonly agents: ReadonlyMap<string, number>;
  /** By room, that of the measurement itself included. */
  readonly rooms: ReadonlyMap<string, number>;
  /** Of this process and of what it starts besides: git. */
  readonly orgrepo: number;
}

/** A count that goes on until it is ended. */
interface Watch {
  /** What was used so far. */
  used(): UsedBeside;
  end(): void;
}

/** Counts from now on. Looks every `everyMs` while there is anybody to look at. Where there is no /proc, only this process counts. */
export function watchNeighbours(everyMs: number): Watch {
  const own = process.cpuUsage();
  const began = performance.now();
  const count = startCount(look(), ticksNow());
  const timer = setInterval(() => running.size > 0 && count.look(look()), everyMs);
  return {
    used: () => {
      count.look(look());
      const { user, system } = process.cpuUsage(own);
      const used = count.used(performance.now() - began);
      const of = (kind: string): Map<string, number> =>
        new Map([...used].flatMap(([owner, ms]) => (owner.startsWith(kind) ? [[owner.slice(kind.length), ms]] : [])));
      return { agents: of('agent '), rooms: of('room '), orgrepo: (user + system) / 1000 + (used.get(ours) ?? 0) };
    },
    end: () => clearInterval(timer),
  };
}

const ours = 'orgrepo';

/** All processes of ours with their owners. This process itself is counted more exactly by other means. */
function look(): readonly CountedProcess[] {
  const tree = readProcessTree(process.pid);
  const owners = new Map<number, string>();
  for (const { kind, name, pid } of running) {
    const procs = descendantsOf(pid, tree);
    for (const one of procs.keys()) owners.set(one, `${kind} ${name}`);
    if (kind === 'agent') for (const proc of procs.values()) lowerSession(proc, procs);
  }
  return [...tree.values()].map((proc) => ({
    ...proc,
    ...(proc.pid === process.pid ? { ownMs: 0 } : {}),
    owner: owners.get(proc.pid) ?? ours,
  }));
}

const lowered = new Set<string>();

/**
 * Where the kernel shares CPU time out by session (sched_autogroup_enabled), no priority counts outside of its session, and a process that
 * opens one is equal to all others again. So each session of an agent is put last.
 */
function lowerSession({ pid, session }: Proc, procs: ReadonlyMap<number, Proc>): void {
  const key = `${session} ${procs.get(session)?.start}`;
  if (lowered.has(key) || process.env.ORGREPO_AGENT_PRIORITY === 'normal') return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '19');
  } catch (error) {
    // The kernel takes ten of these a second from an ordinary user; the next look tries again.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
  }
  lowered.add(key);
}

/** How long agents have stood still, by name, and how many have asked for it now. */
const stops = new Map<string, { by: number; since: number | undefined; totalMs: number }>();

/** Between two looks for processes of a stopped agent that have only just come about. */
const againMs = 50;

/** Stops all processes of these agents; the answer lets them go on, unless somebody else wants them stopped too. */
export function stopAgents(names: Iterable<string>): () => void {
  const stopped = [...names];
  const stopAll = (): void => stopped.flatMap((name) => [...pidsOf(name)]).forEach(stopTree);
  for (const name of stopped) {
    const stop = stops.get(name) ?? { by: 0, since: undefined, totalMs: 0 };
    stops.set(name, stop);
    stop.by += 1;
    stop.since ??= performance.now();
  }
  stopAll();
  const timer = stopped.length === 0 ? undefined : setInterval(stopAll, againMs);
  return () => {
    clearInterval(timer);
    for (const name of stopped.splice(0)) letGo(name);
  };
}

function letGo(name: string): void {
  const stop = stops.get(name);
  if (stop === undefined || --stop.by > 0) return;
  stop.totalMs += performance.now() - (stop.since ?? performance.now());
  stop.since = undefined;
  for (const pid of pidsOf(name)) continueTree(pid);
}

const pidsOf = (name: string): Iterable<number> => agentsRunning().get(name) ?? [];

/** How long an agent has stood still so far, in milliseconds: what its deadlines do not count. */
export function stoppedMs(name: string): number {
  const stop = stops.get(name);
  if (stop === undefined) return 0;
  return stop.totalMs + (stop.since === undefined ? 0 : performance.now() - stop.since);
}

/** A process, and whom its CPU time is counted for. */
export interface CountedProcess extends Proc {
  readonly owner: string;
}

/** CPU time by owner over several looks at the same processes. */
interface CpuCount {
  /** Takes in how the processes are now. */
  look(procs: readonly CountedProcess[]): void;
  /** Milliseconds by owner, where the first look was so long ago. */
  used(wallMs: number): ReadonlyMap<string, number>;
}

/** So many looks must find somebody new at work before it is more than chance. */
const fewestSightings = 3;

/**
 * Counts the CPU time of processes between the first look and the last, including processes that have ended: a parent that waits for a
 * child inherits its time. A parent that ignores its children loses that time, so there are looks in between. Each process counts up to
 * its last look. A process that shows up at every look with a new id counts as one that works all the time.
 */
export function startCount(first: readonly CountedProcess[], begunTicks: number): CpuCount {
  let known = new Map(first.map((proc) => [keyOf(proc), proc]));
  const marks = new Map(known); // Also of those that the last look may have missed.
  const sums = new Map<string, number>();
  const sightings = new Map<string, number>();
  const work = new Map<string, number>();
  let looks = 0;
  const add = (to: Map<string, number>, owner: string, value: number): void =>
    void to.set(owner, (to.get(owner) ?? 0) + value);
  return {
    look: (procs) => {
      looks += 1;
      const now = new Map(procs.map((proc) => [keyOf(proc), proc]));
      const reaped = new Map<string, number>();
      for (const [key, proc] of now) {
        const before = marks.get(key);
        marks.set(key, proc);
        // One that was only overlooked so far is not charged for its past.
        const [own, ofChildren] =
          before === undefined && proc.start < begunTicks ? [proc.ownMs, proc.reapedMs] : [0, 0];
        add(sums, proc.owner, proc.ownMs - (before?.ownMs ?? own));
        add(reaped, proc.owner, proc.reapedMs - (before?.reapedMs ?? ofChildren));
        if (before !== undefined || proc.start < begunTicks || proc.atWork === 0) continue;
        add(sightings, proc.owner, 1);
        add(work, proc.owner, proc.atWork);
      }
      for (const [key, proc] of known) {
        if (now.has(key)) continue;
        // Its time up to the last look is counted already; the owner of its parent inherited the rest.
        const heir = byNumber(known, proc.parent)?.owner ?? proc.owner;
        add(reaped, heir, -(proc.ownMs + proc.reapedMs));
      }
      for (const [owner, ms] of reaped) add(sums, owner, Math.max(0, ms));
      known = now;
    },
    used: (wallMs) => {
      const owners = new Set([...sums.keys(), ...sightings.keys()]);
      return new Map([...owners].map((owner) => [owner, Math.max(sums.get(owner) ?? 0, seenAtWork(owner) * wallMs)]));
    },
  };

  function seenAtWork(owner: string): number {
    return (sightings.get(owner) ?? 0) < fewestSightings ? 0 : (work.get(owner) ?? 0) / looks;
  }
}

const keyOf = ({ pid, start }: Proc): string => `${pid} ${start}`;

const byNumber = (procs: ReadonlyMap<string, CountedProcess>, pid: number): CountedProcess | undefined =>
  [...procs.values()].find((proc) => proc.pid === pid);
