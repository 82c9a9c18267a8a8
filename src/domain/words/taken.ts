import { type Experiment, isKept } from './experiment.ts';

/** A change that orgrepo/best moved to, by the number that it has there. */
export interface Taken {
  readonly n: number;
  /** Its commit on best. */
  readonly commit: string;
  /** The change that was taken in its place; undefined while it is on best. */
  readonly replacedBy: number | undefined;
}

/** The same with its story: the win behind it, and what it did to the score of best. */
export interface TakenWin extends Taken {
  /** The try as its agent offered it: another number where it was merged with best, or measured in its place. */
  readonly won: Win;
  readonly agent: string;
  readonly score: number | undefined;
  /** The score of best just before. */
  readonly before: number | undefined;
}

/** A try that won, before orgrepo did anything with it. */
export interface Win {
  readonly n: number;
  readonly title: string;
}

/** Where a try that won is now. */
export type WinPlace =
  | { readonly kind: 'on best'; readonly as: number }
  | { readonly kind: 'replaced'; readonly by: number }
  | { readonly kind: 'left'; readonly why: WhyLeft; readonly by: number | undefined };

/**
 * Why a win is not on best. `merge`: merged with best it did not win. `best`: measured in place of best it did not win.
 * `waits` and `rejected`: it was to be taken in place of best, which somebody has to approve. `open`: nothing of this happened.
 */
export type WhyLeft = 'merge' | 'best' | 'waits' | 'rejected' | 'open';

/** One row for each win: a merge that a later try of the same win replaced is not another one. */
export function rowsOf(taken: readonly TakenWin[]): readonly TakenWin[] {
  const rows = new Map<number, TakenWin>();
  for (const one of taken) {
    const other = rows.get(one.won.n);
    if (other === undefined || !isOnBest(other)) rows.set(one.won.n, one);
  }
  return taken.filter((one) => rows.get(one.won.n) === one);
}

export const isOnBest = ({ replacedBy }: Taken): boolean => replacedBy === undefined;

/** The places of all that won among these experiments, by number: of each try and of what orgrepo made of it. */
export function placesOfWins(experiments: readonly Experiment[], taken: readonly Taken[]) {
  const byTried = new Map(experiments.map((one) => [one.tried, one]));
  const behind = (last: Experiment): readonly Experiment[] => {
    const older = last.cause === undefined ? undefined : byTried.get(last.cause);
    return older === undefined || older.n >= last.n ? [last] : [last, ...behind(older)];
  };
  const places = new Map<number, WinPlace>();
  const made = new Map<number, Experiment>(); // The last that orgrepo made of a win.
  const byNumber = new Map(taken.map((one) => [one.n, one]));
  for (const experiment of experiments) {
    const line = behind(experiment);
    for (const { n } of line.slice(1)) made.set(n, experiment);
    const there = byNumber.get(experiment.n);
    if (there === undefined) continue;
    const place: WinPlace = isOnBest(there)
      ? { kind: 'on best', as: there.n }
      : { kind: 'replaced', by: there.replacedBy ?? 0 };
    for (const { n } of line) if (places.get(n)?.kind !== 'on best') places.set(n, place);
  }
  for (const one of experiments) if (isKept(one) && !places.has(one.n)) places.set(one.n, leftBy(made.get(one.n)));
  return places;
}

function leftBy(made: Experiment | undefined): WinPlace {
  if (made === undefined) return { kind: 'left', why: 'open', by: undefined };
  const why = made.waits
    ? 'waits'
    : made.event === 'rejected'
      ? 'rejected'
      : made.event === 'keep'
        ? 'open'
        : undefined;
  return { kind: 'left', why: why ?? (made.alone ? 'best' : 'merge'), by: made.n };
}
