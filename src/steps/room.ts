import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Repo } from '../git/repo.ts';
import { benchesDir } from '../git/worktree.ts';
import { type Launcher, openLauncher } from '../launcher.ts';
import { type Command, type Ran, runCommand, startOf } from '../process.ts';
import {
  type DirectoryState,
  despiteRemoval,
  emptyDirectory,
  readDirectory,
  removeTree,
  restoreDirectory,
} from './directory.ts';
import type { Files } from './files.ts';

/** Where rooms are: inside the repository, so that a harness finds what is installed there, and out of git's sight. */
export const roomsDir = path.join(benchesDir, '.trials');

/**
 * A place to measure in: the arena, where the candidate runs, and the judge's chamber, where it is scored. Used again
 * and again, because making directories costs more than looking whether they are as they should be; every file is
 * checked against the object store before each use.
 */
export interface Room {
  readonly dir: string;
  readonly arena: string;
  readonly chamber: string;
  readonly out: string;
  readonly tmp: string;
  /** What stage 2 is told of the candidate's files. */
  readonly candidate: string;
  states: Map<string, DirectoryState>;
  /** Starts what is run in here; undefined before the first time, and where there is no shell for it. */
  launcher: Launcher | undefined;
}

const idle = new Map<string, Room[]>();
let made = 0;

export function takeRoom(repo: Repo): Room {
  return idle.get(repo.root)?.pop() ?? makeRoom(repo);
}

export function leaveRoom(repo: Repo, room: Room): void {
  idle.set(repo.root, [...(idle.get(repo.root) ?? []), room]);
}

export function giveUp(room: Room): void {
  closeLauncher(room);
  removeTree(room.dir);
}

/** Runs a command in a room. */
export async function runIn(room: Room, command: Command, signal: AbortSignal): Promise<Ran> {
  room.launcher ??= await openLauncher(path.join(room.dir, `launcher-${++made}`), command.env);
  const ran = await room.launcher?.run(command, signal);
  if (ran !== undefined) return ran;
  closeLauncher(room);
  return runCommand(command, signal);
}

function closeLauncher(room: Room): void {
  room.launcher?.close();
  room.launcher = undefined;
}

/** Makes a part of the room hold exactly these files. */
export async function furnish(repo: Repo, room: Room, part: string, files: Files): Promise<void> {
  const before = room.states.get(part) ?? emptyDirectory;
  await despiteRemoval(async () => {
    mkdirSync(part, { recursive: true });
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

/** Empties what a candidate may write to, so that it finds nothing of those before it and leaves nothing for those after. */
export function sweep(room: Room): void {
  const { arena, chamber, out, tmp, candidate } = room;
  const known = [arena, chamber, out, tmp, candidate, room.launcher?.dir];
  mkdirSync(room.dir, { recursive: true }); // A person may delete .worktrees at any time.
  for (const name of readdirSync(room.dir)) {
    const place = path.join(room.dir, name);
    if (!known.includes(place)) removeTree(place);
  }
  empty(out);
  empty(tmp);
}

function empty(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory()) for (const name of readdirSync(dir)) removeTree(path.join(dir, name));
  else {
    removeTree(dir);
    mkdirSync(dir, { recursive: true });
  }
}

/** Gives up all rooms of this process. */
export function clearRooms(repo: Repo): void {
  for (const room of idle.get(repo.root) ?? []) giveUp(room);
  idle.delete(repo.root);
  try {
    rmSync(path.join(repo.root, roomsDir), { recursive: false, force: true });
  } catch {
    // Somebody else measures here too, or there never was one.
  }
}

/** Whose room a directory is; rooms of processes that are gone may be swept away. */
export function isAbandoned(name: string): boolean {
  const [pid, start] = name.split('-');
  return startOf(Number(pid)) !== start;
}

function makeRoom(repo: Repo): Room {
  const dir = path.join(repo.root, roomsDir, `${process.pid}-${startOf(process.pid)}-${++made}`);
  removeTree(dir);
  mkdirSync(dir, { recursive: true });
  const part = (name: string): string => path.join(dir, name);
  return {
    dir,
    arena: part('arena'),
    chamber: part('judge'),
    out: part('out'),
    tmp: part('tmp'),
    candidate: part('candidate.json'),
    states: new Map(),
    launcher: undefined,
  };
}
