import { type Idleness, idlenessIn, ownIn, resultOf, type Shift, type SpecTask } from '../../domain/staff/trust.ts';
import { medianOf } from '../../domain/words/score.ts';

/** The parts of the score, with the weights of the specification, and a word for the one line that `status` has. */
export const parts = {
  'ack latency': { weight: 15, short: 'ack', measure: ackLatency },
  'escalation rate': { weight: 20, short: 'escalation', measure: escalationRate },
  'completion rate': { weight: 25, short: 'completion', measure: completionRate },
  'budget utilisation': { weight: 15, short: 'budget', measure: budgetUtilisation },
  'idle rate': { weight: 10, short: 'idle', measure: idleRate },
  'time to completion': { weight: 15, short: 'pace', measure: completionTrend },
} as const;

export type ComponentName = keyof typeof parts;

/** Of fewer tasks nothing is concluded; a trend takes two halves of four. */
export const fewestTasks = 5;
const fewestForTrend = 8;

/** So much of a period must be over before what is spent says how it will end. */
export const leastElapsed = 0.25;

/** Everything that the score rests on. Times are seconds. */
export interface HealthFacts {
  /** The tasks of the window that is looked at, finished or not. */
  readonly tasks: readonly SpecTask[];
  readonly shifts: readonly Shift[];
  /** One attempt's budget: the agent's time and the measurement's. */
  readonly cycleSeconds: number;
  /**
   * What part of the period's cap is used, and how much of the period is over; undefined where there is no cap, and `unread`
   * where there was more to add up than the answer is worth.
   */
  readonly budget: { readonly used: number; readonly elapsed: number } | 'unread' | undefined;
  readonly now: number;
}

export type Health = Readonly<ReturnType<typeof healthOf>>;

export function healthOf(facts: HealthFacts) {
  const components = (Object.keys(parts) as readonly ComponentName[]).map((name) => {
    const { weight, measure } = parts[name];
    return { name, weight, ...measure(facts) };
  });
  const rated = components.flatMap(({ weight, score }) => (score === undefined ? [] : [{ weight, score }]));
  /** How much of the weight is known, of 100. */
  const known = rated.reduce((sum, { weight }) => sum + weight, 0);
  const total = rated.reduce((sum, { weight, score }) => sum + weight * score, 0);
  /** 0 to 100; undefined where less than half of the weight is known. */
  const score = known < 50 ? undefined : Math.round(total / known);
  return { score, band: score === undefined ? undefined : bandOf(score), known, components };
}

export const bandOf = (score: number) =>
  score >= 90 ? 'elite' : score >= 70 ? 'healthy' : score >= 50 ? 'needs attention' : 'restructure';

interface Measured {
  /** In its own unit; undefined while it is not known. */
  readonly value: number | undefined;
  /** 0 to 100. */
  readonly score: number | undefined;
  /** What was found, or why nothing was. */
  readonly words: string;
}

/**
 * From the claim to the first sign of life, in cycles: the word that it is acknowledged, or the verdict on the first
 * attempt. An agent that has been silent for more than a cycle counts with the time so far.
 */
function ackLatency({ tasks, cycleSeconds, now }: HealthFacts): Measured {
  const silences = tasks.flatMap(({ claimedAt, ackedAt, endedAt, experiments }) => {
    const first = ackedAt ?? experiments[0]?.at;
    const cycles = ((first ?? endedAt ?? now) - claimedAt) / cycleSeconds;
    return first !== undefined || (endedAt === undefined && cycles > 1) ? [cycles] : [];
  });
  if (silences.length < fewestTasks) return tooFew(silences.length, 'claimed specs');
  const value = medianOf(silences);
  return measured(value, between(value, 1, 3), `${tidy(value)} cycles in the middle of ${silences.length} claims`);
}

function escalationRate({ tasks }: HealthFacts): Measured {
  if (tasks.length < fewestTasks) return tooFew(tasks.length, 'claimed specs');
  const escalated = tasks.filter(({ escalations }) => escalations > 0).length;
  const value = escalated / tasks.length;
  return measured(value, between(value, 0.1, 0.3), `${escalated} of ${tasks.length} specs, ${percent(value)}`);
}

/** Of the specs that ended, those that came to something: a gain, or the knowledge that there is none. */
function completionRate({ tasks }: HealthFacts): Measured {
  const ended = tasks.filter(({ endedAt }) => endedAt !== undefined);
  const worked = ended.map((task) => resultOf(task, task.agent)).filter((result) => result !== 'none');
  if (worked.length < fewestTasks) return tooFew(worked.length, 'finished specs');
  const completed = worked.filter((result) => result === 'success' || result === 'honest').length;
  const value = completed / worked.length;
  return measured(value, between(value, 0.9, 0.7), `${completed} of ${worked.length} specs, ${percent(value)}`);
}

/** What the period will have used at its end, if it goes on like this. What is used up already needs no such guess. */
function budgetUtilisation({ budget }: HealthFacts): Measured {
  if (budget === undefined) return unknown('no cap on a period');
  if (budget === 'unread') return unknown('more calls in the period than are added up here');
  const { used, elapsed } = budget;
  if (elapsed < leastElapsed && used <= 0.95) return unknown(`only ${percent(elapsed)} of the period is over`);
  const value = elapsed < leastElapsed ? used : used / elapsed;
  const score = value < 0.6 ? between(value, 0.4, 0.2) : between(value, 0.8, 0.95);
  return measured(value, score, `${percent(used)} used with ${percent(elapsed)} of the period over`);
}

function idleRate({ tasks, shifts, cycleSeconds, now }: HealthFacts): Measured {
  const lanes = idlenessIn(shifts, tasks, now);
  const sum = (of: (lane: Idleness) => number): number => lanes.reduce((all, lane) => all + of(lane), 0);
  const [present, idle] = [sum((lane) => lane.present), sum((lane) => lane.idle)];
  if (present < fewestTasks * cycleSeconds) return unknown(`fewer than ${fewestTasks} cycles of anybody's time`);
  const value = idle / present;
  return measured(
    value,
    between(value, 0.3, 0.6),
    `${percent(value)} of the time of ${lanes.length === 1 ? '1 agent' : `${lanes.length} agents`}`,
  );
}

/** The later half of the finished specs against the earlier: a quarter faster is all one can ask, a quarter slower is bad. */
function completionTrend({ tasks }: HealthFacts): Measured {
  const ended = tasks
    .flatMap((task) => (task.endedAt === undefined || ownIn(task).length === 0 ? [] : [{ ...task, end: task.endedAt }]))
    .sort((a, b) => a.end - b.end || (a.spec < b.spec ? -1 : 1));
  if (ended.length < fewestForTrend) return tooFew(ended.length, 'finished specs', fewestForTrend);
  const half = Math.floor(ended.length / 2);
  const [earlier, later] = [ended.slice(0, half), ended.slice(-half)].map((some) =>
    Math.max(1, medianOf(some.map(({ claimedAt, end }) => end - claimedAt))),
  );
  const value = (later ?? 1) / (earlier ?? 1);
  const score = between(Math.log(value), -Math.log(1.25), Math.log(1.25));
  return measured(value, score, `${tidy(later ?? 0)} s in the middle lately, ${tidy(earlier ?? 0)} s before`);
}

/** 100 at healthy or better, 0 at unhealthy or worse, in a straight line between. */
const between = (value: number, healthy: number, unhealthy: number): number =>
  100 * Math.max(0, Math.min(1, (value - unhealthy) / (healthy - unhealthy)));

const measured = (value: number, score: number, words: string): Measured => ({ value, score, words });

const unknown = (words: string): Measured => ({ value: undefined, score: undefined, words: `unknown: ${words}` });

const tooFew = (count: number, what: string, fewest: number = fewestTasks): Measured =>
  unknown(`${count} ${what}, and it takes ${fewest}`);

export const percent = (value: number): string => `${Math.round(value * 100)}%`;
const tidy = (value: number): string => String(Number(value.toPrecision(3)));

/** `82, healthy: ack 10/10, escalation 10/10, completion 9/10, budget unknown, idle 6/10, pace 5/10`. */
export function healthWords(health: Health): string {
  const words = health.components.map(
    ({ name, score }) => `${parts[name].short} ${score === undefined ? 'unknown' : `${Math.round(score / 10)}/10`}`,
  );
  return `${scoreWords(health)}: ${words.join(', ')}`;
}

/** The score, and of each part what was found or why nothing was. */
export const healthInFull = (health: Health): readonly string[] => [
  scoreWords(health),
  ...health.components.map(({ name, words }) => `${name} ${words}`),
];

const scoreWords = ({ score, band, known }: Health): string =>
  score === undefined ? `no score while only ${known} of 100 is known` : `${score} of 100, ${band}`;

/** What is not known is left out. */
export const healthJson = ({ components, ...health }: Health): Record<string, unknown> => ({
  ...health,
  components: components.map(({ score, value, ...rest }) => ({
    ...rest,
    score: score === undefined ? undefined : Math.round(score),
    value: value === undefined ? undefined : Number(value.toPrecision(6)),
  })),
});
