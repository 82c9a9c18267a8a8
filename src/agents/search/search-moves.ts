import type { Random } from '../../text/random.ts';
import { formatLike, nudge, numberIn, type Pool } from './search-numbers.ts';
import type { Site } from './search-sites.ts';
import type { Focus } from './search-wish.ts';

/** New texts for some sites. Empty when a move finds nothing to work on. */
export type Values = ReadonlyMap<Site, string>;

/** `step` is the size of the change, 1 being large: as large as the numbers themselves. */
type Move = (pool: Pool, step: number, random: Random) => Values;

export interface NamedMove {
  readonly name: string;
  readonly focus: Focus;
  /** What it works on; where there is none of it the move is not made. */
  readonly on: 'numbers' | 'tables' | 'choices';
  /** How likely it is before anything is known. */
  readonly weight: number;
  readonly move: Move;
}

/** The moves that need nothing but the files. */
export const moves: readonly NamedMove[] = [
  { name: 'step', focus: 'single steps', on: 'numbers', weight: 3, move: stepOne },
  { name: 'several', focus: 'single steps', on: 'numbers', weight: 2, move: stepSeveral },
  { name: 'copy', focus: 'single steps', on: 'tables', weight: 1, move: copyValue },
  { name: 'swap', focus: 'single steps', on: 'tables', weight: 0.5, move: swapValues },
  { name: 'shift', focus: 'blocks', on: 'tables', weight: 3, move: shiftWindow },
  { name: 'tilt', focus: 'blocks', on: 'tables', weight: 1, move: tiltWindow },
  { name: 'scale', focus: 'blocks', on: 'tables', weight: 1, move: scaleWindow },
  { name: 'smooth', focus: 'blocks', on: 'tables', weight: 1, move: smoothWindow },
  { name: 'flip', focus: 'choices', on: 'choices', weight: 0.5, move: flipChoice },
];

function stepOne(pool: Pool, step: number, random: Random): Values {
  return stepSites(pool, pickNumbers(pool, 1, random), step, random);
}

function stepSeveral(pool: Pool, step: number, random: Random): Values {
  return stepSites(pool, pickNumbers(pool, 2 + random.below(4), random), step, random);
}

function pickNumbers(pool: Pool, count: number, random: Random): readonly Site[] {
  const data = pool.numbers.filter((site) => site.kind !== 'code');
  // Numbers in expressions are mostly indices and sizes: worth a look, not half of the time.
  const from = data.length > 0 && random.next() < 0.9 ? data : pool.numbers;
  return from.length === 0 ? [] : Array.from({ length: count }, () => random.pick(from));
}

function stepSites(pool: Pool, sites: readonly Site[], step: number, random: Random): Values {
  return new Map(sites.map((site) => [site, stepNumber(site, pool.scaleOf(site), step, random)]));
}

function stepNumber(site: Site, scale: number, step: number, random: Random): string {
  if (site.kind === 'cell') return stepCell(site, scale * step, random);
  return site.kind === 'setting' ? stepSetting(site, scale, step, random) : stepCode(site, step, random);
}

function stepCell(site: Site, size: number, random: Random): string {
  return write(site, numberIn(site.text) + random.normal() * size, isFine(size));
}

/** A setting has no neighbours to tell its size, so now and then it leaps, however small the steps have become. */
function stepSetting(site: Site, scale: number, step: number, random: Random): string {
  const value = numberIn(site.text);
  if (value === 0) {
    const size = scale * 10 ** (0.5 - 2.5 * random.next());
    return write(site, random.next() < 0.5 ? size : -size, isFine(size) || random.next() < 0.5);
  }
  const isCount = value > 0 && !/[.e]/i.test(site.text);
  const turned = !isCount && random.next() < 0.05 ? -value : value;
  const reach = random.next() < 0.3 ? 2.5 : Math.max(step, 0.02);
  return write(site, turned * Math.exp(random.normal() * reach), Math.abs(value) <= 1);
}

/** Gently: numbers in expressions are often bounds of loops, and a large one can take the night. */
function stepCode(site: Site, step: number, random: Random): string {
  const value = numberIn(site.text);
  const factor = Math.min(2, Math.max(0.5, Math.exp(random.normal() * step)));
  return write(site, random.next() < 0.5 ? value + 1 - 2 * random.below(2) : value * factor, false);
}

/** A table of whole numbers gets fractions only when the steps are too small for whole ones. */
const isFine = (size: number): boolean => size < 3;

function write(site: Site, value: number, fine: boolean): string {
  const text = formatLike(site, value, fine);
  return text === site.text ? nudge(site, value >= numberIn(site.text)) : text;
}

function copyValue(pool: Pool, step: number, random: Random): Values {
  const cells = pool.numbers.filter((site) => site.kind === 'cell');
  if (cells.length < 2) return new Map();
  const [site, model] = [random.pick(cells), random.pick(cells)];
  const size = pool.scaleOf(site) * step * 0.1;
  return new Map([[site, write(site, numberIn(model.text) + random.normal() * size, isFine(size))]]);
}

function swapValues(pool: Pool, _step: number, random: Random): Values {
  const cells = pool.numbers.filter((site) => site.kind === 'cell');
  if (cells.length < 2) return new Map();
  const [a, b] = [random.pick(cells), random.pick(cells)];
  return new Map([
    [a, formatLike(a, numberIn(b.text), true)],
    [b, formatLike(b, numberIn(a.text), true)],
  ]);
}

function shiftWindow(pool: Pool, step: number, random: Random): Values {
  return changeWindow(pool, step, random, (_, size, by) => by * size);
}

function tiltWindow(pool: Pool, step: number, random: Random): Values {
  return changeWindow(pool, step, random, (_, size, by, along) => by * size * (along - 0.5) * 2);
}

function scaleWindow(pool: Pool, step: number, random: Random): Values {
  return changeWindow(pool, step, random, (fromMean, _, by) => fromMean * (Math.exp(by * step) - 1));
}

function smoothWindow(pool: Pool, step: number, random: Random): Values {
  return changeWindow(pool, step, random, (fromMean) => -fromMean * (0.3 + 0.7 * random.next()));
}

/** Adds to each number of a window what `add` says of its distance from the mean, the step, one draw, and how far along it is. */
function changeWindow(
  pool: Pool,
  step: number,
  random: Random,
  add: (fromMean: number, size: number, by: number, along: number) => number,
): Values {
  if (pool.tables.length === 0) return new Map();
  const window = pickWindow(random.pick(pool.tables), random);
  const values = window.map((site) => numberIn(site.text));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const size = pool.scaleOf(window[0] as Site) * step;
  const by = random.normal();
  return new Map(
    window.map((site, index) => {
      const value = values[index] as number;
      return [site, formatLike(site, value + add(value - mean, size, by, index / (window.length - 1)), isFine(size))];
    }),
  );
}

/** Short windows as often as long ones. */
function pickWindow(table: readonly Site[], random: Random): readonly Site[] {
  const length = Math.min(table.length, Math.round(2 * (table.length / 2) ** random.next()));
  const start = random.below(table.length - length + 1);
  return table.slice(start, start + length);
}

const alternatives: Readonly<Record<string, readonly string[]>> = {
  true: ['false'],
  false: ['true'],
  True: ['False'],
  False: ['True'],
  TRUE: ['FALSE'],
  FALSE: ['TRUE'],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  '==': ['!='],
  '!=': ['=='],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-', '*'],
  '-': ['+'],
  '*': ['/', '+'],
  '/': ['*'],
};

function flipChoice(pool: Pool, _step: number, random: Random): Values {
  if (pool.choices.length === 0) return new Map();
  const site = random.pick(pool.choices);
  return new Map([[site, random.pick(alternatives[site.text] ?? [site.text])]]);
}
