import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from '../../git/repo.ts';
import { benchesDir, whyUnwritable } from '../../git/worktree.ts';
import { makeShownDirectory, scratchBytes, shownPaths } from '../../jail/cell.ts';
import type { JailLevel } from '../../jail/jail.ts';
import { removeTree, startOf } from '../../process/run-process.ts';
import { clearDirectory, type Fate, unlockDirectory } from '../../process/untrusted-files.ts';
import type { Org } from '../../records/org.ts';
import { orElse } from '../../text/otherwise.ts';
import {
  type DirectoryState,
  despiteRemoval,
  directoriesOf,
  emptyDirectory,
  readDirectory,
  removeRubbish,
  restoreDirectory,
} from './arena-directory.ts';
import type { Door } from './room-launcher.ts';
import { takeOutput } from './take-output.ts';
import type { Files } from './zone-files.ts';

/** Where rooms are: inside the repository, so that a harness finds what is installed there, and out of git's sight. */
export const roomsDir = path.join(benchesDir, '.trials');

/**
 * A place to measure in: the arena, where the candidate runs, and the judge's chamber, where it is scored. Used again
 * and again, because making directories costs more than looking whether they are as they should be; every file is
 * checked against the object store before each use.
 */
export interface Room {
  readonly dir: string;
  /** How well what runs in here is held. */
  readonly jail: JailLevel;
  /** What it shows of the machine beyond the usual. */
  readonly places: readonly string[];
  readonly arena: string;
  readonly chamber: string;
  /** What stage 1 writes and stage 2 reads. In a jail stage 1 has a directory in memory at this place. */
  readonly out: string;
  readonly tmp: string;
  /** What stage 2 is told of the candidate's files, in a directory of its own. */
  readonly told: string;
  readonly candidate: string;
  states: Map<string, DirectoryState>;
  /** Who starts what is run in a part; without a jail one does for all. */
  readonly doors: Map<string, Door>;
}

const idle = new Map<string, Room[]>();
let made = 0;

export function takeRoom(repo: Repo, jail: JailLevel, show: readonly string[]): Room {
  const places = shownPaths(show);
  return idle.get(keyOf(repo, { jail, places }))?.pop() ?? makeRoom(repo, jail, places);
}

/** Rooms of one kind can stand in for each other. */
const keyOf = (repo: Repo, { jail, places }: Pick<Room, 'jail' | 'places'>): string =>
  `${repo.root} ${[jail, ...places].join('\0')}`;

export function leaveRoom(repo: Repo, room: Room): void {
  for (const { launcher } of room.doors.values()) launcher.prepare();
  const key = keyOf(repo, room);
  idle.set(key, [...(idle.get(key) ?? []), room]);
}

export async function giveUp(room: Room): Promise<void> {
  for (const part of room.doors.keys()) closeDoor(room, part);
  await removeRubbish(room.dir);
}

type HandingRoom = Pick<Room, 'out' | 'arena' | 'doors'>;

interface HandedOver {
  /** What is wrong with the output, if anything is. */
  readonly wrong: string | undefined;
  /** True when the time was over before all of it was looked at. */
  readonly isLate: boolean;
  readonly ms: number;
}

/** Brings what stage 1 wrote to where stage 2 reads it, in the time that the candidate has left. */
export async function handOver(room: HandingRoom, mostMs: number, signal: AbortSignal): Promise<HandedOver> {
  const begun = performance.now();
  const spent = (): number => performance.now() - begun;
  const isOver = (): boolean => signal.aborted || spent() >= mostMs;
  const wrong = await lookThrough(room, isOver);
  return { wrong, isLate: wrong === undefined && isOver(), ms: spent() };
}

async function lookThrough(room: HandingRoom, isOver: () => boolean): Promise<string | undefined> {
  const from = heldBy(room);
  try {
    return await takeOutput(from ?? room.out, from && room.out, { mostBytes: scratchBytes, isOver });
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return 'left something in $ORGREPO_OUT that cannot be read';
  } finally {
    room.doors.get(room.arena)?.launcher.prepare();
  }
}

/** Where the arena's directory in memory is to be found from here. */
function heldBy(room: HandingRoom): string | undefined {
  const door = room.doors.get(room.arena);
  return door?.launcher.pid === undefined ? undefined : door.jail?.outside(door.launcher.pid, room.out);
}

export function closeDoor(room: Room, name: string): void {
  room.doors.get(name)?.launcher.close();
  room.doors.delete(name);
}

/** Makes a part of the room hold exactly these files. */
export async function furnish(repo: Repo, room: Room, part: string, files: Files): Promise<void> {
  const before = room.states.get(part) ?? emptyDirectory;
  await despiteRemoval(async () => {
    makeShownDirectory(part);
    if (room.jail === 'none') await removeStrangers(part, files);
    const found = readDirectory(repo, part, before, () => false);
    room.states.set(part, await restoreDirectory(repo, part, found, files));
  });
}

/** False when something that was laid out here is gone. */
export function isWhole(room: Room): boolean {
  const parts = [...room.states].map(([part, { files }]) => [...files.keys()].map((file) => path.join(part, file)));
  return [room.out, room.tmp, ...parts.flat()].every(
    (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
  );
}

/** Without a jail a candidate can leave anything here. It goes before anybody reads it: there may be very much of it. */
async function removeStrangers(part: string, files: Files): Promise<void> {
  const directories = new Set([...files.keys()].flatMap(directoriesOf));
  const fateOf = (file: string): Fate => (files.has(file) ? 'kept' : directories.has(file) ? 'entered' : 'removed');
  if (clearDirectory(part, fateOf)) return;
  await removeRubbish(part);
  makeShownDirectory(part);
}

/** Empties what a candidate may write to, so that it finds nothing of those before it and leaves nothing for those after. */
export async function sweep(room: Room): Promise<void> {
  const { arena, chamber, out, tmp, told } = room;
  const places = [arena, chamber, out, tmp, told, ...[...room.doors.values()].map(({ launcher }) => launcher.dir)];
  const known = new Set(places.map((place) => path.basename(place)));
  makeRoomDirectory(room.dir); // A person may delete .worktrees at any time.
  if (!clearDirectory(room.dir, (name) => (known.has(name) ? 'kept' : 'removed'))) {
    await giveUp(room);
    makeRoomDirectory(room.dir);
  }
  await empty(room, out);
  await empty(room, tmp);
  makeShownDirectory(told);
}

async function empty(room: Room, dir: string): Promise<void> {
  unlockDirectory(dir);
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() && clearDirectory(dir)) return;
  closeDoor(room, room.chamber); // Its cells would go on seeing the directory that is gone.
  await removeRubbish(dir);
  makeShownDirectory(dir);
}

/** Gives up all rooms of this process. */
async function clearRooms(repo: Repo): Promise<void> {
  for (const [key, rooms] of idle) {
    if (!key.startsWith(`${repo.root} `)) continue;
    idle.delete(key);
    for (const room of rooms) await giveUp(room);
  }
  orElse(() => rmdirSync(path.join(repo.root, roomsDir)), undefined); // Somebody else may measure here too.
}

/** Whose room a directory is; rooms of processes that are gone may be swept away. */
export function isAbandoned(name: string): boolean {
  const [pid, start] = name.split('-');
  return startOf(Number(pid)) !== start;
}

/** Nobody else on this machine looks into a room; cells are shown its parts. */
function makeRoomDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
}

function makeRoom(repo: Repo, jail: JailLevel, places: readonly string[]): Room {
  const unwritable = whyUnwritable(repo);
  if (unwritable !== undefined) throw unwritable;
  const dir = path.join(repo.root, roomsDir, `${process.pid}-${startOf(process.pid)}-${++made}`);
  removeTree(dir);
  makeRoomDirectory(dir);
  const part = (name: string): string => path.join(dir, name);
  return {
    dir,
    jail,
    places,
    arena: part('arena'),
    chamber: part('judge'),
    out: part('out'),
    tmp: part('tmp'),
    told: part('told'),
    candidate: path.join(part('told'), 'candidate.json'),
    states: new Map(),
    doors: new Map(),
  };
}

/** Ends git's companions and leaves no room behind. */
export async function closeOrg(org: Org): Promise<void> {
  await clearRooms(org.repo);
  await org.repo.close();
}
