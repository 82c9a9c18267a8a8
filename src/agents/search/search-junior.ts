import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import type { Experiment } from '../../domain/words/experiment.ts';
import { overwriteFile } from '../../process/untrusted-files.ts';
import { type Random, randomFrom } from '../../text/random.ts';
import type { Agent, AgentTask, AgentWork } from '../agent-contract.ts';
import type { Focus, Guidance, SearchMemory, SiteChange } from './search-memory.ts';
import { formatNotes, formatRegion, isInRegions, readChanges, readGuidance, readMemory } from './search-memory.ts';
import type { NamedMove, Pool, Values } from './search-moves.ts';
import { formatLike, makePool, numberIn, plainMoves, write } from './search-moves.ts';
import { findSites, readSandboxFiles, type SandboxFile, type Site } from './search-sites.ts';

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
  const guidance = readGuidance(task.spec, task.files);
  const sites = all.filter((site) => isInRegions(site, guidance.regions));
  if (sites.length === 0)
    return nothing(`there is nothing to change on ${guidance.regions.map(formatRegion).join(', ')}`);

  const search: Search = {
    pool: makePool(sites, all),
    memory: readMemory(task.notebook, task.brief.direction),
    find: makeLookup(sites),
    focus: guidance.focus,
    random: randomFrom([task.seed, task.spec.id, task.attempt, task.ask].join('/')),
  };
  const before = fingerprint(files);
  for (let draw = 1; draw <= mostDraws; draw++) {
    const { move, values } = draw === 1 ? proposeFirst(search, guidance, task) : propose(search);
    const after = replaceSites(files, values);
    const result = fingerprint(after);
    if (result === before || search.memory.wasTried(result)) continue; // The same tree again would be no news.
    writeSandbox(task, files, after);
    const changes = [...values].filter(([site, to]) => site.text !== to);
    return { kind: 'edited', title: titleOf(move, changes), notes: notesOf(move, changes, result) };
  }
  return nothing('everything that the search could think of here was tried before');
};

const mostDraws = 60;

const nothing = (reason: string): AgentWork => ({ kind: 'nothing', reason });

/** Two kept changes that git could not merge are first tried together, whatever else the search would do. */
function proposeFirst(search: Search, guidance: Guidance, task: AgentTask): ReturnType<typeof propose> {
  if (guidance.combine.length === 0 || task.attempt > 1 || task.ask > 1) return propose(search);
  return { move: 'combine', values: bringTogether(guidance.combine, search.find) };
}

type Changes = readonly (readonly [Site, string])[];

/** `pack.mjs:9 gap 3: 97 -> 61`, or for several `shift: 7 places on lines 6 to 12 of pack.mjs`. */
function titleOf(move: string, unsorted: Changes): string {
  const changes = unsorted.toSorted(([a], [b]) => a.line - b.line);
  const [first, last] = [changes[0], changes[changes.length - 1]];
  if (first === undefined || last === undefined) return move;
  if (changes.length <= 2) return changes.map(([site, to]) => describe(site, to)).join(', ');
  const [name = '', ...others] = new Set(changes.map(([site]) => basename(site.file)));
  const lines = formatRegion({ file: name, from: first[0].line, to: last[0].line });
  return `${move}: ${changes.length} places on ${others.length === 0 ? lines : `${others.length + 1} files`}`;
}

function describe(site: Site, to: string): string {
  const label = site.label === '' ? '' : ` ${site.label}`;
  return `${basename(site.file)}:${site.line}${label}: ${site.text} -> ${to}`;
}

const notesOf = (move: string, changes: Changes, result: string): string =>
  formatNotes({ move, changes: changes.map(([site, to]) => ({ ...site, from: site.text, to })), result });

/** What the search knows when it makes one change. */
interface Search {
  readonly pool: Pool;
  readonly memory: SearchMemory;
  /** The site that a change names, if it may be changed. */
  readonly find: (change: SiteChange) => Site | undefined;
  readonly focus: Focus | undefined;
  readonly random: Random;
}

/** One change, made in a way that is chosen by what the spec asks for and by what has paid off lately. */
function propose(search: Search) {
  const recipe = pickRecipe(search, recipes);
  return { move: recipe?.name ?? 'none', values: recipe?.make(search) ?? noValues };
}

const noValues: Values = new Map();

interface Recipe extends Omit<NamedMove, 'on' | 'move'> {
  /** What it works on. Undefined for any site. */
  readonly on?: NamedMove['on'];
  readonly make: (search: Search) => Values;
}

const plain: readonly Recipe[] = plainMoves().map(({ move, ...rest }) => ({
  ...rest,
  make: (search) => move(search.pool, drawStep(search), search.random),
}));

/** Goes on in the direction of a change that was kept. */
const goFurther: Recipe['make'] = (search) => goOn(search, search.memory.kept, 'to', 1.2);

/** The opposite of a change that was discarded. */
const goBack: Recipe['make'] = (search) => goOn(search, search.memory.discarded, 'from', 0.7);

const recipes: readonly Recipe[] = [
  ...plain,
  { name: 'further', focus: 'near misses', on: 'numbers', weight: 2, make: goFurther },
  { name: 'back', focus: 'near misses', on: 'numbers', weight: 2, make: goBack },
  { name: 'extend', focus: 'near misses', weight: 3, make: inOne(recallNearMiss, onePlain) },
  { name: 'join', focus: 'near misses', weight: 1, make: inOne(recallNearMiss, recallNearMiss) },
  { name: 'kick', focus: 'single steps', weight: 0.5, make: inOne(onePlain, onePlain, onePlain) },
];

/** One of the recipes, each as likely as its weight. Undefined when none has a weight. */
function pickRecipe(search: Search, among: readonly Recipe[]): Recipe | undefined {
  const weights = among.map((recipe) => weightOf(recipe, search));
  let left = search.random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  return among.find((_, index) => {
    left -= weights[index] ?? 0;
    return left < 0;
  });
}

function weightOf({ name, focus, on, weight }: Recipe, { pool, memory, focus: wanted }: Search): number {
  if (on !== undefined && pool[on].length === 0) return 0;
  return weight * memory.worthOf(name) * (focus === wanted ? 4 : 1);
}

/** Around the size that the notebook suggests, sometimes much smaller or larger. */
function drawStep({ memory, random }: Search): number {
  return Math.min(2, Math.max(0.005, memory.step * 10 ** (0.4 * random.normal())));
}

function onePlain(search: Search): Values {
  return pickRecipe(search, plain)?.make(search) ?? noValues;
}

/** Several changes as one. What comes later wins. */
function inOne(...makers: readonly Recipe['make'][]): Recipe['make'] {
  return (search) => new Map(makers.flatMap((make) => [...make(search)]));
}

function makeLookup(sites: readonly Site[]): Search['find'] {
  const byPlace = new Map(sites.map((site) => [`${site.file}:${site.line}:${site.place}`, site]));
  return (change) => byPlace.get(`${change.file}:${change.line}:${change.place}`);
}

/** Moves the numbers that are at one end of an earlier change further away from its other end. */
function goOn({ find, random }: Search, earlier: readonly Experiment[], end: 'from' | 'to', reach: number): Values {
  const changes = readChanges(pickNewest(earlier, random)?.notes ?? '');
  const part = 0.3 + reach * random.next();
  const values = new Map<Site, string>();
  for (const change of changes) {
    const site = find(change);
    if (site === undefined || site.kind === 'choice' || site.text !== change[end]) continue;
    const here = numberIn(site.text);
    const value = here + part * (here - numberIn(change[end === 'to' ? 'from' : 'to']));
    const fine = change.to.includes('.') || change.from.includes('.');
    if (Number.isFinite(value)) values.set(site, write(site, value, fine));
  }
  return values;
}

/** A change that was nearly kept, once more, for another to be put on top of it. */
function recallNearMiss({ memory, find, random }: Search): Values {
  if (memory.nearMisses.length === 0) return noValues;
  return bringTogether(readChanges(pickNewest(memory.nearMisses, random)?.notes ?? ''), find);
}

/**
 * All the changes on the present text. Where a number is not what it was any more when the change was made, the difference
 * is added; where two changes name the same site, the later one wins.
 */
function bringTogether(changes: readonly SiteChange[], find: Search['find']): Values {
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

/** The files with new texts at some of their sites. */
function replaceSites(files: readonly SandboxFile[], values: ReadonlyMap<Site, string>): readonly SandboxFile[] {
  return files.map((file) => {
    const edits = [...values].filter(([site]) => site.file === file.path).sort(([a], [b]) => a.start - b.start);
    if (edits.length === 0) return file;
    let text = '';
    let end = 0;
    for (const [site, value] of edits) {
      text += file.text.slice(end, site.start) + value;
      end = site.start + site.text.length;
    }
    return { path: file.path, text: text + file.text.slice(end) };
  });
}

function writeSandbox(task: AgentTask, before: readonly SandboxFile[], after: readonly SandboxFile[]): void {
  for (const [index, file] of after.entries()) {
    if (file !== before[index]) overwriteFile(join(task.dir, file.path), Buffer.from(file.text, 'latin1'));
  }
}

/** The same for the same files, and for no others. */
function fingerprint(files: readonly SandboxFile[]): string {
  const hash = createHash('sha1');
  for (const file of files) hash.update(`${file.path}\0${file.text.length}\0`).update(file.text, 'latin1');
  return hash.digest('hex').slice(0, 16);
}
