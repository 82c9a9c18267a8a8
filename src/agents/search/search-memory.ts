import type { Direction } from '../../domain/words/brief.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { gainOver } from '../../domain/words/score.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { Site } from './search-sites.ts';

/** What the notebook teaches the search. */
export type SearchMemory = ReturnType<typeof readMemory>;

export function readMemory(notebook: readonly Experiment[], direction: Direction) {
  const { results, tallies, step } = lessonsOf(notebook);
  const now = fading(notebook.length);
  const discarded = lately(notebook, 'discard', 120);
  return {
    /** Whether a sandbox with this fingerprint was measured before. */
    wasTried: (result: string): boolean => results.has(result),
    /** How large the steps should be now, 1 being as large as the numbers themselves. */
    step,
    /** How well a move has done lately, 1 when nothing is known. */
    worthOf: (move: string): number => worth(tallies.get(move), tallies, now),
    /** The newest first. */
    kept: lately(notebook, 'keep', 12),
    discarded,
    /** Discarded, but hardly worse than what they were compared with; the best first. */
    nearMisses: nearest(discarded, direction),
  };
}

/** What is learned page by page, and a thousand pages need not be read again for every proposal. */
interface Lessons {
  pages: number;
  last: Experiment | undefined;
  readonly results: Set<string>;
  /** Weighted as if seen from the first page: later ones count for more, and what is far back fades beside them. */
  readonly tallies: Map<string, Tally>;
  step: number;
}

interface Tally {
  tried: number;
  kept: number;
}

const lessons = new WeakMap<readonly Experiment[], Lessons>();

/** A notebook grows at its end; one whose beginning was forgotten is read from the start. */
function lessonsOf(notebook: readonly Experiment[]): Lessons {
  const known = lessons.get(notebook);
  const learned: Lessons =
    known !== undefined && notebook[known.pages - 1] === known.last
      ? known
      : { pages: 0, last: undefined, results: new Set(), tallies: new Map(), step: largestStep };
  lessons.set(notebook, learned);
  while (learned.pages < notebook.length) learn(learned, notebook[learned.pages] as Experiment);
  return learned;
}

function learn(learned: Lessons, experiment: Experiment): void {
  const { event, notes } = experiment;
  learned.step = stepAfter(learned.step, event);
  learned.last = experiment;
  const head = readHead(notes);
  if (head !== undefined) {
    learned.results.add(head.result);
    const tally = learned.tallies.get(head.move) ?? { tried: 0, kept: 0 };
    const weight = fading(-learned.pages);
    tally.tried += weight;
    if (event === 'keep') tally.kept += weight;
    learned.tallies.set(head.move, tally);
  }
  learned.pages += 1;
}

/** Half as much after 200 experiments. */
export const fading = (age: number): number => 0.5 ** (age / 200);

/**
 * Keeps make the steps grow, discards make them shrink, and when they have become too small to matter they start large
 * again: the search has been everywhere near and must look elsewhere.
 */
function stepAfter(before: number, event: Experiment['event']): number {
  let step = before;
  if (event === 'keep') step = Math.min(largestStep, step * 1.5);
  if (event === 'discard') step *= 0.97;
  return step < smallestStep ? largestStep : step;
}

const largestStep = 1;
const smallestStep = 0.03;

/** The share of keeps, pulled towards the share of all moves together so that a few draws decide nothing. */
function worth(tally: Tally | undefined, all: ReadonlyMap<string, Tally>, now: number): number {
  let [tried, kept] = [4, 1];
  for (const one of all.values()) {
    tried += one.tried * now;
    kept += one.kept * now;
  }
  const usual = kept / tried;
  const doubt = 10;
  return ((tally?.kept ?? 0) * now + usual * doubt) / ((tally?.tried ?? 0) * now + doubt) / usual;
}

function lately(notebook: readonly Experiment[], event: Experiment['event'], most: number): readonly Experiment[] {
  const found: Experiment[] = [];
  for (let index = notebook.length - 1; index >= 0 && found.length < most; index--) {
    const experiment = notebook[index] as Experiment;
    if (experiment.event === event) found.push(experiment);
  }
  return found;
}

function nearest(discarded: readonly Experiment[], direction: Direction): readonly Experiment[] {
  const losses = discarded.flatMap((experiment) => {
    const { score, best } = experiment;
    return score === undefined || best === undefined ? [] : [{ experiment, loss: gainOver(best, score, direction) }];
  });
  const sorted = losses.sort((a, b) => a.loss - b.loss);
  return sorted.slice(0, 20).map(({ experiment }) => experiment);
}

/** One site's text before and after; `place` is which site of its line it is, from 1. */
export interface SiteChange extends Pick<Site, 'file' | 'line' | 'place'> {
  readonly from: string;
  readonly to: string;
}

/** What a junior writes below its title, for the next one to read: how it was made, what was changed, what came out. */
interface SearchNotes {
  readonly move: string;
  readonly changes: readonly SiteChange[];
  /** The fingerprint of the sandbox's files after the change. */
  readonly result: string;
}

export function formatNotes({ result, move, changes }: SearchNotes): string {
  const lines = changes.map(({ file, line, place, from, to }) => `${file}:${line}:${place} ${from} -> ${to}`);
  return [`result: ${result}`, `move: ${move}`, ...lines].join('\n');
}

/**
 * The changes named in any text, line by line; lines that are something else are passed over. Notes and specs can be
 * anybody's, so only a number, a true or false or an operator is taken: nothing else can get into a file this way.
 */
export function readChanges(text: string): readonly SiteChange[] {
  return text.split('\n').flatMap((line) => {
    const match = line.length > longestLine ? null : aChange.exec(line);
    if (match === null) return [];
    const [, file = '', number, place, from = '', to = ''] = match;
    return [{ file, line: Number(number), place: Number(place), from, to }];
  });
}

const longestLine = 500;
const siteText = String.raw`(-?[\d.][\d._]*(?:[eE][+-]?\d+)?|true|false|True|False|TRUE|FALSE|[<>]=?|[=!]==?|[-+*/])`;
const aChange = new RegExp(String.raw`^(?:[-*>] ?)?\s*(\S.*):(\d+):(\d+) ${siteText} -> ${siteText}\s*$`);

/** The first two lines alone, for reading a thousand notes in one go. */
function readHead(text: string): Pick<SearchNotes, 'move' | 'result'> | undefined {
  const head = /^result: ([0-9a-f]+)\r?\nmove: ([a-z]+)/.exec(text);
  return head === null ? undefined : { result: head[1] as string, move: head[2] as string };
}

/** Some lines of one file. */
export interface Region {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

const focuses = ['single steps', 'blocks', 'near misses', 'choices'] as const;

/** A way of changing things that a spec may ask for. */
export type Focus = (typeof focuses)[number];

/** What a spec asks of the search: where, how, and which changes to bring together first. No regions means anywhere. */
export interface Guidance {
  readonly regions: readonly Region[];
  readonly focus: Focus | undefined;
  readonly combine: readonly SiteChange[];
}

export function readGuidance(spec: Spec, files: readonly string[]): Guidance {
  const text = `${spec.title}\n${spec.body}`;
  const isCombination = spec.by === 'merge' || /^combine:/im.test(spec.body);
  const combine = isCombination ? readChanges(spec.body) : [];
  const touched = combine.map(({ file, line }) => ({ file, from: line, to: line }));
  return {
    // Prose may say "line 1 of defence": only the sandbox's own files are places.
    regions: (isCombination ? touched : readRegions(text)).filter((region) => files.some((file) => isOf(region, file))),
    focus: focuses.find((focus) => text.toLowerCase().includes(`try ${focus}`)),
    combine,
  };
}

/** `lines 12 to 18 of sandbox/pack.mjs`, `line 4 of a.py`, `lines 3-9 in b.yaml`; a name in backticks may have spaces. */
function readRegions(text: string): readonly Region[] {
  const named = text.matchAll(
    /\blines?\s+(\d+)(?:\s*(?:to|and|through|[-–])\s*(\d+))?\s+(?:of|in)\s+(?:`([^`\n]+)`|([^\s`,;]+))/gi,
  );
  return Array.from(named, ([, first, second, quoted, bare]) => {
    const [from, to] = [Number(first), Number(second ?? first)];
    const file = quoted ?? (bare ?? '').replace(/[.:)!?]+$/, '');
    return { file, from: Math.min(from, to), to: Math.max(from, to) };
  });
}

export function formatRegion(region: Region): string {
  const lines = region.from === region.to ? `line ${region.from}` : `lines ${region.from} to ${region.to}`;
  return `${lines} of ${/^[\w./-]+$/.test(region.file) ? region.file : `\`${region.file}\``}`;
}

export function isInRegions({ file, line }: Pick<Site, 'file' | 'line'>, regions: readonly Region[]): boolean {
  const covers = (region: Region): boolean => isOf(region, file) && region.from <= line && line <= region.to;
  return regions.length === 0 || regions.some(covers);
}

const isOf = (region: Region, file: string): boolean => region.file === file || file.endsWith(`/${region.file}`);
