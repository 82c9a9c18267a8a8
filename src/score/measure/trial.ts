import { setTimeout as wait } from 'node:timers/promises';
import { everybodyIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Outcome } from '../../domain/words/experiment.ts';
import { readNumbers } from '../../domain/words/printed-numbers.ts';
import type { TreeEntry } from '../../git/objects/tree.ts';
import { placesOfRepo, type Repo } from '../../git/repo.ts';
import { hiddenWith, isRoot } from '../../jail/cell.ts';
import { findLevel, howToJail, type JailLevel, whyNot } from '../../jail/jail.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { commandLine, type Ran } from '../../process/run-process.ts';
import { writeRegularFile } from '../../process/untrusted-files.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { contentOf, isGone } from '../arena/arena-directory.ts';
import {
  discardRoom,
  fillRoom,
  isWhole,
  type Room,
  returnRoom,
  roomEnvironment,
  runIn,
  sweep,
  takeRoom,
} from '../arena/measuring-room.ts';
import { handOver, type TrialFiles, trialFiles } from '../arena/trial-files.ts';

/** The org whose tree is measured, and the brief and harness that measure it. */
export interface MeasureContext {
  readonly org: Org;
  readonly pinned: PinnedBrief;
  readonly signal: AbortSignal;
}

export interface Trial {
  readonly outcome: Outcome;
  readonly seconds: number;
  /** One name for each earlier measurement that was disturbed. */
  readonly disturbed?: readonly string[];
}

/** A trial, and the rooms it was made in. */
export interface Measured extends Trial {
  readonly rooms: readonly string[];
}

/**
 * Measures a tree once: in a directory filled from the object store, with the harness of the pinned tree and the sandbox
 * of the candidate. The origin of the tree makes no difference.
 */
export async function measure(context: MeasureContext, tree: string, seed: number): Promise<Measured> {
  const { org, pinned, signal } = context;
  const jail = await levelOf(org);
  const [monotonic, wall] = [performance.now(), Date.now()];
  let outcome: Outcome | undefined;
  let room = takeRoom(org.repo, jail, pinned.brief.show);
  const rooms = [room.dir];
  let disturbed = 0;
  while (outcome === undefined) {
    const one = await measureOnce(context, tree, seed, room).catch(async (error) => {
      if (isGone(error)) return removed;
      await discardRoom(room); // The next room is new, whatever is wrong with this one.
      throw error;
    });
    // Where something was missing just now, the rest may still be about to go.
    const isUndisturbed = one.kind === 'scored' || (one !== removed && isWhole(room));
    if (isUndisturbed || signal.aborted || ++disturbed > mostDisturbed(jail)) outcome = one;
    else {
      await discardRoom(room); // A person may delete .worktrees at any time; the candidate is not to blame.
      await wait(Math.min(1_000, 25 * 2 ** disturbed)); // While it goes on, a new one would be deleted with the rest.
      room = takeRoom(org.repo, jail, pinned.brief.show);
      rooms.push(room.dir);
    }
  }
  returnRoom(room);
  const seconds = (performance.now() - monotonic) / 1000;
  // The monotonic clock stands still while a machine sleeps and the wall clock does not.
  const lost = (Date.now() - wall) / 1000 - seconds;
  const slept = `the machine slept or its clock was set by ${lost.toFixed(0)} s during the measurement`;
  if (lost > 2) outcome = { kind: 'void', reason: slept };
  if (signal.aborted) outcome = { kind: 'void', reason: 'cancelled' };
  return { outcome, seconds, rooms };
}

async function measureOnce(context: MeasureContext, tree: string, seed: number, room: Room): Promise<Outcome> {
  const { brief } = context.pinned;
  const { experimentMs } = brief.budget;
  const files = await trialFiles(room.repo, tree, context.pinned);
  const stage = await openStages(room, files, seed, context.signal);
  if (brief.run === undefined) return readRan(await stage(brief.score, room.arena, experimentMs, {}), brief, 0);
  const ran = await stage(brief.run, room.arena, experimentMs, {});
  const failed = failureOf(ran, 'run', 0);
  if (failed !== undefined) return failed;
  const { wrong, isLate, ms } = await handOver(room, experimentMs - ran.ms, context.signal);
  if (wrong !== undefined) return { kind: 'crashed', reason: `run ${wrong}`, output: outputOf(ran) };
  const usedMs = ran.ms + ms; // To look through an output and to copy it takes time as well.
  if (isLate) return { kind: 'timed-out', afterMs: usedMs, output: outputOf(ran) };
  // The chamber has the candidate's output and a list of its files, but none of its code.
  await fillRoom(room, room.chamber, files.fixed);
  const described = JSON.stringify({ files: await describe(room.repo, files.sandbox) });
  writeRegularFile(room.candidate, Buffer.from(described), 0o644);
  const left = Math.max(1, experimentMs - usedMs);
  const judged = await stage(brief.score, room.chamber, left, { ORGREPO_CANDIDATE: room.candidate });
  const outcome = readRan(judged, brief, usedMs);
  if (outcome.kind === 'scored') return { ...outcome, output: `${ran.stdout.text}\n${ran.stderr.text}` };
  return outcome.kind === 'void' ? outcome : { ...outcome, stage: 'score' };
}

/** Lays a candidate out in a room, and returns a function that runs a command there. */
async function openStages(room: Room, files: TrialFiles, seed: number, signal: AbortSignal) {
  await sweep(room);
  await fillRoom(room, room.arena, new Map([...files.open, ...files.sandbox]));
  const env = { ...roomEnvironment(room), ORGREPO_SEED: String(seed) };
  return (line: string, part: string, deadlineMs: number, extra: Record<string, string>): Promise<Ran> =>
    runIn(room, part, { ...commandLine(line), cwd: part, env: { ...env, ...extra }, deadlineMs }, signal);
}

/** Runs only the first command of a measurement on a tree, which an agent may see before it is done. */
export async function runFirstStage({ org, pinned, signal }: MeasureContext, tree: string, seed: number): Promise<Ran> {
  const { brief } = pinned;
  const room = takeRoom(org.repo, await levelOf(org), brief.show);
  try {
    const stage = await openStages(room, await trialFiles(org.repo, tree, pinned), seed, signal);
    const ran = await stage(brief.run ?? brief.score, room.arena, brief.budget.experimentMs, {});
    returnRoom(room);
    return ran;
  } catch (error) {
    await discardRoom(room);
    throw error;
  }
}

const removed: Outcome = { kind: 'crashed', reason: 'the directory it was measured in was removed', output: '' };

/** A candidate that destroys its room again and again is to blame after all. In a jail it cannot. */
const mostDisturbed = (jail: JailLevel): number => (jail === 'none' ? 5 : 100);

/** The sizes of the candidate's files, for stage 2: the candidate itself cannot lie about them. */
async function describe(repo: Repo, files: ReadonlyMap<string, TreeEntry>) {
  return Promise.all(
    [...files].map(async ([file, entry]) => {
      const content = await contentOf(repo, entry.oid);
      return { path: file, bytes: content.length, lines: countLines(content) };
    }),
  );
}

function countLines(content: Buffer): number {
  let lines = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (const byte of content) if (byte === 10) lines += 1;
  return lines;
}

function readRan(ran: Ran, brief: Brief, before: number): Outcome {
  const failed = failureOf(ran, 'score', before);
  if (failed !== undefined) return failed;
  const read = readNumbers(ran.stdout.text, brief.metric, brief.pattern);
  if (read.kind === 'crash') return { kind: 'crashed', reason: read.reason, output: outputOf(ran) };
  return { kind: 'scored', score: read.score, samples: [read.score], numbers: read.numbers };
}

function failureOf(ran: Ran, stage: 'run' | 'score', before: number): Outcome | undefined {
  if (ran.timedOut) return { kind: 'timed-out', afterMs: ran.ms + before, output: outputOf(ran) };
  if (ran.notStarted !== undefined)
    return { kind: 'crashed', reason: `${stage} could not be started: ${ran.notStarted}`, output: '' };
  if (ran.code === 0) return undefined;
  const how = ran.code === undefined ? `was ended by ${ran.signal}` : `ended with ${ran.code}`;
  const said = complaintIn(ran.stderr.text);
  return { kind: 'crashed', reason: `${stage} ${how}${said === '' ? '' : `: ${said}`}`, output: outputOf(ran) };
}

/** The line of a stack trace that says what went wrong, else the last line. */
function complaintIn(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^Node\.js v/.test(line));
  return (lines.find((line) => /^\w*(Error|Exception)\b.*:/.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}

const outputOf = (ran: Ran): string => `${ran.stdout.text.slice(-2000)}\n${ran.stderr.text.slice(-2000)}`.trim();

/** The jail that this org's candidates run in. */
export async function levelOf(org: Org): Promise<JailLevel> {
  const level = await findLevel(org.jail);
  if (level !== undefined && level !== 'none') refuseUnhidable(org.repo);
  if (level !== undefined) return level;
  throw new Problem(
    'machine/jail',
    `this machine cannot hold candidates as --jail ${org.jail} asks (${await whyNone()})`,
    `${howToJail()} Or let them run free: --jail none`,
  );
}

/** Why this machine has no walls of either kind, in words. */
export async function whyNone(): Promise<string> {
  const why = (['bubblewrap', 'namespaces'] as const).map(async (walls) => `${walls}: ${await whyNot(walls)}`);
  return (await Promise.all(why)).join('; ');
}

/**
 * Refuses agents that run somebody else's code where nothing would hold it and it would be root, unless a person said so
 * aloud. The embedded agents only change numbers.
 */
export async function refuseUnheldRoot(org: Org, { brief }: PinnedBrief): Promise<void> {
  if (!isRoot() || org.jail !== 'auto' || (await findLevel(org.jail)) !== 'none') return;
  const foreign = everybodyIn(brief.staff).filter(({ kind }) => kind !== 'search' && kind !== 'human');
  if (foreign.length === 0) return;
  throw new Problem(
    'person/unjailed',
    `orgrepo runs as root and this machine has no jail (${await whyNone()}): what agents write would run as root`,
    `${howToJail()} Or say that you want it so: --jail none`,
  );
}

const hidable = new WeakSet<Repo>();

/** A repository that is /usr/local, or holds it, cannot be hidden without the programs in there. */
function refuseUnhidable(repo: Repo): void {
  if (hidable.has(repo)) return;
  for (const dir of placesOfRepo(repo)) {
    const part = hiddenWith(dir);
    if (part === undefined) continue;
    throw new Problem(
      'machine/jail',
      `the repository is in ${dir}, and programs need ${part}: no jail can hide the one and show the other`,
      'Clone it into a directory of its own and run there, or let candidates run free: --jail none',
    );
  }
  hidable.add(repo);
}
