import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  opendirSync,
  openSync,
  read,
  readSync,
  type Stats,
  write,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Brief } from '../../domain/words/brief.ts';
import { editTree, entryAt, filesOf, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { makeShownDirectory, scratchBytes } from '../../jail/cell.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { type Zones, zonesOf } from '../judge/boundary.ts';
import type { Files } from './arena-directory.ts';
import type { Room } from './measuring-room.ts';

/** Only these files of a tree are ever laid out: what the brief calls sandbox, harness and include. */
export function entriesOfZones(repo: Repo, tree: string, zones: Zones): Promise<Map<string, TreeEntry>> {
  return filesOf(
    repo,
    tree,
    (file) => (zones.sandbox.names(file) || zones.fixed.names(file)) && !zones.holdout.names(file),
    (dir) => zones.sandbox.leadsTo(dir) || zones.fixed.leadsTo(dir),
  );
}

/** A tree with the sandbox of another: what people have put beside it stays theirs. */
export async function withSandboxOf(repo: Repo, brief: Brief, tree: string, other: string): Promise<string> {
  const { names, leadsTo } = zonesOf(brief).sandbox;
  const [before, after] = await Promise.all([
    filesOf(repo, tree, names, leadsTo),
    filesOf(repo, other, names, leadsTo),
  ]);
  const gone = [...before.keys()].map((file) => [file, undefined] as const);
  const built = await editTree(repo, tree, new Map<string, TreeEntry | undefined>([...gone, ...after]));
  for (const object of built.objects) storeObject(repo, object);
  return built.oid;
}

/** Harness and includes; those that the candidate may see; its own. */
export type TrialFiles = Readonly<Record<'fixed' | 'open' | 'sandbox', Files>>;

/** The files of one measurement: the harness of the pinned tree, the rest of the candidate's. */
export async function trialFiles(repo: Repo, tree: string, pinned: PinnedBrief): Promise<TrialFiles> {
  const { brief } = pinned;
  const { fixed: zone, sandbox: own, holdout } = zonesOf(brief);
  const isFixed = (file: string): boolean => zone.names(file) && !isInHarness(brief, file);
  const leadsToFixed = (dir: string): boolean => zone.leadsTo(dir) && !isInHarness(brief, dir);
  const [harness, fixed, sandbox] = await Promise.all([
    harnessFiles(repo, tree, pinned),
    filesOf(repo, tree, isFixed, leadsToFixed),
    filesOf(repo, tree, own.names, own.leadsTo),
  ]);
  for (const [file, entry] of harness) fixed.set(file, entry);
  const open = new Map([...fixed].filter(([file]) => !holdout.names(file)));
  return { fixed, open, sandbox };
}

/** What tests see: the candidate's whole tree with the pinned harness, and nothing that is held out. */
export async function testedFiles(repo: Repo, tree: string, pinned: PinnedBrief): Promise<Files> {
  const { holdout } = zonesOf(pinned.brief);
  const all = (): boolean => true;
  const [whole, harness] = await Promise.all([filesOf(repo, tree, all, all), harnessFiles(repo, tree, pinned)]);
  const rest = [...whole].filter(([file, { mode, rawName }]) => {
    return !isInHarness(pinned.brief, file) && mode !== '160000' && rawName === undefined;
  });
  return new Map([...rest, ...harness].filter(([file]) => !holdout.names(file)));
}

const isInHarness = ({ harness }: Brief, file: string): boolean => file === harness || file.startsWith(`${harness}/`);

/** The harness by its pinned id: a whole tree, or the one file that it is. */
async function harnessFiles(repo: Repo, tree: string, pinned: PinnedBrief): Promise<Files> {
  const { brief, harness } = pinned;
  if ((await repo.reader.read(harness))?.type === 'blob') {
    const mode = (await entryAt(repo, tree, brief.harness))?.mode === '100755' ? '100755' : '100644';
    return new Map([[brief.harness, { mode, oid: harness }]]);
  }
  const all = (): boolean => true;
  const files = await filesOf(repo, harness, all, all);
  return new Map([...files].map(([file, entry]) => [`${brief.harness}/${file}`, entry]));
}

type HandingRoom = Pick<Room, 'out' | 'arena' | 'launchers'>;

/**
 * Brings what stage 1 wrote to where stage 2 reads it, in the time that the candidate has left. Gives what is wrong with the
 * output, if anything is. `isLate`: the time was over before all of it was looked at.
 */
export async function handOver(room: HandingRoom, mostMs: number, signal: AbortSignal) {
  const begun = performance.now();
  const spent = (): number => performance.now() - begun;
  const isOver = (): boolean => signal.aborted || spent() >= mostMs;
  const wrong = await lookThrough(room, isOver);
  return { wrong, isLate: wrong === undefined && isOver(), ms: spent() };
}

async function lookThrough({ out, arena, launchers }: HandingRoom, isOver: () => boolean): Promise<string | undefined> {
  const launcher = launchers.get(arena);
  // In a jail the arena has a directory in memory in place of out.
  const from = launcher?.pid === undefined ? undefined : launcher.jail?.outside(launcher.pid, out);
  try {
    return await takeOutput(from ?? out, from && out, { mostBytes: scratchBytes, isOver });
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return 'left something in $ORGREPO_OUT that cannot be read';
  } finally {
    launchers.get(arena)?.prepare();
  }
}

/** Files and directories together that may be left for stage 2. */
const mostEntries = 10_000;
const mostDepth = 20;

/** Other lanes wait this long at a time. */
const turnMs = 5;

/**
 * Checks the output of stage 1 as hostile: only regular files in directories, and only so many and so large. Returns what
 * is wrong, or undefined. With `to`, the checked files are copied there. A hole in a file counts as if it were filled.
 * Works in short turns, so that other lanes go on meanwhile. Stops where it is once the time `isOver`.
 */
export async function takeOutput(
  from: string,
  to: string | undefined,
  { mostBytes, isOver }: { readonly mostBytes: number; readonly isOver: () => boolean },
): Promise<string | undefined> {
  let [entries, bytes, since] = [0, 0, performance.now()];

  const takeTurns = async (): Promise<void> => {
    if (performance.now() - since < turnMs) return;
    await nextTurn();
    since = performance.now();
  };

  const enter = async (dir: string, depth: number): Promise<string | undefined> => {
    const opened = openDirectory(path.join(from, dir));
    try {
      for (let name = nextName(opened); name !== undefined && !isOver(); name = nextName(opened)) {
        const wrong = await look(dir, name, depth);
        if (wrong !== undefined) return wrong;
        await takeTurns();
      }
      return undefined;
    } finally {
      opened.closeSync();
    }
  };

  const look = async (dir: string, name: Buffer, depth: number): Promise<string | undefined> => {
    const file = path.join(dir, name.toString('utf8'));
    const shown = JSON.stringify(file);
    if (!Buffer.from(name.toString('utf8')).equals(name))
      return `left ${shown} in $ORGREPO_OUT, a name that is not UTF-8`;
    const stat = lstatSync(path.join(from, file));
    entries += 1;
    if (entries > mostEntries) return `left more than ${mostEntries} files and directories in $ORGREPO_OUT`;
    if (stat.isDirectory()) {
      if (depth >= mostDepth) return `left directories deeper than ${mostDepth} in $ORGREPO_OUT`;
      if (to !== undefined) makeShownDirectory(path.join(to, file));
      return enter(file, depth + 1);
    }
    if (!stat.isFile()) return `left ${shown} in $ORGREPO_OUT, which is no regular file`;
    if (stat.nlink > 1) return `left ${shown} in $ORGREPO_OUT, a file with more than one name`;
    bytes += stat.size;
    if (bytes > mostBytes) return `left more than ${mostBytes} bytes in $ORGREPO_OUT`;
    if (to !== undefined) await copyFile(path.join(from, file), path.join(to, file), stat, isOver);
    return undefined;
  };

  return enter('', 0);
}

/** Read some names at a time: a directory may hold more than we want to know. */
const openDirectory = (dir: string): Dir => opendirSync(dir, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });

const nextName = (dir: Dir): Buffer | undefined => (dir.readSync() as Dirent<Buffer> | null)?.name;

/** Not by a copy of the system's: that would follow a link which somebody put there meanwhile. */
async function copyFile(from: string, to: string, stat: Stats, isOver: () => boolean): Promise<void> {
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(source).isFile()) return;
    const target = openSync(to, 'wx', 0o644);
    try {
      fchmodSync(target, 0o644); // Stage 2 may be somebody else, whatever the umask.
      if (stat.size <= piece.length) copySmall(source, target, stat.size);
      else await copyLarge(source, target, stat, isOver);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

const piece = Buffer.alloc(64 * 1024);

/** At once: most outputs are small, and asking another thread takes longer than the copying. */
function copySmall(source: number, target: number, size: number): void {
  for (let done = 0; done < size; ) {
    const read = readSync(source, piece, 0, size - done, null);
    if (read === 0) break;
    for (let written = 0; written < read; ) written += writeSync(target, piece, written, read - written);
    done += read;
  }
}

const largePiece = 1024 * 1024;
const readPiece = promisify(read);
const writePiece = promisify(write);

/** By other threads. The holes of a sparse file stay holes: nobody waits until gigabytes of zeros are on the disk. */
async function copyLarge(source: number, target: number, stat: Stats, isOver: () => boolean): Promise<void> {
  const [buffer, zeros] = [Buffer.alloc(largePiece), Buffer.alloc(largePiece)];
  const isSparse = stat.blocks * 512 < stat.size;
  for (let done = 0; done < stat.size && !isOver(); ) {
    const { bytesRead } = await readPiece(source, buffer, 0, Math.min(largePiece, stat.size - done), done);
    if (bytesRead === 0) break;
    const isHole = isSparse && buffer.compare(zeros, 0, bytesRead, 0, bytesRead) === 0;
    for (let written = 0; written < bytesRead && !isHole; )
      written += (await writePiece(target, buffer, written, bytesRead - written, done + written)).bytesWritten;
    done += bytesRead;
  }
  if (isSparse) ftruncateSync(target, stat.size);
}
