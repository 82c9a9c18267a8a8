import type { Proc } from './process-tree.ts';

/** A process, and whom its CPU time is counted for. */
export interface CountedProcess extends Proc {
  readonly owner: string;
}

/** CPU time by owner over several looks at the same processes. */
export interface CpuCount {
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

function byNumber(procs: ReadonlyMap<string, CountedProcess>, pid: number): CountedProcess | undefined {
  for (const proc of procs.values()) if (proc.pid === pid) return proc;
  return undefined;
}
