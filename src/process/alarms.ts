import type { Heard } from './captured-output.ts';

/** How long somebody has stood still so far, in milliseconds. It never goes back. */
export type StandingStill = () => number;

export const neverStill: StandingStill = () => 0;

/** Rings once after so much time, not counting that in which somebody stood still. The answer turns it off. */
export function setAlarm(ms: number, still: StandingStill, ring: () => void): () => void {
  let counted = still();
  const wait = (left: number): NodeJS.Timeout =>
    setTimeout(() => {
      const more = still() - counted;
      if (more <= 0) return ring();
      counted += more;
      timer = wait(Math.max(more, leastMs));
    }, left);
  let timer = wait(ms);
  return () => clearTimeout(timer);
}

/** While somebody stands still the rest grows by itself; looking at it more often than this would help nobody. */
const leastMs = 20;

/** Looks a few times in every span of silence: an alarm for every word would cost more than the words. */
export function listenForSilence(
  ms: number | undefined,
  still: StandingStill,
  heard: readonly Heard[],
  kill: () => void,
): { end(): boolean } {
  if (ms === undefined) return { end: () => false };
  const clock = (): number => performance.now() - still();
  let [bytes, since, silent] = [0, clock(), false];
  const timer = setInterval(() => {
    const now = heard.reduce((sum, one) => sum + one.bytes(), 0);
    if (now !== bytes) [bytes, since] = [now, clock()];
    else if (clock() - since >= ms) {
      silent = true;
      kill();
    }
  }, ms / 8);
  return {
    end: () => {
      clearInterval(timer);
      return silent;
    },
  };
}
