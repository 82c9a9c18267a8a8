import type { Experiment } from '../domain/experiment.ts';
import { fading } from './search-memory.ts';
import { readChanges } from './search-notes.ts';
import type { Site } from './search-sites.ts';
import { covers, type Focus, type Region } from './search-wish.ts';

/** Something a spec can be about: some lines and a way of changing them. */
export interface Arm {
  readonly region: Region;
  readonly focus: Focus;
  /** The share of tries that are thought to be kept before anything is known. */
  readonly hope: number;
}

/** What the notebook says of an arm's lines; both fade with age. */
export interface Record {
  readonly tried: number;
  readonly kept: number;
}

/** All the arms that a sandbox offers: each table and group of settings, parts of long ones, each file as a whole. */
export function makeArms(sites: readonly Site[]): readonly Arm[] {
  const groups = groupsOf(sites.filter((site) => site.kind === 'cell' || site.kind === 'setting'));
  return [...groups.flatMap((group) => armsOfGroup(group)), ...filesOf(sites).flatMap((group) => armsOfFile(group))];
}

function armsOfGroup(group: readonly Site[]): readonly Arm[] {
  const region = regionOf(group);
  const steps: Arm = { region, focus: 'single steps', hope: 0.2 };
  if (group.filter((site) => site.kind === 'cell').length < 2) return [steps];
  const parts = group.length > 8 ? partsOf(group) : [];
  return [
    steps,
    { region, focus: 'blocks', hope: 0.2 },
    ...parts.map((part): Arm => ({ region: regionOf(part), focus: 'blocks', hope: 0.1 })),
  ];
}

function armsOfFile(group: readonly Site[]): readonly Arm[] {
  const data = group.filter((site) => site.kind === 'cell' || site.kind === 'setting');
  const rest = group.filter((site) => site.kind === 'code' || site.kind === 'choice');
  return [
    ...(data.length > 1 ? [{ region: regionOf(data), focus: 'near misses', hope: 0.2 } as const] : []),
    ...(data.length > 1 ? [{ region: regionOf(data), focus: 'single steps', hope: 0.1 } as const] : []),
    ...(rest.length > 0 ? [{ region: regionOf(rest), focus: 'choices', hope: 0.02 } as const] : []),
  ];
}

/** Sites that stand together: not more than two lines of something else between them. */
function groupsOf(sites: readonly Site[]): readonly (readonly Site[])[] {
  const groups: Site[][] = [];
  let last: Site | undefined;
  for (const site of sites) {
    const follows =
      last !== undefined && last.file === site.file && site.line - last.line <= 3 && site.kind === last.kind;
    if (follows) groups[groups.length - 1]?.push(site);
    else groups.push([site]);
    last = site;
  }
  return groups;
}

function filesOf(sites: readonly Site[]): readonly (readonly Site[])[] {
  return [...Map.groupBy(sites, (site) => site.file).values()];
}

/** Parts of five to eight sites each, that end with a line. */
function partsOf(group: readonly Site[]): readonly (readonly Site[])[] {
  const count = Math.ceil(group.length / 8);
  const size = Math.ceil(group.length / count);
  return Array.from({ length: count }, (_, index) => group.slice(index * size, (index + 1) * size));
}

function regionOf(sites: readonly Site[]): Region {
  const lines = sites.map((site) => site.line);
  return { file: (sites[0] as Site).file, from: Math.min(...lines), to: Math.max(...lines) };
}

/** An experiment counts for every arm that contains all of its changes, the more the closer it fits. */
export function recordsOf(arms: readonly Arm[], notebook: readonly Experiment[]): ReadonlyMap<Arm, Record> {
  const records = new Map<Arm, { tried: number; kept: number }>(arms.map((arm) => [arm, { tried: 0, kept: 0 }]));
  for (const [index, experiment] of notebook.entries()) {
    const changes = readChanges(experiment.notes);
    if (changes.length === 0) continue;
    const weight = fading(notebook.length - index);
    for (const [arm, record] of records) {
      if (!changes.every((change) => covers(arm.region, change))) continue;
      record.tried += weight;
      if (experiment.event === 'keep') record.kept += weight;
    }
  }
  return records;
}
