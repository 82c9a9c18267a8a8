import type { WorkingHours } from '../../domain/staff/charter.ts';
import type { Priority } from '../../domain/words/spec.ts';

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
const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
