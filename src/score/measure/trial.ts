import { setTimeout as wait } from 'node:timers/promises';
import { readNumbers } from '../../brief/read/metric-lines.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Outcome } from '../../domain/words/experiment.ts';
import { entryAt, filesOf, type TreeEntry } from '../../git/objects/tree.ts';
import type { JailLevel } from '../../jail/jail.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { commandLine, type Ran } from '../../process/run-process.ts';
import { writeRegularFile } from '../../process/untrusted-files.ts';
import type { Org } from '../../records/org.ts';
import { isGone } from '../arena/arena-directory.ts';
import { levelOf } from '../arena/jail-of-org.ts';
import { furnish, giveUp, handOver, isWhole, leaveRoom, type Room, sweep, takeRoom } from '../arena/measuring-room.ts';
import { roomEnvironment, runIn } from '../arena/room-launcher.ts';
import { contentOf, zonesOf } from '../arena/zone-files.ts';

export interface Trial {
  readonly outcome: Outcome;
  readonly seconds: number;
  /** Who made earlier measurements of it void, one name for each. */
  readonly disturbed?: readonly string[];
}

/** A trial, and the rooms it was made in. */
export interface Measured extends Trial {
  readonly rooms: readonly string[];
}

/**
 * Measures a tree once: in a directory filled from the object store, with the harness of the pinned tree and the sandbox
 * of the candidate, never the other way about. Nothing here depends on where the tree came from.
 */
export async function measure(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  seed: number,
  signal: AbortSignal,
): Promise<Measured> {
  const jail = await levelOf(org);
  const [monotonic, wall] = [performance.now(), Date.now()];
  let outcome: Outcome | undefined;
  let room = takeRoom(org.repo, jail, pinned.brief.show);
  const rooms = [room.dir];
  let disturbed = 0;
  while (outcome === undefined) {
    const one = await measureOnce(org, { tree, pinned, seed }, room, signal).catch(async (error) => {
      if (isGone(error)) return removed;
      await giveUp(room); // Whatever is wrong with it, the next one is new.
      throw error;
    });
    // Where something was missing just now, the rest may still be about to go.
    const isUndisturbed = one.kind === 'scored' || (one !== removed && isWhole(room));
    if (isUndisturbed || signal.aborted || ++disturbed > mostDisturbed(jail)) outcome = one;
    else {
      await giveUp(room); // A person may delete .worktrees at any time; the candidate is not to blame.
      await wait(Math.min(1_000, 25 * 2 ** disturbed)); // While it goes on, a new one would be deleted with the rest.
      room = takeRoom(org.repo, jail, pinned.brief.show);
      rooms.push(room.dir);
    }
  }
  leaveRoom(org.repo, room);
  const seconds = (performance.now() - monotonic) / 1000;
  const lost = (Date.now() - wall) / 1000 - seconds;
  // The monotonic clock stands still while a machine sleeps and the wall clock does not.
  if (lost > 2)
    outcome = {
      kind: 'void',
      reason: `the machine slept or its clock was set by ${lost.toFixed(0)} s during the measurement`,
    };
  if (signal.aborted) outcome = { kind: 'void', reason: 'cancelled' };
  return { outcome, seconds, rooms };
}

async function measureOnce(
  org: Org,
  { tree, pinned, seed }: { readonly tree: string; readonly pinned: PinnedBrief; readonly seed: number },
  room: Room,
  signal: AbortSignal,
): Promise<Outcome> {
  const { brief } = pinned;
  const files = await trialFiles(org, tree, pinned);
  const stage = await openStages(org, files, room, seed, signal);
  if (brief.run === undefined)
    return readRan(await stage(brief.score, room.arena, brief.budget.experimentMs, {}), 'score', brief, 0);
  const ran = await stage(brief.run, room.arena, brief.budget.experimentMs, {});
  const failed = failureOf(ran, 'run', 0);
  if (failed !== undefined) return failed;
  const handed = await handOver(room, brief.budget.experimentMs - ran.ms, signal);
  const { wrong, isLate } = handed;
  if (wrong !== undefined) return { kind: 'crashed', reason: `run ${wrong}`, output: outputOf(ran) };
  const usedMs = ran.ms + handed.ms; // To look through an output and to copy it takes time as well.
  if (isLate) return { kind: 'timed-out', afterMs: usedMs, output: outputOf(ran) };
  // The judge's chamber has the candidate's output and a list of its files, but none of its code.
  await furnish(org.repo, room, room.chamber, files.fixed);
  writeRegularFile(room.candidate, Buffer.from(JSON.stringify({ files: await describe(org, files.sandbox) })), 0o644);
  const left = Math.max(1, brief.budget.experimentMs - usedMs);
  const judged = await stage(brief.score, room.chamber, left, { ORGREPO_CANDIDATE: room.candidate });
  const outcome = readRan(judged, 'score', brief, usedMs);
  if (outcome.kind === 'scored') return { ...outcome, output: `${ran.stdout.text}\n${ran.stderr.text}` };
  return outcome.kind === 'void' ? outcome : { ...outcome, stage: 'score' };
}

/** Lays a candidate out in a room, and gives what runs a command there. */
async function openStages(org: Org, files: TrialFiles, room: Room, seed: number, signal: AbortSignal) {
  await sweep(room);
  await furnish(org.repo, room, room.arena, new Map([...files.open, ...files.sandbox]));
  const env = { ...roomEnvironment(org.repo, room), ORGREPO_SEED: String(seed) };
  return (line: string, part: string, deadlineMs: number, extra: Record<string, string>): Promise<Ran> =>
    runIn(org.repo, room, part, { ...commandLine(line), cwd: part, env: { ...env, ...extra }, deadlineMs }, signal);
}

/** Runs the first command of a measurement on a tree, and no more: what an agent may see of it before it is done. */
export async function runFirstStage(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  seed: number,
  signal: AbortSignal,
): Promise<Ran> {
  const { brief } = pinned;
  const room = takeRoom(org.repo, await levelOf(org), brief.show);
  try {
    const stage = await openStages(org, await trialFiles(org, tree, pinned), room, seed, signal);
    const ran = await stage(brief.run ?? brief.score, room.arena, brief.budget.experimentMs, {});
    leaveRoom(org.repo, room);
    return ran;
  } catch (error) {
    await giveUp(room);
    throw error;
  }
}

const removed: Outcome = { kind: 'crashed', reason: 'the directory it was measured in was removed', output: '' };

/** A candidate that destroys its room again and again is to blame after all. In a jail it cannot. */
const mostDisturbed = (jail: JailLevel): number => (jail === 'none' ? 5 : 100);

interface TrialFiles {
  /** Harness and includes; those that the candidate may see; its own. */
  readonly fixed: ReadonlyMap<string, TreeEntry>;
  readonly open: ReadonlyMap<string, TreeEntry>;
  readonly sandbox: ReadonlyMap<string, TreeEntry>;
}

async function trialFiles(org: Org, tree: string, pinned: PinnedBrief): Promise<TrialFiles> {
  const { repo } = org;
  const { brief } = pinned;
  const zones = zonesOf(brief);
  const inHarness = (file: string): boolean => file === brief.harness || file.startsWith(`${brief.harness}/`);
  const [harness, fixed, sandbox] = await Promise.all([
    harnessFiles(org, tree, pinned),
    filesOf(
      repo,
      tree,
      (file) => zones.fixed.names(file) && !inHarness(file),
      (dir) => zones.fixed.leadsTo(dir) && !inHarness(dir),
    ),
    filesOf(repo, tree, zones.sandbox.names, zones.sandbox.leadsTo),
  ]);
  for (const [file, entry] of harness) fixed.set(file, entry);
  const open = new Map([...fixed].filter(([file]) => !zones.holdout.names(file)));
  return { fixed, open, sandbox };
}

/** The harness by its pinned id: all that is in its tree, or the one file that it is. */
async function harnessFiles(
  { repo }: Org,
  tree: string,
  { brief, harness }: PinnedBrief,
): Promise<Map<string, TreeEntry>> {
  if ((await repo.reader.read(harness))?.type === 'blob') {
    const mode = (await entryAt(repo, tree, brief.harness))?.mode === '100755' ? '100755' : '100644';
    return new Map([[brief.harness, { mode, oid: harness }]]);
  }
  const all = (): boolean => true;
  const files = await filesOf(repo, harness, all, all);
  return new Map([...files].map(([file, entry]) => [`${brief.harness}/${file}`, entry]));
}

/** What stage 2 is told of the candidate: sizes that the candidate itself cannot lie about. */
async function describe(org: Org, files: ReadonlyMap<string, TreeEntry>) {
  return Promise.all(
    [...files].map(async ([file, entry]) => {
      const content = await contentOf(org.repo, entry.oid);
      return { path: file, bytes: content.length, lines: countLines(content) };
    }),
  );
}

function countLines(content: Buffer): number {
  let lines = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (const byte of content) if (byte === 10) lines += 1;
  return lines;
}

function readRan(ran: Ran, stage: 'run' | 'score', brief: Brief, before: number): Outcome {
  const failed = failureOf(ran, stage, before);
  if (failed !== undefined) return failed;
  const read = readNumbers(ran.stdout.text, brief.metric);
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
