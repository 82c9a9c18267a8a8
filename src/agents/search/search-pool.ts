import { medianNumber, numberIn } from './search-numbers.ts';
import type { Site } from './search-sites.ts';

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
