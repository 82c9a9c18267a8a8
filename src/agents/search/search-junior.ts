import { basename } from 'node:path/posix';
import type { Experiment } from '../../domain/words/experiment.ts';
import { type Random, randomFrom } from '../../text/random.ts';
import type { Agent, AgentTask, AgentWork } from '../agent-contract.ts';
import { fingerprint, readSandboxFiles, replaceSites, writeSandbox } from './search-files.ts';
import { formatNotes, readChanges, readMemory, type SearchMemory, type SiteChange } from './search-memory.ts';
import { moves, type NamedMove, type Values } from './search-moves.ts';
import { formatLike, makePool, nudge, numberIn, type Pool } from './search-numbers.ts';
import { findSites, type Site } from './search-sites.ts';
import { type Focus, formatRegion, isInRegions, readWish, type SearchWish } from './search-wish.ts';

/**
 * The search agent, no model: it changes numbers and simple choices in text files, whatever the language, and learns
 * from the notebook where and how. It keeps nothing between calls that it could not read again: the same task gives
 * the same edit.
 */
export const searchJunior: Agent = async (task) => {
  if (task.spec === undefined) return { kind: 'failed', reason: 'a junior was started without a spec' };
  const files = readSandboxFiles(task);
  const all = files.flatMap((file) => findSites(file.path, file.text));
  if (all.length === 0) return nothing('the sandbox has no numbers, no true or false and no operators to change');
  const wish = readWish(task.spec, task.files);
  const sites = all.filter((site) => isInRegions(site, wish.regions));
  if (sites.length === 0) return nothing(`there is nothing to change on ${wish.regions.map(formatRegion).join(', ')}`);

  const search: Search = {
    pool: makePool(sites, all),
    memory: readMemory(task.notebook, task.brief.direction),
    find: makeLookup(sites),
    focus: wish.focus,
    random: randomFrom([task.seed, task.spec.id, task.attempt, task.ask].join('/')),
  };
  const before = fingerprint(files);
  for (let draw = 1; draw <= mostDraws; draw++) {
    const { move, values } = draw === 1 ? proposeFirst(search, wish, task) : propose(search);
    const after = replaceSites(files, values);
    const result = fingerprint(after);
    if (result === before || search.memory.wasTried(result)) continue; // The same tree again would be no news.
    writeSandbox(task, files, after);
    const changes = changesIn(values);
    return { kind: 'edited', title: titleOf(move, values), notes: formatNotes({ move, changes, result }) };
  }
  return nothing('everything that the search could think of here was tried before');
};

const mostDraws = 60;

const nothing = (reason: string): AgentWork => ({ kind: 'nothing', reason });

/** Two kept changes that git could not merge are first tried together, whatever else the search would do. */
function proposeFirst(search: Search, wish: SearchWish, task: AgentTask): SearchProposal {
  if (wish.combine.length === 0 || task.attempt > 1 || task.ask > 1) return propose(search);
  return { move: 'combine', values: bringTogether(wish.combine, search.find) };
}

function changesIn(values: Values): readonly SiteChange[] {
  return changed(values).map(([{ file, line, place, text }, to]) => ({ file, line, place, from: text, to }));
}

function changed(values: Values): readonly (readonly [Site, string])[] {
  return [...values].filter(([site, to]) => site.text !== to);
}

/** `pack.mjs:9 gap 3: 97 -> 61`, or for several `shift: 7 numbers on lines 6 to 12 of pack.mjs`. */
function titleOf(move: string, values: Values): string {
  const changes = changed(values).toSorted(([a], [b]) => a.line - b.line);
  const [first, last] = [changes[0], changes[changes.length - 1]];
  if (first === undefined || last === undefined) return move;
  if (changes.length <= 2) return changes.map(([site, to]) => describe(site, to)).join(', ');
  const names = new Set(changes.map(([site]) => basename(site.file)));
  const where =
    names.size === 1
      ? `${formatRegion({ file: [...names][0] as string, from: first[0].line, to: last[0].line })}`
      : `${names.size} files`;
  return `${move}: ${changes.length} places on ${where}`;
}

function describe(site: Site, to: string): string {
  const label = site.label === '' ? '' : ` ${site.label}`;
  return `${basename(site.file)}:${site.line}${label}: ${site.text} -> ${to}`;
}

/** What the search knows when it makes one change. */
interface Search {
  readonly pool: Pool;
  readonly memory: SearchMemory;
  readonly find: Lookup;
  readonly focus: Focus | undefined;
  readonly random: Random;
}

interface SearchProposal {
  readonly move: string;
  readonly values: Values;
}

/** One change, made in a way that is chosen by what the spec asks for and by what has paid off lately. */
function propose(search: Search): SearchProposal {
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

function makeLookup(sites: readonly Site[]): Lookup {
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
function bringTogether(changes: readonly SiteChange[], find: Lookup): Values {
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
