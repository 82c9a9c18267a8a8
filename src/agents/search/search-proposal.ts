import type { Experiment } from '../../domain/words/experiment.ts';
import type { Random } from '../../text/random.ts';
import { readChanges, type SearchMemory, type SiteChange } from './search-memory.ts';
import { moves, type NamedMove, type Values } from './search-moves.ts';
import { formatLike, nudge, numberIn, type Pool } from './search-numbers.ts';
import type { Site } from './search-sites.ts';
import type { Focus } from './search-wish.ts';

/** What the search knows when it makes one change. */
export interface Search {
  readonly pool: Pool;
  readonly memory: SearchMemory;
  readonly find: Lookup;
  readonly focus: Focus | undefined;
  readonly random: Random;
}

export interface SearchProposal {
  readonly move: string;
  readonly values: Values;
}

/** One change, made in a way that is chosen by what the spec asks for and by what has paid off lately. */
export function propose(search: Search): SearchProposal {
  const recipe = pickWeighted(search.random, recipes, (one) => weightOf(one, search));
  return { move: recipe?.name ?? 'none', values: recipe?.make(search) ?? new Map() };
}

interface Recipe extends Omit<NamedMove, 'on' | 'move'> {
  readonly on: NamedMove['on'] | 'sites';
  readonly make: (search: Search) => Values;
}

const plain: readonly Recipe[] = moves.map(({ move, ...rest }) => ({
  ...rest,
  make: (search) => move(search.pool, drawStep(search), search.random),
}));

const recipes: readonly Recipe[] = [
  ...plain,
  { name: 'further', focus: 'near misses', on: 'numbers', weight: 2, make: goFurther },
  { name: 'back', focus: 'near misses', on: 'numbers', weight: 2, make: goBack },
  { name: 'extend', focus: 'near misses', on: 'sites', weight: 3, make: inOne(recallNearMiss, onePlain) },
  { name: 'join', focus: 'near misses', on: 'sites', weight: 1, make: inOne(recallNearMiss, recallNearMiss) },
  { name: 'kick', focus: 'single steps', on: 'sites', weight: 0.5, make: inOne(onePlain, onePlain, onePlain) },
];

function weightOf({ name, focus, on, weight }: Recipe, { pool, memory, focus: wanted }: Search): number {
  if (pool[on].length === 0) return 0;
  return weight * memory.worthOf(name) * (focus === wanted ? 4 : 1);
}

/** Around the size that the notebook suggests, sometimes much smaller or larger. */
function drawStep({ memory, random }: Search): number {
  return Math.min(2, Math.max(0.005, memory.step * 10 ** (0.4 * random.normal())));
}

function onePlain(search: Search): Values {
  return pickWeighted(search.random, plain, (one) => weightOf(one, search))?.make(search) ?? new Map();
}

/** Several changes as one. What comes later wins. */
function inOne(...makers: readonly Recipe['make'][]): Recipe['make'] {
  return (search) => new Map(makers.flatMap((make) => [...make(search)]));
}

/** One of the items, each as likely as its weight; undefined when nothing has a weight. */
function pickWeighted<T>(random: Random, items: readonly T[], weightOf: (item: T) => number): T | undefined {
  const weights = items.map((item) => Math.max(0, weightOf(item)));
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return items[index];
  }
  return undefined;
}

/** Finds the site that a change names, among those that may be changed. */
type Lookup = (change: SiteChange) => Site | undefined;

export function makeLookup(sites: readonly Site[]): Lookup {
  const byPlace = new Map(sites.map((site) => [`${site.file}:${site.line}:${site.place}`, site]));
  return (change) => byPlace.get(`${change.file}:${change.line}:${change.place}`);
}

/** Goes on in the direction of a change that was kept. */
function goFurther({ memory, find, random }: Search): Values {
  const kept = pickNewest(memory.kept, random);
  const part = 0.3 + 1.2 * random.next();
  return alter(kept, find, (site, { from, to }) =>
    site.text === to ? numberIn(to) + part * (numberIn(to) - numberIn(from)) : undefined,
  );
}

/** The opposite of a change that was discarded. */
function goBack({ memory, find, random }: Search): Values {
  const discarded = pickNewest(memory.discarded, random);
  const part = 0.3 + 0.7 * random.next();
  return alter(discarded, find, (site, { from, to }) =>
    site.text === from ? numberIn(from) - part * (numberIn(to) - numberIn(from)) : undefined,
  );
}

/** A change that was nearly kept, once more, for another to be put on top of it. */
function recallNearMiss({ memory, find, random }: Search): Values {
  const known = memory.nearMisses;
  if (known.length === 0) return new Map();
  const nearMiss = known[Math.floor(known.length * random.next() ** 2)] as Experiment;
  return bringTogether(readChanges(nearMiss.notes), find);
}

/**
 * All the changes on the present text. Where a number is no longer what it was when the change was made, the difference
 * is added; where two changes name the same site, the later one wins.
 */
export function bringTogether(changes: readonly SiteChange[], find: Lookup): Values {
  const values = new Map<Site, string>();
  for (const change of changes) {
    const site = find(change);
    if (site === undefined || site.text === change.to) continue;
    const by = numberIn(change.to) - numberIn(change.from);
    if (site.text === change.from) values.set(site, change.to);
    else if (site.kind !== 'choice' && Number.isFinite(by)) {
      values.set(site, formatLike(site, numberIn(site.text) + by, change.to.includes('.')));
    }
  }
  return values;
}

function pickNewest(experiments: readonly Experiment[], random: Random): Experiment | undefined {
  return experiments[Math.floor(experiments.length * random.next() ** 2)];
}

function alter(
  experiment: Experiment | undefined,
  find: Lookup,
  next: (site: Site, change: SiteChange) => number | undefined,
): Values {
  const values = new Map<Site, string>();
  for (const change of readChanges(experiment?.notes ?? '')) {
    const site = find(change);
    if (site === undefined || site.kind === 'choice') continue;
    const value = next(site, change);
    if (value === undefined || !Number.isFinite(value)) continue;
    const text = formatLike(site, value, change.to.includes('.') || change.from.includes('.'));
    values.set(site, text === site.text ? nudge(site, value >= numberIn(site.text)) : text);
  }
  return values;
}
