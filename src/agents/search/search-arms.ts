import type { Direction } from '../../domain/words/brief.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { gainOver } from '../../domain/words/score.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { AgentTask } from '../agent-contract.ts';
import { fading } from './search-memory.ts';
import { medianNumber } from './search-numbers.ts';
import type { Site } from './search-sites.ts';
import { type Focus, formatRegion, type Region, readWish } from './search-wish.ts';

/** Something a spec can be about: some lines and a way of changing them. */
export interface Arm {
  readonly region: Region;
  readonly focus: Focus;
  /** The share of tries that are thought to be kept before anything is known. */
  readonly hope: number;
}

/** How often an arm was tried and how often that was kept; both fade with age. */
export interface ArmTally {
  readonly tried: number;
  readonly kept: number;
}

/** All the arms that a sandbox offers: each table and group of settings, parts of long ones, each file as a whole. */
export function makeArms(sites: readonly Site[]): readonly Arm[] {
  const groups = groupsOf(sites.filter((site) => site.kind === 'cell' || site.kind === 'setting'));
  const arms = [...filesOf(sites).flatMap(armsOfFile), ...groups.flatMap(armsOfGroup)];
  return [...new Map(arms.map((arm) => [keyOf(arm), arm])).values()]; // A lone table is also all there is in its file.
}

function armsOfGroup(group: readonly Site[]): readonly Arm[] {
  const region = regionOf(group);
  // Few numbers, each with a name that a person gave it: the likeliest to matter.
  if (group.every((site) => site.kind === 'setting')) return [{ region, focus: 'single steps', hope: 0.3 }];
  const parts = group.length > 8 ? partsOf(group) : [];
  return [
    { region, focus: 'single steps', hope: 0.2 },
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
  return [...new Set(sites.map((site) => site.file))].map((file) => sites.filter((site) => site.file === file));
}

/** Parts of about eight sites, or of more when there would be too many to try them all. */
function partsOf(group: readonly Site[]): readonly (readonly Site[])[] {
  const count = Math.min(mostParts, Math.ceil(group.length / 8));
  const size = Math.ceil(group.length / count);
  return Array.from({ length: count }, (_, index) => group.slice(index * size, (index + 1) * size)).filter(
    (part) => part.length > 0,
  );
}

const mostParts = 20;

function regionOf(sites: readonly Site[]): Region {
  const [first, last] = [sites[0] as Site, sites[sites.length - 1] as Site];
  return { file: first.file, from: first.line, to: last.line };
}

/** What became of the tries of every spec that was about this arm. A keep counts for more when it gained more. */
export function recordsOf(arms: readonly Arm[], task: AgentTask): ReadonlyMap<Arm, ArmTally> {
  const records = new Map(arms.map((arm) => [keyOf(arm), { tried: 0, kept: 0 }]));
  const recordOfSpec = new Map(task.specs.map((spec) => [spec.id, records.get(keyOfSpec(spec, task.files))]));
  const gains = task.notebook.map((experiment) => gainOf(experiment, task.brief.direction));
  const usual = medianNumber(gains.filter((gain) => gain > 0));
  for (const [index, { spec }] of task.notebook.entries()) {
    const record = recordOfSpec.get(spec);
    if (record === undefined) continue;
    const weight = fading(task.notebook.length - index);
    record.tried += weight;
    const gain = gains[index] ?? 0;
    if (gain > 0) record.kept += weight * Math.min(2, Math.max(0.25, gain / usual));
  }
  return new Map(arms.map((arm) => [arm, records.get(keyOf(arm)) ?? { tried: 0, kept: 0 }]));
}

function gainOf({ event, score, best }: Experiment, direction: Direction): number {
  return event === 'keep' && score !== undefined && best !== undefined ? gainOver(score, best, direction) : 0;
}

const keyOf = (arm: Pick<Arm, 'region' | 'focus'>): string => `${formatRegion(arm.region)}: ${arm.focus}`;

function keyOfSpec(spec: Spec, files: readonly string[]): string {
  const { regions, focus } = readWish(spec, files);
  const region = regions[0];
  return region === undefined || focus === undefined ? '' : keyOf({ region, focus });
}
