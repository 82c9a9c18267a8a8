import type { Period } from '../staff/charter.ts';

/** A day, a week or a month of UTC. Days are as the books of spending write them, so that they can be compared as text. */
export interface Span {
  readonly period: Period;
  /** Seconds since 1970; `until` is the first second of the next. */
  readonly from: number;
  readonly until: number;
  /** `2026-11-16`. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The one that an instant is in. Weeks begin on Monday. */
export function spanAt(period: Period, at: number): Span {
  const then = new Date(at * 1000);
  const [year, month, day] = [then.getUTCFullYear(), then.getUTCMonth(), then.getUTCDate()];
  const first = { day, week: day - ((then.getUTCDay() + 6) % 7), month: 1 }[period];
  const from = Date.UTC(year, month, first);
  const until =
    period === 'month' ? Date.UTC(year, month + 1) : Date.UTC(year, month, first + (period === 'week' ? 7 : 1));
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { period, from: from / 1000, until: until / 1000, firstDay: dayOf(from), lastDay: dayOf(until - 1) };
}

export const isIn = (span: Span, day: string): boolean => day >= span.firstDay && day <= span.lastDay;

/** How much of it is over, 0 to 1. */
export const elapsedOf = ({ from, until }: Span, at: number): number =>
  Math.max(0, Math.min(1, (at - from) / (until - from)));

/** `the day 2026-11-16`, `the week of 2026-11-16`, `the month 2026-11`. */
export function spanInWords({ period, firstDay }: Span): string {
  if (period === 'week') return `the week of ${firstDay}`;
  return period === 'month' ? `the month ${firstDay.slice(0, 7)}` : `the day ${firstDay}`;
}
