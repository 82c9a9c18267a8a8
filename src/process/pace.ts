import type { Heard } from './captured-output.ts';

/** How long orgrepo waits where it does nothing but wait, in milliseconds; and how often it tidies up. */
const usualPace = {
  /** Between two looks of a lane that has nothing to do. */
  idleMs: 200,
  /** Between two looks of an agent that a person has paused. */
  pausedMs: 300,
  /** How long the orders of people and the organisation in force are believed before they are read again. */
  ordersMs: 250,
  /** Between two looks for agents that join or leave while all others are busy. */
  staffMs: 1_000,
  /** How long a ref that somebody has locked is tried again. */
  lockedMs: 5_000,
  /** How long a lock on a ref must stay untouched before it counts as left behind. */
  staleLockMs: 500,
  /** Between two looks at a busy machine. */
  calmMs: 100,
  /**
   * How long a busy machine is waited for before a measurement is given up: a void costs what its agent has cost, so a minute of
   * waiting is cheap; a machine may be busy all night, so it ends.
   */
  busyMs: 60_000,
  /** How often the reference load is timed after each measurement of a calibration. */
  loadTimings: 3,
  /** So many loose objects are packed, between two looks, once they are older than this. 0 of them: never. */
  packAfter: 2_000,
  packLookMs: 2_000,
  packAgeMs: 2_000,
  /** Between two checkpoints of a run. */
  checkpointMs: 3_600_000,
  /** Between two looks at what runs beside a measurement. */
  neighboursMs: 25,
};

export type Pace = Readonly<typeof usualPace>;

/** For tests and benches, which start the program: pack early and often, or never. */
function packingOf(setting: string | undefined): Partial<Pace> {
  if (setting === undefined || !/^[0-9]+$/.test(setting)) return {};
  return { packAfter: Number(setting), ...(Number(setting) < 1_000 ? { packLookMs: 50, packAgeMs: 0 } : {}) };
}

const startingPace: Pace = { ...usualPace, ...packingOf(process.env.ORGREPO_PACK_AFTER) };
let now = startingPace;

/** The pace of this process. */
export const pace = (): Pace => now;

/** Tests go faster: no one waits for anything there. */
export function setPace(faster: Partial<Pace>): void {
  now = { ...startingPace, ...faster };
}

/** The only clock of the org itself, in the seconds that facts and commits carry. */
export const nowInSeconds = (): number => Date.now() / 1000;

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
