import type { Spec } from '../domain/spec.ts';
import { type Change, readChanges } from './search-notes.ts';
import type { Site } from './search-sites.ts';

/** Some lines of one file. */
export interface Region {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** A way of changing things that a spec may ask for. */
export type Focus = 'single steps' | 'blocks' | 'near misses' | 'choices';

export const focuses: readonly Focus[] = ['single steps', 'blocks', 'near misses', 'choices'];

/** What a spec asks of the search: where, how, and which changes to bring together first. No regions means anywhere. */
export interface Wish {
  readonly regions: readonly Region[];
  readonly focus: Focus | undefined;
  readonly combine: readonly Change[];
}

export function readWish(spec: Spec): Wish {
  const text = `${spec.title}\n${spec.body}`;
  const isCombination = spec.by === 'merge' || /^combine:/im.test(spec.body);
  const combine = isCombination ? readChanges(spec.body) : [];
  const touched = combine.map(({ file, line }) => ({ file, from: line, to: line }));
  return {
    regions: isCombination ? touched : readRegions(text),
    focus: focuses.find((focus) => text.toLowerCase().includes(`try ${focus}`)),
    combine,
  };
}

/** `lines 12 to 18 of sandbox/pack.mjs`, `line 4 of a.py`, `lines 3-9 in b.yaml`. */
function readRegions(text: string): readonly Region[] {
  const regions = text.matchAll(
    /\blines?\s+(\d+)(?:\s*(?:to|and|through|[-–])\s*(\d+))?\s+(?:of|in)\s+[`"']?([^\s`"',;]+)/gi,
  );
  return Array.from(regions, (match) => {
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    return { file: (match[3] as string).replace(/[.:)]+$/, ''), from: Math.min(from, to), to: Math.max(from, to) };
  });
}

export function formatRegion(region: Region): string {
  const lines = region.from === region.to ? `line ${region.from}` : `lines ${region.from} to ${region.to}`;
  return `${lines} of ${region.file}`;
}

export function isWithin(place: Pick<Site, 'file' | 'line'>, regions: readonly Region[]): boolean {
  return regions.length === 0 || regions.some((region) => covers(region, place));
}

export function covers(region: Region, place: Pick<Site, 'file' | 'line'>): boolean {
  const named = region.file === place.file || place.file.endsWith(`/${region.file}`);
  return named && region.from <= place.line && place.line <= region.to;
}
