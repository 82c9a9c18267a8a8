import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import { quantile, type Range, scaleFrom } from '../../terminal/axis.ts';
import { cut, fitRight, type Look, type Paint, spell, widthOf } from '../../terminal/look.ts';
import { holdoutName, type NightStory } from '../facts/overview.ts';
import { axisWord, countOf, scoreWord } from '../words/numbers.ts';

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

export type Course = Readonly<NonNullable<ReturnType<typeof courseOf>>>;

/** What both plots draw. Undefined when nothing has a score, so that there is nothing to draw. */
export function courseOf(night: NightStory) {
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
  /** The held-out score of each best. */
  const holdout = heldOut.length > 1 ? heldOut : [];
  /** The scores worth showing; the few that lie outside are drawn on the edge. */
  const range = rangeOf(points, best, holdout, night.direction === 'minimize' ? 1 : -1);
  return range === undefined ? undefined : { points, best, holdout, range };
}

/**
 * All that is good is shown, and of the bad as much as most of the night needs: one absurd score, or one great first
 * step, must not squeeze the rest into a line. `worse` is the sign of getting worse.
 */
function rangeOf(points: readonly Point[], best: readonly Step[], holdout: readonly Step[], worse: 1 | -1) {
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

/** How high the plot is. */
const rows = 9;

/** The course of a night drawn with characters: the best as a line of steps, what was taken and tried as dots. */
export function formatPlot(course: Course, look: Look): readonly string[] {
  const labels = labelsOf(course.range);
  const margin = Math.max(...labels.map(widthOf));
  const trailer = ` ${countOf(course.points.length, 'try', 'tries')}`;
  const columns = Math.min(100, look.columns - margin - 2 - trailer.length);
  if (columns < 16) return [];
  const grid = gridOf(course, columns);
  const lines = grid.cells.map((cells, row) => {
    const label = labels[row] ?? '';
    return `${fitRight(label, margin)} ${label === '' ? '│' : '┤'}${paintCells(cells, look.paint)}`.trimEnd();
  });
  const axis = `${' '.repeat(margin)} └${paintCells(axisOf(course.points, grid.columnOf, columns), look.paint)}${trailer}`;
  return [...lines, axis, cut(`${' '.repeat(margin + 2)}${legendOf(course)}`, look.edge)].map((line) =>
    spell(line, look),
  );
}

function labelsOf(range: Range): readonly string[] {
  const labelled = new Set([0, Math.round((rows - 1) / 3), Math.round(((rows - 1) * 2) / 3), rows - 1]);
  const span = range.high - range.low;
  return Array.from({ length: rows }, (_, row) =>
    labelled.has(row) ? axisWord(range.high - (span * row) / (rows - 1), span) : '',
  );
}

function gridOf({ points, best, range }: Course, columns: number) {
  const toColumn = scaleFrom({ low: 0, high: Math.max(1, points.length) }, { from: 0, to: columns - 1 });
  const toRow = scaleFrom(range, { from: rows - 1, to: 0 });
  const columnOf = (x: number): number => Math.round(toColumn(x));
  const rowOf = (score: number): number => Math.round(toRow(score));
  const cells = Array.from({ length: rows }, () => new Array<string>(columns).fill(' '));
  const put = (row: number, column: number, sign: string): void => {
    const line = cells[row];
    if (line !== undefined) line[column] = sign;
  };
  const dot = (steps: readonly Step[], sign: string): void => {
    for (const { x, score } of steps)
      put(rowOf(score), columnOf(x), score > range.high ? '▴' : score < range.low ? '▾' : sign);
  };
  dot(stepsOf(points, 'tried'), '·');
  dot(stepsOf(points, 'won'), '◆');
  drawSteps(best, columnOf, rowOf, columns, put);
  // The line starts with a dot too: it is where the night began.
  dot([...best.filter(({ x }) => x === 0), ...stepsOf(points, 'taken')], '●');
  return { cells, columnOf };
}

const stepsOf = (points: readonly Point[], of: Point['kind']): readonly Step[] =>
  points.flatMap(({ x, kind, experiment: { score } }) => (kind === of && score !== undefined ? [{ x, score }] : []));

function drawSteps(
  best: readonly Step[],
  columnOf: (x: number) => number,
  rowOf: (score: number) => number,
  columns: number,
  put: (row: number, column: number, sign: string) => void,
): void {
  let index = 0;
  let above: number | undefined;
  for (let column = 0; column < columns; column++) {
    while (index + 1 < best.length && columnOf(best[index + 1]?.x ?? 0) <= column) index += 1;
    const step = best[index];
    if (step === undefined || columnOf(step.x) > column) continue;
    const row = rowOf(step.score);
    const from = above ?? row;
    put(row, column, from === row ? '─' : from < row ? '╰' : '╭');
    if (from !== row) put(from, column, from < row ? '╮' : '╯');
    for (let between = Math.min(from, row) + 1; between < Math.max(from, row); between++) put(between, column, '│');
    above = row;
  }
}

function axisOf(points: readonly Point[], columnOf: (x: number) => number, columns: number): readonly string[] {
  const cells = new Array<string>(columns).fill('─');
  for (const { x, kind } of points) if (kind === 'unscored') cells[columnOf(x)] = '×';
  return cells;
}

const colours: Readonly<Record<string, keyof Paint>> = {
  '●': 'green',
  '◆': 'green',
  '·': 'dim',
  '▴': 'dim',
  '▾': 'dim',
  '×': 'red',
};

function paintCells(cells: readonly string[], paint: Paint): string {
  const line = cells.join('').trimEnd();
  return line.replace(/●+|◆+|·+|▴+|▾+|×+/g, (signs) => paint[colours[signs[0] ?? ''] ?? 'dim'](signs));
}

function legendOf({ points, best, range }: Course): string {
  const scores = [
    ...best.map(({ score }) => score),
    ...points.flatMap(({ experiment: { score } }) => (score === undefined ? [] : [score])),
  ];
  const highest = scores.reduce((high, score) => Math.max(high, score), range.high);
  const lowest = scores.reduce((low, score) => Math.min(low, score), range.low);
  return [
    '● taken   ─ best',
    ...(points.some(({ kind }) => kind === 'won') ? ['◆ won'] : []),
    ...(points.some(({ kind }) => kind === 'tried') ? ['· tried'] : []),
    ...(points.some(({ kind }) => kind === 'unscored') ? ['× no score'] : []),
    ...(highest > range.high ? [`▴ above the scale, up to ${scoreWord(highest)}`] : []),
    ...(lowest < range.low ? [`▾ below the scale, down to ${scoreWord(lowest)}`] : []),
  ].join('   ');
}
