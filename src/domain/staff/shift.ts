import type { SpecTask } from '../words/task.ts';

/** The time in which an agent was there to work: a lane of a run. Seconds since 1970. */
export interface Shift {
  readonly agent: string;
  readonly from: number;
  readonly until: number;
}

/** How much of its time somebody had no spec. */
export interface Idleness {
  readonly agent: string;
  readonly present: number;
  readonly idle: number;
}

/** By agent, in the order of their first shift. Work outside of shifts, of a night that crashed, counts for nobody. */
export function idlenessIn(shifts: readonly Shift[], tasks: readonly SpecTask[], now: number): readonly Idleness[] {
  return [...new Set(shifts.map(({ agent }) => agent))].map((agent) => {
    const own = shifts.filter((shift) => shift.agent === agent);
    const held = tasks
      .filter((task) => task.agent === agent)
      .map(({ claimedAt, endedAt }) => ({ from: claimedAt, until: endedAt ?? now }));
    const present = own.reduce((sum, { from, until }) => sum + Math.max(0, until - from), 0);
    const busy = own.reduce((sum, shift) => sum + lengthOf(united(held.map((one) => overlap(one, shift)))), 0);
    return { agent, present, idle: present - busy };
  });
}

interface Stretch {
  readonly from: number;
  readonly until: number;
}

const overlap = (a: Stretch, b: Stretch): Stretch => ({
  from: Math.max(a.from, b.from),
  until: Math.min(a.until, b.until),
});

/** Stretches that touch become one: nobody is twice as busy for holding two specs. */
function united(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const one of [...stretches].filter(({ from, until }) => until > from).sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last === undefined || one.from > last.until) found.push(one);
    else found[found.length - 1] = { from: last.from, until: Math.max(last.until, one.until) };
  }
  return found;
}

const lengthOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { from, until }) => sum + until - from, 0);
