import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import { quantile, type Range } from '../../terminal/axis.ts';
import { holdoutName, type NightStory } from '../facts/overview.ts';

/** One experiment in a plot. */
export interface Point {
  /** Its place in the night, from 1. */
  readonly x: number;
  readonly experiment: Experiment;
  /** What was tried; of a merge that was taken, the title of the win behind it. */
  readonly title: string;
  /** `taken`: best moved to it. `won`: it won, and best did not. */
  readonly kind: 'taken' | 'won' | 'tried' | 'unscored';
  /** The best score once it was done. */
  readonly best: number | undefined;
}

/** A score that holds from `x` until the next one. */
export interface Step {
  readonly x: number;
  readonly score: number;
}

/** What both plots draw. */
export interface Course {
  readonly points: readonly Point[];
  readonly best: readonly Step[];
  /** The held-out score of each best. */
  readonly holdout: readonly Step[];
  /** The scores worth showing; the few that lie outside are drawn on the edge. */
  readonly range: Range;
}

/** Undefined when nothing has a score, so that there is nothing to draw. */
export function courseOf(night: NightStory): Course | undefined {
  const start = night.experiments.find(({ best }) => best !== undefined)?.best ?? night.baseline;
  const best: Step[] = start === undefined ? [] : [{ x: 0, score: start }];
  const heldOut: Step[] = night.holdout?.from === undefined ? [] : [{ x: 0, score: night.holdout.from }];
  const taken = new Map(night.taken.map(({ n, won }) => [n, won.title]));
  const points = night.experiments.map((experiment, index): Point => {
    const { score, numbers } = experiment;
    const isTaken = taken.has(experiment.n);
    if (isTaken && score !== undefined) {
      best.push({ x: index + 1, score });
      const unseen = numbers[holdoutName(night.metric)];
      if (unseen !== undefined) heldOut.push({ x: index + 1, score: unseen });
    }
    const kind = score === undefined ? 'unscored' : isTaken ? 'taken' : isKept(experiment) ? 'won' : 'tried';
    const title = taken.get(experiment.n) ?? experiment.title;
    return { x: index + 1, experiment, title, kind, best: best.at(-1)?.score };
  });
  const holdout = heldOut.length > 1 ? heldOut : [];
  const range = rangeOf(points, best, holdout, night.direction === 'minimize' ? 1 : -1);
  return range === undefined ? undefined : { points, best, holdout, range };
}

/**
 * All that is good is shown, and of the bad as much as most of the night needs: one absurd score, or one great first
 * step, must not squeeze the rest into a line. `worse` is the sign of getting worse.
 */
function rangeOf(
  points: readonly Point[],
  best: readonly Step[],
  holdout: readonly Step[],
  worse: 1 | -1,
): Range | undefined {
  const bests = points.flatMap((point) => (point.best === undefined ? [] : [point.best * worse]));
  const steps = [...best.map(({ score }) => score * worse), ...bests];
  const tried = points.flatMap(({ experiment: { score } }) => (score === undefined ? [] : [score * worse]));
  const unseen = holdout.map(({ score }) => score * worse);
  const all = [...steps, ...tried, ...unseen];
  if (all.length === 0) return undefined;
  const good = smallest(all);
  const whole = largest([...steps, good]) - good;
  const usual = (quantile(steps, 0.75) ?? good) - good;
  const outliers = best.filter(({ score }) => score * worse - good > usual * 1.5).length;
  const shown = usual > 0 && usual < whole / 10 && outliers <= best.length / 4 ? usual * 1.5 : whole;
  const most = (quantile(tried, 0.6) ?? good) - good;
  const bad = whole === 0 ? most : Math.max(shown, Math.min(most, shown * 1.5));
  return padded(good, good + bad, worse);
}

// Not Math.min(...values): a night can have more values than a call can have arguments.
const smallest = (values: readonly number[]): number => values.reduce((low, value) => Math.min(low, value));
const largest = (values: readonly number[]): number => values.reduce((high, value) => Math.max(high, value));

function padded(good: number, bad: number, worse: 1 | -1): Range {
  const span = bad - good;
  const pad = span > Math.abs(good) * 1e-9 ? span * 0.06 : Math.abs(good) * 0.01 || 1;
  const [low, high] = worse === 1 ? [good, bad] : [-bad, -good];
  return { low: low - pad, high: high + pad };
}
