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

const daySeconds = 86_400;

/** The one that an instant is in. Weeks begin on Monday. */
export function spanAt(period: Period, at: number): Span {
  const day = Math.floor(at / daySeconds);
  const { year, month } = dateOf(day);
  if (period === 'day') return between(period, day, day + 1);
  if (period === 'month')
    return between(period, dayNumber(year, month), month === 12 ? dayNumber(year + 1, 1) : dayNumber(year, month + 1));
  const monday = day - ((((day + 3) % 7) + 7) % 7); // Day 0 was a Thursday.
  return between(period, monday, monday + 7);
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

function between(period: Period, first: number, next: number): Span {
  return {
    period,
    from: first * daySeconds,
    until: next * daySeconds,
    firstDay: formatDay(first),
    lastDay: formatDay(next - 1),
  };
}

function formatDay(day: number): string {
  const { year, month, dayOfMonth } = dateOf(day);
  return [String(year).padStart(4, '0'), ...[month, dayOfMonth].map((part) => String(part).padStart(2, '0'))].join('-');
}

const [daysOfEra, yearsOfEra, daysBefore1970] = [146_097, 400, 719_468];

/** Years are counted from March, so that the odd day of a leap year comes last; then months have a plain rhythm. */
function dateOf(day: number): { readonly year: number; readonly month: number; readonly dayOfMonth: number } {
  const shifted = day + daysBefore1970;
  const era = Math.floor(shifted / daysOfEra);
  const ofEra = shifted - era * daysOfEra;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const dayOfMonth = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * yearsOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth };
}

/** The first day of a month. */
function dayNumber(year: number, month: number): number {
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / yearsOfEra);
  const yearOfEra = shifted - era * yearsOfEra;
  const ofEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + Math.floor((153 * fromMarch + 2) / 5);
  return era * daysOfEra + ofEra - daysBefore1970;
}
