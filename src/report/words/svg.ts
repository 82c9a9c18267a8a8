import { isWin } from '../../domain/words/experiment.ts';
import { gainOver } from '../../domain/words/score.ts';
import { isOnBest } from '../../domain/words/taken.ts';
import { scaleFrom, ticksIn } from '../../terminal/axis.ts';
import { cut } from '../../terminal/look.ts';
import { escapeXml, visible } from '../../terminal/visible.ts';
import type { NightStory } from '../facts/overview.ts';
import { type Course, courseOf, type Point, type Step } from '../pages/plot.ts';
import { changeWord, countOf, scoreWord } from './numbers.ts';
import { type Box, type Label, placeLabels } from './svg-labels.ts';

/** progress.svg: complete in itself, with no script, no font and no address, for a reader in the light or the dark. */
export function formatProgressSvg(night: NightStory): string {
  const course = courseOf(night);
  const heading = headingOf(night);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(heading)}</title>`,
    `<desc id="desc">${escapeXml(describe(night, course))}</desc>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    `<text class="heading" x="${frame.left}" y="28">${escapeXml(cut(visible(heading), 110))}</text>`,
    ...(course === undefined
      ? [`<text x="${frame.left}" y="${height / 2}">No experiment has a score yet.</text>`]
      : drawing(night, course)),
    '</svg>',
  ].join('\n')}\n`;
}

const width = 960;
const height = 440;
const frame: Box = { left: 76, right: 940, top: 64, bottom: 392 };
const mostDots = 8000;
const mostTitles = 300;

const style = `
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#57606a}
.page{fill:#fff}.heading{font-size:15px;font-weight:600;fill:#1f2328}
.grid{stroke:#d8dee4;fill:none}.axis{stroke:#8c959f;fill:none}
.tried{stroke:#9aa4af;stroke-width:4.5;stroke-linecap:round;fill:none;opacity:.6}
.won{stroke:#6ca6cd;stroke-width:6;stroke-linecap:round;fill:none}
.best{stroke:#0072b2;stroke-width:2;fill:none}.holdout{stroke:#b35900;stroke-width:1.5;stroke-dasharray:5 4;fill:none}
.kept{fill:#0072b2;stroke:#fff;stroke-width:1}.many{stroke:#0072b2;stroke-width:7;stroke-linecap:round;fill:none}
.unscored{stroke:#cf222e;stroke-width:1.5;fill:none}.target{stroke:#1a7f37;stroke-dasharray:2 4;fill:none}
.label{font-size:11px;fill:#1f2328;stroke:#fff;stroke-width:3;paint-order:stroke;stroke-linejoin:round}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.page{fill:#0d1117}.heading{fill:#f0f6fc}
.grid{stroke:#2a313c}.axis{stroke:#656c76}.tried{stroke:#8b949e}
.best{stroke:#56b4e9}.holdout{stroke:#e69f00}.kept{fill:#56b4e9;stroke:#0d1117}.many{stroke:#56b4e9}
.unscored{stroke:#ff7b72}.target{stroke:#3fb950}.label{fill:#f0f6fc;stroke:#0d1117}}
`.trim();

function headingOf({ name, metric, baseline, best, direction }: NightStory): string {
  const sought = direction === 'minimize' ? 'lower is better' : 'higher is better';
  if (best === undefined) return `${name}: ${metric}, ${sought}`;
  const change = baseline === undefined ? '' : ` (${changeWord(baseline, best.score)})`;
  const from = baseline === undefined ? '' : `${scoreWord(baseline)} to `;
  return `${name}: ${metric} ${from}${scoreWord(best.score)}${change}, ${sought}`;
}

function describe({ run, metric, target, experiments, taken }: NightStory, course: Course | undefined): string {
  if (course === undefined) return `Run ${run}: ${countOf(experiments.length, 'experiment')}, none with a score.`;
  const count = (kind: Point['kind']): number => course.points.filter((point) => point.kind === kind).length;
  const { low, high } = course.range;
  const outside = experiments.filter(({ score = low }) => score < low || score > high).length;
  return [
    `Run ${run}: ${countOf(experiments.length, 'experiment')}, ${experiments.filter(isWin).length} won, ${taken.filter(isOnBest).length} taken, ${count('tried')} did not win, ${count('unscored')} without a score.`,
    `The line of steps is the best ${metric} so far: ${stepsWords(course.best)}.`,
    ...(course.holdout.length === 0 ? [] : [`The dashed line is its held-out value: ${stepsWords(course.holdout)}.`]),
    ...(outside === 0 ? [] : [`${countOf(outside, 'score')} outside the scale drawn on its edge.`]),
    ...(target === undefined ? [] : [`The target is ${scoreWord(target)}.`]),
  ].join(' ');
}

function stepsWords(steps: readonly Step[]): string {
  const [first, last] = [steps[0], steps.at(-1)];
  return first === last ? scoreWord(first?.score) : `from ${scoreWord(first?.score)} to ${scoreWord(last?.score)}`;
}

interface Scales {
  readonly x: (x: number) => number;
  readonly y: (score: number) => number;
}

function drawing(night: NightStory, course: Course): readonly string[] {
  const count = Math.max(1, course.points.length);
  const scales: Scales = {
    x: rounded(scaleFrom({ low: 0, high: count }, { from: frame.left + 8, to: frame.right - 8 })),
    y: rounded(scaleFrom(course.range, { from: frame.bottom - 22, to: frame.top + 12 })), // Room for the labels of the best.
  };
  const { target } = night;
  const targetShown = target !== undefined && target >= course.range.low && target <= course.range.high;
  return [
    ...axes(course, scales, count),
    ...(targetShown ? [`<path class="target" d="M${frame.left} ${scales.y(target)}H${frame.right}"/>`] : []),
    path('tried', dots(course.points, 'tried', scales)),
    path('won', dots(course.points, 'won', scales)),
    path('holdout', stairs(course.holdout, scales)),
    path('best', stairs(course.best, scales)),
    path('unscored', ticks(course.points, scales)),
    ...takenDots(course.points, scales),
    ...startWords(course, scales),
    ...labelsOf(night, course, scales).map(labelText),
    ...legend(course, targetShown),
  ].filter((line) => line !== '');
}

function axes({ range }: Course, { x, y }: Scales, count: number): readonly string[] {
  const rows = ticksIn(range, 5);
  const words = tickWords(rows);
  const columns = ticksIn({ low: 0, high: count }, 8).filter(Number.isInteger);
  return [
    path('grid', rows.map((score) => `M${frame.left} ${y(score)}H${frame.right}`).join('')),
    `<path class="axis" d="M${frame.left} ${frame.bottom}H${frame.right}"/>`,
    ...rows.map(
      (score, index) => `<text x="${frame.left - 8}" y="${y(score) + 4}" text-anchor="end">${words[index]}</text>`,
    ),
    ...columns.map((n) => `<text x="${x(n)}" y="${frame.bottom + 18}" text-anchor="middle">${n}</text>`),
    `<text x="${frame.right}" y="${height - 12}" text-anchor="end">experiments of this night</text>`,
  ];
}

/** Round values with the same number of decimals each. */
function tickWords(ticks: readonly number[]): readonly string[] {
  const plain = ticks.map(String);
  if (plain.some((word) => word.includes('e'))) return plain;
  const decimals = Math.max(0, ...plain.map((word) => word.split('.')[1]?.length ?? 0));
  return ticks.map((tick) => tick.toFixed(decimals));
}

/** A start that is off the scale is given in words. */
function startWords({ best, range }: Course, { x, y }: Scales): readonly string[] {
  const start = best[0]?.score;
  if (start === undefined || (start >= range.low && start <= range.high)) return [];
  const below = y(start) < height / 2 ? 16 : -8;
  return [
    `<text class="label" x="${x(0) + 6}" y="${y(start) + below}">from ${scoreWord(start)}, off this scale</text>`,
  ];
}

/** One path for all dots, one dot to a spot, and a cap: three thousand circles would weigh more than all the rest. */
function dots(points: readonly Point[], kind: Point['kind'], { x, y }: Scales): string {
  const spots = new Set<string>();
  for (const { x: place, kind: its, experiment } of points) {
    if (its === kind && experiment.score !== undefined) {
      spots.add(`M${Math.round(x(place))} ${Math.round(y(experiment.score))}h0`);
    }
  }
  const every = Math.ceil(spots.size / mostDots);
  return [...spots].filter((_, index) => index % every === 0).join('');
}

function ticks(points: readonly Point[], { x }: Scales): string {
  const places = points.filter(({ kind }) => kind === 'unscored').map((point) => Math.round(x(point.x)));
  return [...new Set(places)].map((place) => `M${place} ${frame.bottom - 7}v7`).join('');
}

function stairs(steps: readonly Step[], { x, y }: Scales): string {
  const [first, ...others] = steps;
  if (first === undefined) return '';
  const start = `M${x(first.x)} ${y(first.score)}`;
  return `${start}${others.map((step) => `H${x(step.x)}V${y(step.score)}`).join('')}H${frame.right}`;
}

function takenDots(points: readonly Point[], scales: Scales): readonly string[] {
  const taken = points.filter(({ kind }) => kind === 'taken');
  if (taken.length > mostTitles) return [path('many', dots(taken, 'taken', scales))];
  return taken.map(({ x, title, experiment: { n, score } }) => {
    const words = `#${n} ${scoreWord(score)} ${cut(visible(title), 80)}`;
    return `<circle class="kept" cx="${scales.x(x)}" cy="${scales.y(score ?? 0)}" r="4.5"><title>${escapeXml(words)}</title></circle>`;
  });
}

function labelsOf(night: NightStory, { points, best, holdout }: Course, { x, y }: Scales): readonly Label[] {
  const taken = points.filter(({ kind }) => kind === 'taken');
  const wanted = taken.map((point) => {
    const { score = 0, best: before = score, n } = point.experiment;
    const text = cut(`#${n} ${withoutFolders(visible(point.title))}`, 30);
    return { x: x(point.x), y: y(score), text, weight: gainOver(score, before, night.direction) };
  });
  const dotBoxes = taken.slice(0, 1000).map(({ x: place, experiment: { score = 0 } }) => around(x(place), y(score), 6));
  const lines = [best, holdout].flatMap((steps) =>
    steps.slice(0, 1000).flatMap((step, index) => lineBoxes(step, steps[index + 1], { x, y })),
  );
  return placeLabels(
    wanted,
    [...dotBoxes, ...lines],
    { ...frame, top: frame.top - 10 },
    night.direction === 'minimize' ? 'down' : 'up',
  );
}

/** `sandbox/pack.mjs:12` takes half of a label; `pack.mjs:12` says the same. */
const withoutFolders = (text: string): string => text.replace(/[^\s/]+\/(?=\S+:\d)/g, '');

function lineBoxes(step: Step, next: Step | undefined, { x, y }: Scales): readonly Box[] {
  const [left, right, level] = [x(step.x), next === undefined ? frame.right : x(next.x), y(step.score)];
  const flat = { left, right, top: level - 2, bottom: level + 2 };
  if (next === undefined) return [flat];
  const other = y(next.score);
  return [flat, { left: right - 2, right: right + 2, top: Math.min(level, other), bottom: Math.max(level, other) }];
}

const around = (x: number, y: number, by: number): Box => ({
  left: x - by,
  right: x + by,
  top: y - by,
  bottom: y + by,
});

const labelText = ({ x, y, text, anchor }: Label): string =>
  `<text class="label" x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(text)}</text>`;

function legend({ points, holdout }: Course, target: boolean): readonly string[] {
  const has = (kind: Point['kind']): boolean => points.some((point) => point.kind === kind);
  const best = '<path class="best" d="M0 0H16"/><circle class="kept" cx="8" cy="0" r="4.5"/>';
  const entries: readonly (readonly [shown: boolean, mark: string, words: string])[] = [
    [true, best, 'best, taken'],
    [has('won'), '<path class="won" d="M8 0h0"/>', 'won'],
    [has('tried'), '<path class="tried" d="M8 0h0"/>', 'tried'],
    [has('unscored'), '<path class="unscored" d="M8 -4v8"/>', 'no score'],
    [holdout.length > 0, '<path class="holdout" d="M0 0H16"/>', 'held out'],
    [target, '<path class="target" d="M0 0H16"/>', 'target'],
  ];
  const shown = entries.filter(([isShown]) => isShown);
  return shown.map(
    ([, mark, words], index) =>
      `<g transform="translate(${frame.left + index * 100} 48)">${mark}<text x="22" y="4">${words}</text></g>`,
  );
}

const path = (name: string, d: string): string => (d === '' ? '' : `<path class="${name}" d="${d}"/>`);

const rounded =
  (scale: (value: number) => number) =>
  (value: number): number =>
    Math.round(scale(value) * 10) / 10;
