/**
 * When a subscription allows more, in milliseconds since 1970, as programs say it to people: `usage limit reached|1763510400`,
 * `try again at 3:05 PM`, `try again at Nov 20th, 2026 12:49 AM`, `resets 12:48am`. By the clock of UTC, which they are started with. Undefined
 * where the words do not say it.
 */
export function endOfWindow(words: string, now = Date.now()): number | undefined {
  const [, seconds] = /limit reached\|(\d{9,11})\b/.exec(words) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const [, month, day, year, hour, minute = '0', half] = byClock.exec(words) ?? [];
  if (hour === undefined) return undefined;
  const today = new Date(now);
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const at = (years: number, months: number, days: number): number =>
    Date.UTC(years, months, days, hours, Number(minute) + 1); // The seconds are cut off.
  if (month === undefined) {
    const end = at(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
    return end > now - hourMs ? end : end + dayMs; // One that is just over is not tomorrow's.
  }
  const end = at(Number(year ?? today.getUTCFullYear()), months.indexOf(month), Number(day));
  return year === undefined && end < now - dayMs
    ? at(today.getUTCFullYear() + 1, months.indexOf(month), Number(day))
    : end;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const date = `(${months.join('|')}) (\\d{1,2})(?:st|nd|rd|th)?(?:, (\\d{4}))?,? (?:at )?`;
const byClock = new RegExp(`(?:[Tt]ry again|[Rr]esets)(?: at)? (?:${date})?(\\d{1,2})(?::(\\d\\d))? ?([AaPp][Mm])\\b`);

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
