import type { WorkingHours } from '../staff/charter.ts';
import type { Brief } from '../words/brief.ts';
import type { Experiment } from '../words/experiment.ts';
import { medianOf, reaches } from '../words/score.ts';
import type { Priority } from '../words/spec.ts';
import type { Amount, Cap } from '../words/spending.ts';

/** What a person allowed this run on the command line; undefined means the brief decides. */
export interface RunLimits {
  readonly max: number | undefined;
  /** Milliseconds since 1970. */
  readonly until: number | undefined;
  readonly patience: number | undefined;
}

export interface Progress {
  readonly startedAt: number;
  /** Attempts begun in this run. */
  readonly begun: number;
  /** Experiments since best last moved. */
  readonly sinceKeep: number;
  readonly best: number;
  /** What must be left of the night to measure its gain at the end; no attempt begins later. */
  readonly reserveMs: number;
}

export type Ending = keyof ReturnType<typeof endingsInWords>;

/** Why the night is over, or undefined while it is not. */
export function nightEnds(progress: Progress, brief: Brief, limits: RunLimits, now: number): Ending | undefined {
  if (brief.target !== undefined && reaches(progress.best, brief.target, brief.direction)) return 'target';
  if (brief.haltAt !== undefined && !reaches(progress.best, brief.haltAt, brief.direction)) return 'review';
  if (limits.max !== undefined && progress.begun >= limits.max) return 'max';
  if (progress.sinceKeep >= (limits.patience ?? brief.budget.patience)) return 'patience';
  if (limits.until !== undefined && now >= lastStart(progress, limits.until)) return 'until';
  return now >= lastStart(progress, progress.startedAt + brief.budget.nightMs) ? 'night' : undefined;
}

/** A night that is shorter than what it should keep in reserve works for half of it all the same. */
const lastStart = ({ startedAt, reserveMs }: Progress, end: number): number =>
  end - Math.min(reserveMs, Math.max(0, end - startedAt) / 2);

/** The ending in words, for the report and the last line of a run. */
export const endingInWords = (ending: Ending, brief: Brief, limits: RunLimits): string =>
  endingsInWords(brief, limits)[ending];

const endingsInWords = (brief: Brief, limits: RunLimits) => ({
  target: `the target ${brief.target} was reached`,
  patience: `${limits.patience ?? brief.budget.patience} experiments without progress`,
  night: 'the night is over',
  until: 'the time given is over',
  max: limits.max === 1 ? '1 experiment was asked for' : `${limits.max} experiments were asked for`,
  stopped: 'a person stopped it',
  interrupted: 'interrupted',
  terminated: 'terminated',
  'no-ideas': 'nobody has an idea left',
  refused: 'what is left needs a person',
  halted: 'no agent can go on, a person is needed',
  review: `${brief.metric} is ${brief.direction === 'maximize' ? 'below' : 'above'} ${brief.haltAt}: the brief wants a person to look`,
  capped: 'a cap on money or tokens was reached',
  touched: 'somebody has changed how git works in this repository',
});

/** So many attempts in a row that gave nothing to measure are enough: of a spec, and of an agent that works several. */
export const mostFailures = 5;

/** Of a chief: what it did so often in a row. */
export const wroteNothing = 'it wrote no new spec that can be used';

/** Without a candidate an agent may use so many times what a candidate usually takes. */
const mostTimesUsual = 10;

/** And before anybody has offered one, this part of what the whole night may use. */
const mostOfNight = 1 / 4;

/** One attempt may be dear by bad luck: a provider that breaks off is paid in full. */
const leastAttempts = 2;

/** What the rules look at; all of it comes out of commits, so a run that starts again comes to the same result. */
export type Attempt = Pick<Experiment, 'n' | 'event' | 'agent' | 'spec' | 'seconds' | 'merged' | 'part' | 'spent'>;

/** Why the work on a spec ends before its attempts do: the last of them gave nothing to measure. */
export function whyCut(attempts: readonly Attempt[], spec: string): string | undefined {
  const vain = lastInVain(attempts.filter((one) => one.spec === spec));
  return vain.length < mostFailures ? undefined : `${inARow(vain)} gave nothing to measure`;
}

/** What an agent is judged by. */
interface Since {
  /** The last experiment before this night, or the last that a person has forgiven. */
  readonly n: number;
  /** What the whole night may use. */
  readonly cap: Cap;
}

/** Why an agent gets no more work until a person has looked; undefined while it may go on. */
export function whyStopped(tonight: readonly Attempt[], agent: string, { n, cap }: Since): string | undefined {
  const vain = lastInVain(tonight.filter((one) => one.agent === agent && one.n > n));
  // One spec that nobody could work does not count against its agent.
  const specs = new Set(vain.map((one) => one.spec)).size;
  if (vain.length >= mostFailures && specs > 1) return `${inARow(vain)}, on ${specs} specs, gave nothing to measure`;
  return vain.length < leastAttempts ? undefined : whyTooDear(tonight, vain, cap);
}

/** An agent's own attempts, and not what orgrepo made of them; a void one says nothing about its agent. */
const isOwn = ({ merged, part, event }: Attempt): boolean => !merged && part === undefined && event !== 'void';

/** The attempts since the last that was measured, for better or worse. */
function lastInVain(attempts: readonly Attempt[]): readonly Attempt[] {
  const own = attempts.filter(isOwn);
  return own.slice(own.findLastIndex(isCandidate) + 1);
}

const isCandidate = ({ seconds }: Attempt): boolean => seconds !== undefined;

/** `5 attempts in a row (3 failed, 2 unchanged)`. */
function inARow(vain: readonly Attempt[]): string {
  const events = [...new Set(vain.map(({ event }) => event))];
  const counts = events.map((event) => `${vain.filter((one) => one.event === event).length} ${event}`);
  return `${vain.length} attempts in a row (${counts.join(', ')})`;
}

function whyTooDear(tonight: readonly Attempt[], vain: readonly Attempt[], cap: Cap): string | undefined {
  const used = vain.map(({ spent }) => spent).filter((spent) => spent !== undefined);
  const tokens = used.reduce((sum, spent) => sum + tokensOf(spent), 0);
  const usual = Math.round(medianOf(tonight.filter((one) => isOwn(one) && isCandidate(one)).flatMap(tokensIn)));
  if (!Number.isNaN(usual))
    return tokens > mostTimesUsual * usual
      ? `${tokens} tokens went into ${vain.length} attempts without a candidate, and ${usual} are usual for one with`
      : undefined;
  const unit = units.find(({ of }) => {
    const most = cap[of];
    return most !== undefined && used.reduce((sum, spent) => sum + (spent[of] ?? 0), 0) > most * mostOfNight;
  });
  return unit && `${vain.length} attempts without a candidate used more than a quarter of the night's ${unit.name}`;
}

const units = [
  { of: 'usd', name: 'money' },
  { of: 'tokensIn', name: 'tokens to read' },
  { of: 'tokensOut', name: 'tokens to say' },
] as const;

const tokensOf = ({ tokensIn, tokensOut }: Amount): number => tokensIn + tokensOut;
const tokensIn = ({ spent }: Attempt): readonly number[] => (spent === undefined ? [] : [tokensOf(spent)]);

/** So many tampered attempts of one agent in a night stop it: a slip may happen twice, the third is for a person to look at. */
export const mostStrikes = 3;

export const strikesInWords = `${mostStrikes} attempts of one night were tampered with`;

/**
 * How often each agent has tampered, from these experiments; what a person has forgiven up to a number counts no more.
 * A merge is orgrepo's own doing and nobody's strike.
 */
export function strikesIn(
  experiments: readonly Pick<Experiment, 'n' | 'event' | 'agent' | 'merged'>[],
  forgiven: ReadonlyMap<string, number>,
): Map<string, number> {
  const strikes = new Map<string, number>();
  for (const experiment of experiments.filter(isStrike)) {
    const { agent, n } = experiment;
    if (n > (forgiven.get(agent) ?? 0)) strikes.set(agent, (strikes.get(agent) ?? 0) + 1);
  }
  return strikes;
}

export const isStrike = ({ event, merged }: Pick<Experiment, 'event' | 'merged'>): boolean =>
  event === 'tampered' && !merged;

/** Whether work may begin; if not, when it may, in seconds since 1970. */
export type Opening =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly opensAt: number | undefined; readonly reason: string };

/** Asked before an attempt begins: one that is underway is not interrupted when the hours end. */
export function openingFor(hours: WorkingHours | undefined, at: number, priority: Priority): Opening {
  if (hours === undefined || (hours.criticalAnyway && priority === 'critical') || isOpen(hours, at))
    return { kind: 'open' };
  const { from, to, zone, origin } = hours;
  const reason = `outside of the working hours ${clock(from)}-${clock(to)} ${zone} (${origin})`;
  return { kind: 'closed', opensAt: nextOpening(hours, at), reason };
}

export function isOpen(hours: WorkingHours, at: number): boolean {
  return holds(hours, minuteOf(clockIn(hours.zone), at));
}

/** The first full minute after `at` that is open. Looked for by minutes, so that changes of the clock need no rule of their own. */
export function nextOpening(hours: WorkingHours, at: number): number | undefined {
  const format = clockIn(hours.zone);
  const first = (Math.floor(at / 60) + 1) * 60;
  // Two days: on one of them the clock may leave out the hour that the org opens in.
  for (let minute = first; minute <= first + 2 * 86_400; minute += 60) {
    if (holds(hours, minuteOf(format, minute))) return minute;
  }
  return undefined;
}

/** `until 08:00` on the org's own clock. */
export function untilInWords(hours: WorkingHours | undefined, opensAt: number | undefined): string {
  if (opensAt === undefined) return 'for now';
  return `until ${clockIn(hours?.zone ?? 'UTC').format(opensAt * 1000)}`;
}

/** From the first minute to the one before the last. From a time to the same time is all day. */
function holds({ from, to }: WorkingHours, minute: number): boolean {
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

const clockIn = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Minutes since midnight, as the clock on the wall says. */
function minuteOf(format: Intl.DateTimeFormat, at: number): number {
  const [hour = '0', minute = '0'] = format.format(at * 1000).split(':');
  return Number(hour) * 60 + Number(minute);
}

/** `08:00`. */
export const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
