import type { Site } from './search-sites.ts';

export const numberIn = (text: string): number => Number(text.replaceAll('_', ''));

/**
 * A value written as the site's number is written: whole numbers stay whole, exponents stay exponents, decimals are kept
 * and only as many are added as three figures need. `fine` allows a fraction where a whole number stands.
 */
export function formatLike(site: Site, value: number, fine: boolean): string {
  const bounded = bound(site.signed ? value : Math.abs(value));
  const [, decimals = '', exponent] = /^-?[\d_]*\.?([\d_]*)([eE])?/.exec(site.text) ?? [];
  if (exponent !== undefined) return tidyExponent(bounded).replace('e', exponent);
  const isWhole = !site.text.includes('.');
  if (isWhole && (site.whole || !fine)) return plain(bounded.toFixed(0));
  const least = isWhole ? 0 : Math.max(1, decimals.length);
  return withDecimals(bounded, least);
}

/** The next number up or down that is written differently. */
export function nudge(site: Site, up: boolean): string {
  const value = numberIn(site.text);
  const decimals = /\.(\d*)/.exec(site.text)?.[1]?.length ?? 0;
  const unit = /e/i.test(site.text) ? Math.abs(value) / 10 || 1 : 10 ** -decimals;
  return formatLike(site, value + (up ? unit : -unit), false);
}

const largest = 1e9;

function bound(value: number): number {
  return Math.min(largest, Math.max(-largest, value));
}

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

/** Without a minus sign before nothing. */
function plain(text: string): string {
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

export function medianNumber(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The sites that may be changed, sorted for the moves. */
export interface Pool {
  readonly sites: readonly Site[];
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
  for (const table of tablesIn(all)) {
    const scale = sizeOf(table.map((site) => numberIn(site.text)));
    for (const site of table) scales.set(site, scale);
  }
  const usual = sizeOf(all.filter((site) => site.kind === 'cell').map((site) => numberIn(site.text))) || 1;
  return {
    sites,
    numbers: sites.filter((site) => site.kind !== 'choice'),
    choices: sites.filter((site) => site.kind === 'choice'),
    tables: tablesIn(sites).filter((table) => table.length > 1),
    scaleOf: (site) => scales.get(site) || Math.abs(numberIn(site.text)) || usual,
  };
}

function tablesIn(sites: readonly Site[]): readonly (readonly Site[])[] {
  const tables: Site[][] = [];
  let last: Site | undefined;
  for (const site of sites) {
    if (site.kind !== 'cell') continue;
    const follows = last !== undefined && last.file === site.file && site.line - last.line <= 1;
    if (follows) tables[tables.length - 1]?.push(site);
    else tables.push([site]);
    last = site;
  }
  return tables;
}

/** The larger of how far the numbers are from 0 and how far from each other, so that neither can stand still. */
function sizeOf(numbers: readonly number[]): number {
  const middle = medianNumber(numbers);
  const spread = medianNumber(numbers.map((number) => Math.abs(number - middle)));
  return Math.max(medianNumber(numbers.map(Math.abs)), spread);
}
