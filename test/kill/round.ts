import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from './chance.ts';
import { type Checked, checkOrg } from './checker.ts';
import { lookAround, type Memory, newMemory } from './memory.ts';
import { type Process, processesIn } from './processes.ts';
import {
  deleteBench,
  makeScene,
  moveTarget,
  PersonBlocked,
  removeScene,
  rewordBrief,
  type Scene,
  tidyUp,
} from './scene.ts';
import { type Ended, endEverything, killSomewhere, start, stillThere, type Victim } from './victim.ts';

export interface Plan {
  readonly bundle: string;
  readonly kills: number;
  /** How many kills lie between two full checks. */
  readonly every: number;
  readonly chance: Chance;
  readonly keep: boolean;
  /** Whether `orgrepo verify` is asked too: not of a variant, which the independent checker must catch alone. */
  readonly verifies: boolean;
  /** Told after each full check how many kills there were since the last; false ends the round early. */
  readonly goesOn: (checked: Checked, since: number) => boolean;
}

export interface Round extends Checked {
  readonly kills: number;
  /** What each run had said last when it was killed. */
  readonly moments: readonly string[];
  readonly dir: string;
}

/** One org: killed again and again while people meddle with it, then left alone for a run that must put everything right. */
export async function playRound(plan: Plan): Promise<Round> {
  const scene = makeScene();
  const played = await killOverAndOver(scene, plan);
  await endEverything(scene); // Whoever is left would go on for ever in a directory that is gone.
  if (played.findings.length === 0 && !plan.keep) removeScene(scene);
  return { ...played, dir: scene.org.dir };
}

async function killOverAndOver(scene: Scene, plan: Plan): Promise<Omit<Round, 'dir'>> {
  const { chance, bundle } = plan;
  const memory = newMemory();
  let leftover: Process[] = [];
  let checked = { findings: [] as readonly string[], experiments: 0, keeps: 0, recoveries: 0 };
  const moments: string[] = [];
  let kills = 0;
  while (kills < plan.kills) {
    const before = await blocked(beforehand(scene, chance));
    // Mostly the same seed: a run that forgot a candidate then hits upon the same one again.
    const seed = chance.happens(0.6) ? 1 : 1 + Math.floor(chance.number(1e6));
    const victim = start(scene, bundle, ['run', '--json', '--seed', `${seed}`], memory);
    const meddling = blocked(meanwhile(scene, victim, chance, bundle, memory));
    const ended = await killSomewhere(victim, chance);
    kills += 1;
    moments.push(ended.facts.at(-1) ?? 'start');
    const findings = [...before, ...(await meddling), ...failures(ended)];
    findings.push(...lookAround(scene.org.dir, scene.trunk, memory));
    if (ended.facts.includes('run-start'))
      findings.push(
        ...stillThere(scene, leftover).map(({ command }) => `process: a run let this one live: ${command}`),
      );
    leftover = processesIn(scene.org.dir);
    if (chance.happens(0.25)) await endEverything(scene);
    const full = kills % plan.every === 0;
    if (full) checked = checkOrg(scene, memory, false);
    if (full && plan.verifies) findings.push(...wronglyAccused(scene, bundle));
    if (findings.length > 0 || checked.findings.length > 0)
      return { ...checked, kills, moments, findings: [...findings, ...checked.findings] };
    if (full && !plan.goesOn(checked, plan.every)) break;
  }
  const last = await start(scene, bundle, ['run', '--json', '--max', '3'], memory).ended;
  await wait(20); // The harness of the last trial may be on its way out.
  checked = checkOrg(scene, memory, true);
  const wrong = [...(last.code === 0 ? [] : failures(last)), ...(plan.verifies ? wronglyAccused(scene, bundle) : [])];
  return { ...checked, kills, moments, findings: [...wrong, ...checked.findings] };
}

/** A killed run leaves open ends, but nobody has tampered with anything. */
function wronglyAccused(scene: Scene, bundle: string): string[] {
  const ran = spawnSync(process.execPath, [bundle, 'verify'], { cwd: scene.org.dir, encoding: 'utf8' });
  return ran.status === 0 ? [] : [`verify: it ended with ${ran.status}: ${`${ran.stdout}${ran.stderr}`.trim()}`];
}

/** A run that is left alone ends well or not at all. */
function failures(ended: Ended): string[] {
  return ended.code === undefined || ended.code === 0
    ? []
    : [`run: it ended by itself with ${ended.code}: ${ended.said.trim()}`];
}

async function blocked(doing: Promise<void>): Promise<string[]> {
  try {
    await doing;
    return [];
  } catch (error) {
    if (error instanceof PersonBlocked) return [`person: ${error.message}`];
    throw error;
  }
}

/** What people do while nothing runs. */
async function beforehand(scene: Scene, chance: Chance): Promise<void> {
  if (chance.happens(0.06)) await rewordBrief(scene);
  if (chance.happens(0.08)) await moveTarget(scene, Math.round(chance.number(4000)) / 100);
  if (chance.happens(0.05)) deleteBench(scene, (names) => chance.pick(names));
  if (chance.happens(0.04)) tidyUp(scene, 'worktree', 'prune');
  if (chance.happens(0.04) && processesIn(scene.org.dir).length === 0)
    tidyUp(scene, 'gc', '--quiet', chance.happens(0.5) ? '--prune=now' : '--prune=2.weeks.ago');
}

/** What people do while it runs; settles when they are done. */
async function meanwhile(scene: Scene, victim: Victim, chance: Chance, bundle: string, memory: Memory): Promise<void> {
  const what = chance.number(1);
  const delay = chance.number(300);
  const target = Math.round(chance.number(4000)) / 100;
  const bench = chance.number(1);
  const title = `an idea of a person's, ${Math.floor(chance.number(1e9))}`;
  if (what > 0.2) return;
  await Promise.race([wait(150 + delay), victim.ended]);
  if (what < 0.04) return rewordBrief(scene);
  if (what < 0.08) return moveTarget(scene, target);
  if (what < 0.1) return deleteBench(scene, (names) => names[Math.floor(bench * names.length)]);
  if (what < 0.15) await exitOf(spawn('git', ['gc', '--quiet'], { cwd: scene.org.dir, stdio: 'ignore' }));
  else await submit(scene, bundle, title, memory);
}

/** A person's spec goes on the queue, whatever happens to the run meanwhile; only a lock that a kill left may be in its way. */
async function submit(scene: Scene, bundle: string, title: string, memory: Memory): Promise<void> {
  const code = await exitOf(
    spawn(process.execPath, [bundle, 'submit', title], { cwd: scene.org.dir, stdio: 'ignore' }),
  );
  if (code === 0) memory.submitted.add(title);
  else if (code !== 75) throw new PersonBlocked(`orgrepo submit ended with ${code}`);
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit');
  return code as number | null;
}
