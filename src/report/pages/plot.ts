import { type Range, scaleFrom } from '../../terminal/axis.ts';
import { cut, fitRight, type Look, type Paint, spell, widthOf } from '../../terminal/look.ts';
import { axisWord, countOf, scoreWord } from '../words/numbers.ts';
import type { Course, Point, Step } from './course.ts';

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

interface Grid {
  readonly cells: readonly (readonly string[])[];
  readonly columnOf: (x: number) => number;
}

function gridOf({ points, best, range }: Course, columns: number): Grid {
  const toColumn = scaleFrom({ low: 0, high: Math.max(1, points.length) }, { from: 0, to: columns - 1 });
  const toRow = scaleFrom(range, { from: rows - 1, to: 0 });
  const columnOf = (x: number): number => Math.round(toColumn(x));
  const rowOf = (score: number): number => Math.round(toRow(score));
  const cells = Array.from({ length: rows }, () => new Array<string>(columns).fill(' '));
  const put = (row: number, column: number, sign: string): void => {
    const line = cells[row];
    if (line !== undefined) line[column] = sign;
  };
  const outside = (score: number): boolean => score > range.high || score < range.low;
  const edge = (score: number): string => (score > range.high ? '▴' : '▾');
  for (const { x, kind, experiment } of points) {
    if (kind === 'tried' && experiment.score !== undefined) {
      put(rowOf(experiment.score), columnOf(x), outside(experiment.score) ? edge(experiment.score) : '·');
    }
  }
  for (const { x, kind, experiment } of points) {
    if (kind === 'won' && experiment.score !== undefined)
      put(rowOf(experiment.score), columnOf(x), outside(experiment.score) ? edge(experiment.score) : '◆');
  }
  drawSteps(best, columnOf, rowOf, columns, put);
  for (const { x, score } of takenIn(points, best)) put(rowOf(score), columnOf(x), outside(score) ? edge(score) : '●');
  return { cells, columnOf };
}

/** The line starts with a dot too: it is where the night began. */
function takenIn(points: readonly Point[], best: readonly Step[]): readonly Step[] {
  const taken = points.flatMap(({ x, kind, experiment: { score } }) =>
    kind === 'taken' && score !== undefined ? [{ x, score }] : [],
  );
  return [...best.filter(({ x }) => x === 0), ...taken];
}

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
