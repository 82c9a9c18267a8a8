import type { Spec } from '../../domain/words/spec.ts';
import { readChanges, type SiteChange } from './search-memory.ts';
import type { Site } from './search-sites.ts';

/** Some lines of one file. */
export interface Region {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** A way of changing things that a spec may ask for. */
export type Focus = 'single steps' | 'blocks' | 'near misses' | 'choices';

const focuses: readonly Focus[] = ['single steps', 'blocks', 'near misses', 'choices'];

/** What a spec asks of the search: where, how, and which changes to bring together first. No regions means anywhere. */
export interface SearchWish {
  readonly regions: readonly Region[];
  readonly focus: Focus | undefined;
  readonly combine: readonly SiteChange[];
}

export function readWish(spec: Spec, files: readonly string[]): SearchWish {
  const text = `${spec.title}\n${spec.body}`;
  const isCombination = spec.by === 'merge' || /^combine:/im.test(spec.body);
  const combine = isCombination ? readChanges(spec.body) : [];
  const touched = combine.map(({ file, line }) => ({ file, from: line, to: line }));
  return {
    // Prose may say "line 1 of defence": only the sandbox's own files are places.
    regions: (isCombination ? touched : readRegions(text)).filter((region) =>
      files.some((file) => names(region, file)),
    ),
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

export function isInRegions(place: Pick<Site, 'file' | 'line'>, regions: readonly Region[]): boolean {
  return regions.length === 0 || regions.some((region) => covers(region, place));
}

function covers(region: Region, place: Pick<Site, 'file' | 'line'>): boolean {
  return names(region, place.file) && region.from <= place.line && place.line <= region.to;
}

const names = (region: Region, file: string): boolean => region.file === file || file.endsWith(`/${region.file}`);
