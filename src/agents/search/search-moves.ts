import type { Random } from '../../text/random.ts';
import type { Focus } from './search-memory.ts';
import type { Site } from './search-sites.ts';

/** New texts for some sites. Empty when a move finds nothing to work on. */
export type Values = ReadonlyMap<Site, string>;

/** `step` is the size of the change, 1 being large: as large as the numbers themselves. */
type Move = (pool: Pool, step: number, random: Random) => Values;

export interface NamedMove {
  readonly name: string;
  readonly focus: Focus;
  /** What it works on. The move is not made where there is none of it. */
  readonly on: 'numbers' | 'tables' | 'choices';
  /** How likely it is before anything is known. */
  readonly weight: number;
  readonly move: Move;
}

/** The moves that need nothing but the files. */
export function plainMoves(): readonly NamedMove[] {
  const several = stepNumbers((random) => 2 + random.below(4));
  const tilt = changeWindow(({ size, by, along }) => by * size * (along - 0.5) * 2);
  const scale = changeWindow(({ fromMean, by, step }) => fromMean * (Math.exp(by * step) - 1));
  const smooth = changeWindow(({ fromMean, random }) => -fromMean * (0.3 + 0.7 * random.next()));
  return [
    { name: 'step', focus: 'single steps', on: 'numbers', weight: 3, move: stepNumbers(() => 1) },
    { name: 'several', focus: 'single steps', on: 'numbers', weight: 2, move: several },
    { name: 'copy', focus: 'single steps', on: 'tables', weight: 1, move: copyValue },
    { name: 'swap', focus: 'single steps', on: 'tables', weight: 0.5, move: swapValues },
    { name: 'shift', focus: 'blocks', on: 'tables', weight: 3, move: changeWindow(({ size, by }) => by * size) },
    { name: 'tilt', focus: 'blocks', on: 'tables', weight: 1, move: tilt },
    { name: 'scale', focus: 'blocks', on: 'tables', weight: 1, move: scale },
    { name: 'smooth', focus: 'blocks', on: 'tables', weight: 1, move: smooth },
    { name: 'flip', focus: 'choices', on: 'choices', weight: 0.5, move: flipChoice },
  ];
}

/** Takes a step with some of the numbers. `count` says with how many. */
const stepNumbers =
  (count: (random: Random) => number): Move =>
  (pool, step, random) =>
    new Map(pickNumbers(pool, count(random), random).map((site) => [site, stepNumber(site, pool, step, random)]));

function pickNumbers(pool: Pool, count: number, random: Random): readonly Site[] {
  const data = pool.numbers.filter((site) => site.kind !== 'code');
  // Numbers in expressions are mostly indices and sizes: worth a look, not half of the time.
  const from = data.length > 0 && random.next() < 0.9 ? data : pool.numbers;
  return from.length === 0 ? [] : Array.from({ length: count }, () => random.pick(from));
}

function stepNumber(site: Site, pool: Pool, step: number, random: Random): string {
  const size = pool.scaleOf(site) * step;
  if (site.kind === 'cell') return write(site, numberIn(site.text) + random.normal() * size, isFine(size));
  return site.kind === 'setting' ? stepSetting(site, pool, step, random) : stepCode(site, step, random);
}

/** A setting has no neighbours to tell its size, so now and then it leaps, however small the steps have become. */
function stepSetting(site: Site, pool: Pool, step: number, random: Random): string {
  const value = numberIn(site.text);
  if (value === 0) {
    const size = pool.scaleOf(site) * 10 ** (0.5 - 2.5 * random.next());
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

function copyValue(pool: Pool, step: number, random: Random): Values {
  const cells = cellsIn(pool.numbers);
  if (cells.length < 2) return new Map();
  const [site, model] = [random.pick(cells), random.pick(cells)];
  const size = pool.scaleOf(site) * step * 0.1;
  return new Map([[site, write(site, numberIn(model.text) + random.normal() * size, isFine(size))]]);
}

function swapValues(pool: Pool, _step: number, random: Random): Values {
  const cells = cellsIn(pool.numbers);
  if (cells.length < 2) return new Map();
  const [a, b] = [random.pick(cells), random.pick(cells)];
  return new Map([
    [a, formatLike(a, numberIn(b.text), true)],
    [b, formatLike(b, numberIn(a.text), true)],
  ]);
}

/** One number of a window: how far along it is, from 0 to 1, and the one draw `by` for the whole window. */
type InWindow = Readonly<Record<'fromMean' | 'along' | 'size' | 'by' | 'step', number>> & { readonly random: Random };

/** Adds to each number of a window what `add` says. */
function changeWindow(add: (number: InWindow) => number): Move {
  return (pool, step, random) => {
    if (pool.tables.length === 0) return new Map();
    const window = pickWindow(random.pick(pool.tables), random);
    const values = window.map((site) => numberIn(site.text));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const size = pool.scaleOf(window[0] as Site) * step;
    const by = random.normal();
    const changed = window.map((site, index) => {
      const value = values[index] as number;
      const more = add({ fromMean: value - mean, along: index / (window.length - 1), size, by, step, random });
      return [site, formatLike(site, value + more, isFine(size))] as const;
    });
    return new Map(changed);
  };
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

/** The sites that may be changed, sorted for the moves. */
export interface Pool {
  readonly numbers: readonly Site[];
  readonly choices: readonly Site[];
  /** Runs of at least two numbers that stand together as in a table. */
  readonly tables: readonly (readonly Site[])[];
  /** How large a large change of a number is: the size of its table, or its own. */
  readonly scaleOf: (site: Site) => number;
}

/** `all` are the sites of the whole sandbox: what stands around a site tells how large its numbers are. */
export function makePool(sites: readonly Site[], all: readonly Site[]): Pool {
  const scales = new Map<Site, number>();
  for (const table of runsOf(cellsIn(all), 1)) {
    const scale = sizeOf(table.map((site) => numberIn(site.text)));
    for (const site of table) scales.set(site, scale);
  }
  const usual = sizeOf(cellsIn(all).map((site) => numberIn(site.text))) || 1;
  return {
    numbers: sites.filter((site) => site.kind !== 'choice'),
    choices: sites.filter((site) => site.kind === 'choice'),
    tables: runsOf(cellsIn(sites), 1).filter((table) => table.length > 1),
    scaleOf: (site) => scales.get(site) || Math.abs(numberIn(site.text)) || usual,
  };
}

const cellsIn = (sites: readonly Site[]): readonly Site[] => sites.filter(({ kind }) => kind === 'cell');

/** Runs of sites of one kind with at most so many lines from one to the next. */
export function runsOf(sites: readonly Site[], lines: number): readonly (readonly Site[])[] {
  const runs: Site[][] = [];
  let last: Site | undefined;
  for (const site of sites) {
    const follows = last?.file === site.file && last.kind === site.kind && site.line - last.line <= lines;
    if (follows) runs.at(-1)?.push(site);
    else runs.push([site]);
    last = site;
  }
  return runs;
}

/** The larger of how far the numbers are from 0 and how far from each other, so that neither can stand still. */
function sizeOf(numbers: readonly number[]): number {
  const middle = medianNumber(numbers);
  const spread = medianNumber(numbers.map((number) => Math.abs(number - middle)));
  return Math.max(medianNumber(numbers.map(Math.abs)), spread);
}

export function medianNumber(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The value in the site's own style, or the next one up or down that is written differently. */
export function write(site: Site, value: number, fine: boolean): string {
  const text = formatLike(site, value, fine);
  if (text !== site.text) return text;
  const now = numberIn(text);
  const decimals = /\.(\d*)/.exec(text)?.[1]?.length ?? 0;
  const unit = /e/i.test(text) ? Math.abs(now) / 10 || 1 : 10 ** -decimals;
  return formatLike(site, value >= now ? now + unit : now - unit, false);
}

export const numberIn = (text: string): number => Number(text.replaceAll('_', ''));

/**
 * A value written as the site's number is written: whole numbers stay whole, exponents stay exponents, decimals are kept
 * and only as many are added as three figures need. `fine` allows a fraction where a whole number stands.
 */
export function formatLike(site: Site, value: number, fine: boolean): string {
  const bounded = Math.min(largest, Math.max(-largest, site.signed ? value : Math.abs(value)));
  const [, decimals = '', exponent] = /^-?[\d_]*\.?([\d_]*)([eE])?/.exec(site.text) ?? [];
  if (exponent !== undefined) return tidyExponent(bounded).replace('e', exponent);
  const isWhole = !site.text.includes('.');
  if (isWhole && (site.whole || !fine)) return plain(bounded.toFixed(0));
  const least = isWhole ? 0 : Math.max(1, decimals.length);
  return withDecimals(bounded, least);
}

const largest = 1e9;

function withDecimals(value: number, least: number): string {
  const wanted = value === 0 ? least : 2 - Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(least, Math.min(6, wanted));
  const [whole = '0', fraction = ''] = value.toFixed(decimals).split('.');
  const kept = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  return plain(kept === '' ? whole : `${whole}.${kept}`);
}

function tidyExponent(value: number): string {
  const [mantissa = '0', power = '0'] = value.toExponential(2).split('e');
  return `${plain(String(Number(mantissa)))}e${power.replace('+', '')}`;
}

/** `0`, not `-0`. */
const plain = (text: string): string => text.replace(/^-(?=[0.]*$)/, '');
