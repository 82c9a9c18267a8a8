import { byUrgency, isUrgent, type Priority } from '../words/spec.ts';
import { agentsOn, resultOf, type SpecTask, type TaskResult } from '../words/task.ts';

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

/** Everybody's trust, from the specs that are finished. Whoever has finished none is a `newcomer`. */
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
 * The order in which an agent takes specs: the most urgent first. Whoever warms up takes what is of low priority before what is
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
  rank === 'probation' ? `trust ${score}, on probation` : `trust ${score}, ${rank}`;

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
