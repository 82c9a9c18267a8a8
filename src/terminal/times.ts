/** `22:41`, where the reader is. */
export function clockWord(at: number): string {
  const date = dateOf(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `22:41:58`, where the reader is. */
export const timeWord = (at: number): string => `${clockWord(at)}:${two(dateOf(at).getSeconds())}`;

/** `15 Nov`, where the reader is. */
export function dayWord(at: number): string {
  const date = dateOf(at);
  return `${date.getDate()} ${months[date.getMonth()]}`;
}

/** `2026-11-15T22:41:58Z`; a part of a second is kept only where there is one. */
export const isoTime = (at: number): string => dateOf(at).toISOString().replace('.000Z', 'Z');

/** Roughly, for what a reader only glances at: `3 s`, `41 min`, `7 h 31 m`, `3 d 4 h`. */
export function spanWord(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} m`;
  return hours % 24 === 0 ? `${Math.floor(hours / 24)} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `0:00:41`, for something that is still going on. */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number): string => String(value).padStart(2, '0');

/** A commit can claim any time at all, also one that no calendar has. */
function dateOf(at: number): Date {
  const most = 8.64e12;
  return new Date(Math.min(most, Math.max(-most, Number.isFinite(at) ? at : 0)) * 1000);
}
