import type { Experiment } from '../words/experiment.ts';
import { byUrgency, isUrgent, type Priority } from '../words/spec.ts';

export type Rank = 'probation' | 'trusted' | 'veteran';

/** How far an agent is trusted, and what that rests on. */
export interface Trust {
  readonly agent: string;
  /** 0 to 100. */
  readonly score: number;
  readonly rank: Rank;
  /** How many of its finished specs came to what. */
  readonly results: Readonly<Record<Exclude<TaskResult, 'none'>, number>>;
}

const [start, trustedFrom, veteranFrom, highest] = [30, 60, 90, 100];

/** What a finished spec costs. A newcomer that tampers has nothing left. */
const lost: Readonly<Partial<Record<TaskResult, number>>> = { failure: 10, tampered: 30 };

/** An agent of so many finished specs knows its way around; until then it gets those first that matter least. */
const warmUpSpecs = 3;

/** The trust of all agents, from the specs that are finished. An agent without finished specs is a `newcomer`. */
export function trustIn(tasks: readonly SpecTask[]): ReadonlyMap<string, Trust> {
  const trusts = new Map<string, Trust>();
  for (const task of [...tasks].filter(({ endedAt }) => endedAt !== undefined).sort(byEnd)) {
    for (const agent of agentsOn(task)) {
      const result = resultOf(task, agent);
      if (result !== 'none') trusts.set(agent, after(trusts.get(agent) ?? newcomer(agent), result));
    }
  }
  return trusts;
}

export const newcomer = (agent: string): Trust => ({
  agent,
  score: start,
  rank: 'probation',
  results: { success: 0, honest: 0, failure: 0, tampered: 0, excused: 0 },
});

export const trustOf = (trusts: ReadonlyMap<string, Trust>, agent: string): Trust =>
  trusts.get(agent) ?? newcomer(agent);

/** What was none of its field has taught an agent nothing. */
export const isWarmingUp = ({ rank, results }: Trust): boolean =>
  rank === 'probation' && results.success + results.honest + results.failure + results.tampered < warmUpSpecs;

/**
 * The order in which an agent takes specs: the most urgent first. An agent that warms up takes what is of low priority before what is
 * normal; but what is urgent waits for nobody to warm up: in a new org nobody has. Equals stay as they are.
 */
export function inOrderFor<Open>(trust: Trust, specs: readonly Open[], priorityOf: (spec: Open) => Priority): Open[] {
  const warmsUp = isWarmingUp(trust);
  const isUrgentOf = (spec: Open): boolean => isUrgent(priorityOf(spec));
  const order = (a: Open, b: Open): number => {
    const urgency = byUrgency(priorityOf(a), priorityOf(b));
    return warmsUp && !isUrgentOf(a) && !isUrgentOf(b) ? -urgency : urgency;
  };
  return [...specs].sort(order);
}

/** `trust 62, trusted`. */
export const trustInWords = ({ score, rank }: Trust): string =>
  `trust ${score}, ${rank === 'probation' ? 'on probation' : rank}`;

function after(trust: Trust, result: Exclude<TaskResult, 'none'>): Trust {
  const gained = result === 'success' ? gainAt(trust.score) : 0;
  const score = Math.max(0, Math.min(highest, trust.score + gained - (lost[result] ?? 0)));
  return {
    ...trust,
    score,
    rank: rankAt(score),
    results: { ...trust.results, [result]: trust.results[result] + 1 },
  };
}

/** Five successes in a row make a newcomer trusted, fifteen more a veteran: the rank is read off the score alone. */
const gainAt = (score: number): number => (score < trustedFrom ? 6 : score < veteranFrom ? 2 : 1);

const rankAt = (score: number): Rank =>
  score >= veteranFrom ? 'veteran' : score >= trustedFrom ? 'trusted' : 'probation';

/** In the order in which they ended; ids settle what ended in the same second. */
const byEnd = (a: SpecTask, b: SpecTask): number => (a.endedAt ?? 0) - (b.endedAt ?? 0) || (a.spec < b.spec ? -1 : 1);

/** What of an experiment says how somebody works. */
export type Attempted = Pick<Experiment, 'n' | 'agent' | 'event' | 'seconds' | 'merged' | 'part' | 'at' | 'title'>;

/** The work on one spec as its notebook tells it. Times are seconds since 1970, from commits. */
export interface SpecTask {
  readonly spec: string;
  /** The agent that has it, or had it last. */
  readonly agent: string;
  readonly claimedAt: number;
  /** When its holder said that it has it, where the culture asks for that. */
  readonly ackedAt?: number | undefined;
  /** When its notebook was ended; undefined while it is open. */
  readonly endedAt: number | undefined;
  /** Oldest first. */
  readonly experiments: readonly Attempted[];
  /** How often it was escalated, by whomever. */
  readonly escalations: number;
  /** The agents that returned it as outside their domain, and were not asked to go on. */
  readonly outOfDomain?: readonly string[] | undefined;
}

/**
 * What the work of one agent on a task came to.
 * `success`: something of its own was kept, and nobody rejected it.
 * `honest`: something was measured, and nothing kept. To find out that an idea does not work is work.
 * `failure`: it tried, and nothing of it could be measured.
 * `tampered`: it changed what it may not, whatever else it did.
 * `excused`: it was none of its field.
 * `none`: it never tried, or all that it tried was void. That says nothing of anybody.
 */
export type TaskResult = 'success' | 'honest' | 'failure' | 'tampered' | 'excused' | 'none';

export function resultOf(task: SpecTask, agent: string): TaskResult {
  const own = ownIn(task).filter((one) => one.agent === agent && one.event !== 'void');
  if (own.some(({ event }) => event === 'tampered')) return 'tampered';
  if (own.some(({ event }) => event === 'keep')) return 'success';
  if (task.outOfDomain?.includes(agent)) return 'excused';
  if (own.length === 0) return 'none';
  return own.some(({ seconds }) => seconds !== undefined) ? 'honest' : 'failure';
}

/** The same tasks with those who gave them back as none of their field. */
export const excuse = (tasks: readonly SpecTask[], excused: ReadonlyMap<string, readonly string[]>): SpecTask[] =>
  tasks.map((task) => ({ ...task, outOfDomain: excused.get(task.spec) }));

/** What agents offered themselves: merges, and changes with a part left out, are orgrepo's own doing. */
export const ownIn = ({ experiments }: Pick<SpecTask, 'experiments'>): readonly Attempted[] =>
  experiments.filter(({ merged, part }) => !merged && part === undefined);

/** Everybody who worked on a task: one whose holder died may have been taken over. */
export const agentsOn = (task: SpecTask): readonly string[] => [
  ...new Set([...ownIn(task).map(({ agent }) => agent), ...(task.outOfDomain ?? []), task.agent]),
];

/** The time in which an agent was there to work: a lane of a run. Seconds since 1970. */
export interface Shift {
  readonly agent: string;
  readonly from: number;
  readonly until: number;
}

export type Idleness = Readonly<ReturnType<typeof idlenessIn>[number]>;

/** How much of its time somebody had no spec. By agent, in the order of their first shift. Work outside of shifts, of a night that crashed, counts for nobody. */
export function idlenessIn(shifts: readonly Shift[], tasks: readonly SpecTask[], now: number) {
  return [...new Set(shifts.map(({ agent }) => agent))].map((agent) => {
    const own = shifts.filter((shift) => shift.agent === agent);
    const overlapping = tasks
      .filter((task) => task.agent === agent)
      .map(({ claimedAt, endedAt }) => ({ from: claimedAt, until: endedAt ?? now }));
    const present = own.reduce((sum, { from, until }) => sum + Math.max(0, until - from), 0);
    const busy = own.reduce((sum, shift) => sum + lengthOf(united(overlapping.map((one) => overlap(one, shift)))), 0);
    return { agent, present, idle: present - busy };
  });
}

type Stretch = Omit<Shift, 'agent'>;

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
