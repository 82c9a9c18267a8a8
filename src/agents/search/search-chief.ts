import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Direction } from '../../domain/words/brief.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { gainOver } from '../../domain/words/score.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { type Random, randomFrom } from '../../text/random.ts';
import type { Agent, AgentTask } from '../agent-contract.ts';
import { type Focus, fading, formatRegion, type Region, readGuidance } from './search-memory.ts';
import { medianNumber, runsOf } from './search-moves.ts';
import { findSites, readSandboxFiles, type SandboxFile, type Site, textIn } from './search-sites.ts';

/**
 * The search agent as chief, no model: it shares the tries out over lines and ways of changing them, more to those that
 * were kept lately, and some to all, because what failed an hour ago may work on today's best.
 */
export const searchChief: Agent = async (task) => {
  const arms = armsOf(readSandboxFiles(task));
  if (arms.length === 0) return { kind: 'nothing', reason: 'the sandbox has nothing that the search agent can change' };
  const records = recordsOf(arms, task);
  const newest = Math.max(0, ...task.specs.map((spec) => Number(spec.id)));
  const random = randomFrom([task.seed, 'chief', newest, task.attempt, task.ask].join('/'));
  const busy =
    task.open === 0 ? [] : task.specs.slice(-task.open).flatMap((spec) => readGuidance(spec, task.files).regions);

  mkdirSync(join(task.dir, 'specs'), { recursive: true });
  const titles: string[] = [];
  const times = timesOf(task.specs);
  for (let number = 1; number <= task.wanted; number++) {
    const arm = pickArm(arms, records, busy, random);
    const name = `${capitalise(arm.focus)} on ${formatRegion(arm.region)}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    const title = time === 1 ? name : `${name}, ${ordinal(time)} time`;
    const text = `---\ntitle: ${JSON.stringify(title)}\n---\n\n${bodyOf(title, arm, records.get(arm), task)}`;
    writeFileSync(join(task.dir, 'specs', `draft-${number}.md`), text);
    busy.push(arm.region);
    titles.push(title);
  }
  return { kind: 'edited', title: `${titles.length} specs: ${titles.join('; ')}`, notes: '' };
};

/** How often there was a spec of each name, as far as titles tell. */
function timesOf(specs: readonly Spec[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { title } of specs) {
    const [, name = title, time = '1'] = /^(.*), ([0-9]+)[a-z]{2} time$/.exec(title) ?? [];
    times.set(name, Math.max(times.get(name) ?? 0, Number(time)));
  }
  return times;
}

const ordinal = (n: number): string =>
  `${n}${/1[123]$|[04-9]$/.test(String(n)) ? 'th' : ['st', 'nd', 'rd'][(n % 10) - 1]}`;

/** Whether this chief would find anything in a file of the sandbox to write a spec about. */
export function findsIdeasIn(path: string, content: Buffer): boolean {
  const text = textIn(content);
  return text !== undefined && armsOf([{ path, text }]).length > 0;
}

const armsOf = (files: readonly SandboxFile[]): readonly Arm[] =>
  makeArms(files.flatMap((file) => findSites(file.path, file.text)));

/** A draw from what is thought of each arm: the less is known of it, the wider the draw. */
function pickArm(arms: readonly Arm[], records: Records, busy: readonly Region[], random: Random): Arm {
  let best = arms[0] as Arm;
  let highest = -Infinity;
  for (const arm of arms) {
    const { tried, kept } = records.get(arm) ?? { tried: 0, kept: 0 };
    const mean = Math.min(0.9, (kept + arm.hope * doubt) / (tried + doubt)); // A large gain counts more than once.
    const draw = mean + random.normal() * Math.sqrt((mean * (1 - mean)) / (tried + doubt));
    // Two juniors on the same lines would mostly undo each other's merge.
    const value = busy.some((region) => overlaps(region, arm.region)) ? draw - mean / 2 : draw;
    if (value > highest) [best, highest] = [arm, value];
  }
  return best;
}

/** How many tries the first guess of an arm is worth. */
const doubt = 5;

function overlaps(a: Region, b: Region): boolean {
  return a.file === b.file && a.from <= b.to + 1 && b.from <= a.to + 1;
}

function bodyOf(title: string, arm: Arm, record: ArmTally | undefined, task: AgentTask): string {
  const what = arm.focus === 'choices' ? 'the choices and the numbers in expressions' : 'the numbers';
  const share = record === undefined ? arm.hope : (record.kept + arm.hope * doubt) / (record.tried + doubt);
  return `Explore ${what} on ${formatRegion(arm.region)}. Try ${arm.focus}.

Hypothesis: ${title}: some values there are better than what is there now. ${reasonFor(record, task)}
Prediction: ${task.brief.metric} gets better in ${Math.round(100 * Math.min(0.9, share))} % of the tries.
Control: the best tree as it is, measured by the same harness.
Held fixed: everything else.
Wrong if: no try wins.
`;
}

function reasonFor(record: ArmTally | undefined, task: AgentTask): string {
  const best = task.notebook.findLast((experiment) => experiment.event === 'keep')?.score;
  const from = best === undefined ? 'Nothing has won yet' : `The best ${task.brief.metric} so far is ${best}`;
  if (record === undefined || record.tried === 0) return `${from}, and this was not tried lately.`;
  const share = Math.round((100 * record.kept) / record.tried);
  return `${from}. Of the tries like these lately, ${share} % won.`;
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Something a spec can be about: some lines and a way of changing them. */
interface Arm {
  readonly region: Region;
  readonly focus: Focus;
  /** The share of tries that are thought to be kept before anything is known. */
  readonly hope: number;
}

/** How often an arm was tried and how often that was kept; both fade with age. */
type ArmTally = Readonly<Record<'tried' | 'kept', number>>;
type Records = ReadonlyMap<Arm, ArmTally>;

/** All the arms that a sandbox offers: each table and group of settings, parts of long ones, each file as a whole. */
function makeArms(sites: readonly Site[]): readonly Arm[] {
  const groups = runsOf(sites.filter(isData), 3);
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
  const data = group.filter(isData);
  const rest = group.filter((site) => !isData(site));
  return [
    ...(data.length > 1 ? [{ region: regionOf(data), focus: 'near misses', hope: 0.2 } as const] : []),
    ...(data.length > 1 ? [{ region: regionOf(data), focus: 'single steps', hope: 0.1 } as const] : []),
    ...(rest.length > 0 ? [{ region: regionOf(rest), focus: 'choices', hope: 0.02 } as const] : []),
  ];
}

const isData = ({ kind }: Site): boolean => kind === 'cell' || kind === 'setting';

function filesOf(sites: readonly Site[]): readonly (readonly Site[])[] {
  return [...new Set(sites.map((site) => site.file))].map((file) => sites.filter((site) => site.file === file));
}

/** Parts of about eight sites, or of more when there would be too many to try them all. */
function partsOf(group: readonly Site[]): readonly (readonly Site[])[] {
  const count = Math.min(mostParts, Math.ceil(group.length / 8));
  const size = Math.ceil(group.length / count);
  const parts = Array.from({ length: count }, (_, index) => group.slice(index * size, (index + 1) * size));
  return parts.filter((part) => part.length > 0);
}

const mostParts = 20;

function regionOf(sites: readonly Site[]): Region {
  const [first, last] = [sites[0] as Site, sites[sites.length - 1] as Site];
  return { file: first.file, from: first.line, to: last.line };
}

/** What became of the tries of every spec that was about this arm. A keep counts for more when it gained more. */
function recordsOf(arms: readonly Arm[], task: AgentTask): Records {
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
  const { regions, focus } = readGuidance(spec, files);
  const region = regions[0];
  return region === undefined || focus === undefined ? '' : keyOf({ region, focus });
}
