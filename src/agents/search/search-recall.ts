import type { Experiment } from '../../domain/words/experiment.ts';
import type { Random } from '../../text/random.ts';
import type { SearchMemory } from './search-memory.ts';
import type { Values } from './search-moves.ts';
import { readChanges, type SiteChange } from './search-notes.ts';
import { formatLike, nudge, numberIn } from './search-numbers.ts';
import type { Site } from './search-sites.ts';

/** Finds the site that a change names, among those that may be changed. */
export type Lookup = (change: SiteChange) => Site | undefined;

export function makeLookup(sites: readonly Site[]): Lookup {
  const byPlace = new Map(sites.map((site) => [`${site.file}:${site.line}:${site.place}`, site]));
  return (change) => byPlace.get(`${change.file}:${change.line}:${change.place}`);
}

/** Goes on in the direction of a change that was kept. */
export function goFurther(memory: SearchMemory, find: Lookup, random: Random): Values {
  const kept = pickNewest(memory.kept, random);
  const part = 0.3 + 1.2 * random.next();
  return alter(kept, find, (site, { from, to }) =>
    site.text === to ? numberIn(to) + part * (numberIn(to) - numberIn(from)) : undefined,
  );
}

/** The opposite of a change that was discarded. */
export function goBack(memory: SearchMemory, find: Lookup, random: Random): Values {
  const discarded = pickNewest(memory.discarded, random);
  const part = 0.3 + 0.7 * random.next();
  return alter(discarded, find, (site, { from, to }) =>
    site.text === from ? numberIn(from) - part * (numberIn(to) - numberIn(from)) : undefined,
  );
}

/** A change that was nearly kept, once more, for another to be put on top of it. */
export function recallNearMiss(memory: SearchMemory, find: Lookup, random: Random): Values {
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
