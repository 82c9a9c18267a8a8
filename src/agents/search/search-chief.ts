import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, randomFrom } from '../../text/random.ts';
import type { Agent, AgentTask } from '../agent-contract.ts';
import { type Arm, type ArmTally, makeArms, recordsOf } from './search-arms.ts';
import { readSandboxFiles, type SandboxFile, textIn } from './search-files.ts';
import { findSites } from './search-sites.ts';
import { formatRegion, type Region, readWish } from './search-wish.ts';

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
    task.open === 0 ? [] : task.specs.slice(-task.open).flatMap((spec) => readWish(spec, task.files).regions);

  mkdirSync(join(task.dir, 'specs'), { recursive: true });
  const titles: string[] = [];
  for (let number = 1; number <= task.wanted; number++) {
    const arm = pickArm(arms, records, busy, random);
    const title = `${capitalise(arm.focus)} on ${formatRegion(arm.region)}, round ${newest + number}`;
    const text = `---\ntitle: ${JSON.stringify(title)}\n---\n\n${bodyOf(arm, records.get(arm), newest + number, task)}`;
    writeFileSync(join(task.dir, 'specs', `draft-${number}.md`), text);
    busy.push(arm.region);
    titles.push(title);
  }
  return { kind: 'edited', title: `${titles.length} specs: ${titles.join('; ')}`, notes: '' };
};

/** Whether this chief would find anything in a file of the sandbox to write a spec about. */
export function findsIdeasIn(path: string, content: Buffer): boolean {
  const text = textIn(content);
  return text !== undefined && armsOf([{ path, text }]).length > 0;
}

const armsOf = (files: readonly SandboxFile[]): readonly Arm[] =>
  makeArms(files.flatMap((file) => findSites(file.path, file.text)));

/** A draw from what is thought of each arm: the less is known of it, the wider the draw. */
function pickArm(
  arms: readonly Arm[],
  records: ReadonlyMap<Arm, ArmTally>,
  busy: readonly Region[],
  random: Random,
): Arm {
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

function bodyOf(arm: Arm, record: ArmTally | undefined, round: number, task: AgentTask): string {
  const what = arm.focus === 'choices' ? 'the choices and the numbers in expressions' : 'the numbers';
  const share = record === undefined ? arm.hope : (record.kept + arm.hope * doubt) / (record.tried + doubt);
  return `Explore ${what} on ${formatRegion(arm.region)}. Try ${arm.focus}.

Hypothesis: of the draws of round ${round}, some are better there than what is there now. ${reasonFor(record, task)}
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
