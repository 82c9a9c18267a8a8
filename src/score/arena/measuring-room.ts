import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { placesOfRepo, type Repo } from '../../git/repo.ts';
import { benchesDir, whyUnwritable } from '../../git/worktree.ts';
import { homeWith, machineFor, makeShownDirectory, packagesOf, scratchBytes, shownPaths } from '../../jail/cell.ts';
import { type Jail, type JailLevel, jailOf, whyNoCell } from '../../jail/jail.ts';
import { type Launcher, openLauncher } from '../../process/launcher.ts';
import { enterNeighbour } from '../../process/neighbours.ts';
import { type ProcessCommand, type Ran, removeTree, runCommand, startOf } from '../../process/run-process.ts';
import { clearDirectory, type Fate, unlockDirectory } from '../../process/untrusted-files.ts';
import type { Org } from '../../records/org.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { orElse, Problem } from '../../text/problem.ts';
import {
  type DirectoryState,
  despiteRemoval,
  directoriesOf,
  emptyDirectory,
  type Files,
  readDirectory,
  removeRubbish,
  restoreDirectory,
} from './arena-directory.ts';

/** Rooms are inside the repository, so that a harness finds what is installed there. Git ignores the directory. */
export const roomsDir = path.join(benchesDir, '.trials');

/**
 * A directory to measure in: the candidate runs in the arena and is scored in the chamber. Rooms are used again, because
 * checking directories costs less than making them. Every file is checked against the object store before each use.
 */
export interface Room {
  readonly repo: Repo;
  readonly dir: string;
  readonly jail: JailLevel;
  /** Places of the machine that the brief shows beyond the usual ones. */
  readonly places: readonly string[];
  readonly arena: string;
  readonly chamber: string;
  /** Stage 1 writes here and stage 2 reads it. In a jail stage 1 has a directory in memory at this place. */
  readonly out: string;
  readonly tmp: string;
  /** A directory of its own for the description of the candidate's files, which stage 2 reads. */
  readonly shown: string;
  readonly candidate: string;
  readonly states: Map<string, DirectoryState>;
  /** By the part in which they start commands. Without a jail one launcher serves all parts. */
  readonly launchers: Map<string, RoomLauncher>;
}

interface RoomLauncher extends Launcher {
  readonly jail: Jail | undefined;
}

const idle = new Map<string, Room[]>();
let made = 0;

export function takeRoom(repo: Repo, jail: JailLevel, show: readonly string[]): Room {
  const places = shownPaths(show);
  return idle.get(keyOf({ repo, jail, places }))?.pop() ?? makeRoom(repo, jail, places);
}

/** A new room, for a caller that discards it afterwards. */
export const takeNewRoom = (repo: Repo, jail: JailLevel, show: readonly string[]): Room =>
  makeRoom(repo, jail, shownPaths(show));

/** Rooms with the same key can replace each other. */
const keyOf = ({ repo, jail, places }: Pick<Room, 'repo' | 'jail' | 'places'>): string =>
  `${repo.root} ${[jail, ...places].join('\0')}`;

export function returnRoom(room: Room): void {
  for (const launcher of room.launchers.values()) launcher.prepare();
  const key = keyOf(room);
  idle.set(key, [...(idle.get(key) ?? []), room]);
}

export async function discardRoom(room: Room): Promise<void> {
  for (const part of room.launchers.keys()) closeLauncher(room, part);
  await removeRubbish(room.dir);
}

function closeLauncher(room: Room, name: string): void {
  room.launchers.get(name)?.close();
  room.launchers.delete(name);
}

/** Makes a part of the room hold exactly these files. */
export async function fillRoom(room: Room, part: string, files: Files): Promise<void> {
  const before = room.states.get(part) ?? emptyDirectory;
  await despiteRemoval(async () => {
    makeShownDirectory(part);
    if (room.jail === 'none') await removeStrangers(part, files);
    const found = readDirectory(room.repo, part, before, () => false);
    room.states.set(part, await restoreDirectory(room.repo, part, found, files));
  });
}

/** False when something that was laid out here is gone. */
export function isWhole(room: Room): boolean {
  const parts = [...room.states].map(([part, { files }]) => [...files.keys()].map((file) => path.join(part, file)));
  return [room.out, room.tmp, ...parts.flat()].every(
    (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
  );
}

/** Without a jail a candidate can leave anything here. It is removed before it is read, because there may be very much of it. */
async function removeStrangers(part: string, files: Files): Promise<void> {
  const directories = new Set([...files.keys()].flatMap(directoriesOf));
  const fateOf = (file: string): Fate => (files.has(file) ? 'kept' : directories.has(file) ? 'entered' : 'removed');
  if (clearDirectory(part, fateOf)) return;
  await removeRubbish(part);
  makeShownDirectory(part);
}

/** Empties what a candidate may write to: it finds nothing of earlier candidates and leaves nothing for later ones. */
export async function sweep(room: Room): Promise<void> {
  const { arena, chamber, out, tmp, shown } = room;
  const places = [arena, chamber, out, tmp, shown, ...[...room.launchers.values()].map(({ dir }) => dir)];
  const known = new Set(places.map((place) => path.basename(place)));
  makeRoomDirectory(room.dir); // A person may delete .worktrees at any time.
  if (!clearDirectory(room.dir, (name) => (known.has(name) ? 'kept' : 'removed'))) {
    await discardRoom(room);
    makeRoomDirectory(room.dir);
  }
  await empty(room, out);
  await empty(room, tmp);
  makeShownDirectory(shown);
}

async function empty(room: Room, dir: string): Promise<void> {
  unlockDirectory(dir);
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() && clearDirectory(dir)) return;
  closeLauncher(room, room.chamber); // Its cells would go on seeing the directory that is gone.
  await removeRubbish(dir);
  makeShownDirectory(dir);
}

/** Ends git's companions and gives up the rooms of this process. */
export async function closeOrg({ repo }: Org): Promise<void> {
  for (const [key, rooms] of idle) {
    if (!key.startsWith(`${repo.root} `)) continue;
    idle.delete(key);
    for (const room of rooms) await discardRoom(room);
  }
  orElse(() => rmdirSync(path.join(repo.root, roomsDir)), undefined); // Another process may measure here too.
  await repo.close();
}

/** A room is named after its process. The rooms of processes that have ended may be removed. */
export function isAbandoned(name: string): boolean {
  const [pid, start] = name.split('-');
  return startOf(Number(pid)) !== start;
}

/** Other users of this machine cannot look into a room; cells are shown its parts. */
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
  return {
    repo,
    dir,
    jail,
    places,
    arena: path.join(dir, 'arena'),
    chamber: path.join(dir, 'judge'),
    out: path.join(dir, 'out'),
    tmp: path.join(dir, 'tmp'),
    shown: path.join(dir, 'told'),
    candidate: path.join(dir, 'told', 'candidate.json'),
    states: new Map(),
    launchers: new Map(),
  };
}

/** Runs a command in a part of the room. Secrets are hidden in its output before any of it is cut off. */
export async function runIn(room: Room, part: string, command: ProcessCommand, signal: AbortSignal): Promise<Ran> {
  const name = room.jail === 'none' ? room.dir : part;
  for (let attempt = 1; attempt <= 2; attempt++) {
    const launcher = room.launchers.get(name) ?? (await startLauncher(room, part, command.env));
    if (launcher === undefined) break;
    room.launchers.set(name, launcher);
    const ran = await launcher.run(command, signal);
    if (ran !== undefined) return withoutSecrets(ran);
    closeLauncher(room, name);
  }
  if (room.jail === 'none') return withoutSecrets(await runCommand(command, signal));
  if (!isWhole(room)) throw Object.assign(new Error(`${room.dir} was removed`), { code: 'ENOENT' });
  const why = await whyNoCell(room.jail, cellOf(room, part, path.join(room.dir, 'why')));
  throw new Problem(
    'machine/jail',
    `a cell of ${room.jail} could not be made in ${room.dir}: ${why ?? 'it ended before its first command'}`,
    'Clone the repository to another place, below your home for one, or let candidates run free: --jail none',
  );
}

function withoutSecrets(ran: Ran): Ran {
  const cleaned = (output: Ran['stdout']): Ran['stdout'] => ({ ...output, text: hideSecrets(output.text) });
  return { ...ran, stdout: cleaned(ran.stdout), stderr: cleaned(ran.stderr) };
}

let opened = 0;

async function startLauncher(room: Room, part: string, env: ProcessCommand['env']): Promise<RoomLauncher | undefined> {
  const pipes = path.join(room.dir, `launcher-${++opened}`);
  const jail = room.jail === 'none' ? undefined : jailOf(room.jail, cellOf(room, part, pipes));
  const launcher = await openLauncher(pipes, env, jail);
  if (launcher?.pid === undefined) return launcher && { ...launcher, jail };
  const forget = enterNeighbour({ kind: 'room', name: room.dir, pid: launcher.pid });
  return { ...launcher, close: () => [forget(), launcher.close()], jail };
}

/** A stage sees its own part, the programs of the machine, and the packages that are installed for this repository. */
function cellOf({ repo, places, arena, chamber, out, shown }: Room, part: string, pipes: string) {
  const judging = part === chamber;
  const parts = judging ? [chamber, out, shown] : [arena];
  mkdirSync(pipes, { recursive: true });
  for (const dir of parts) makeShownDirectory(dir);
  return {
    shown: [...machineFor(repo.root), ...places, ...parts, pipes],
    hidden: placesOfRepo(repo),
    open: [],
    memory: judging ? [] : [out],
    scratchBytes,
    network: false,
  };
}

/** The environment of a stage. */
export function roomEnvironment({ repo, jail, places, tmp, out }: Room): Record<string, string> {
  const names = jail === 'none' ? ['PATH', 'HOME', 'LANG', 'TZ'] : ['PATH', 'LANG', 'TZ'];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const own = jail === 'none' ? { TMPDIR: tmp } : { TMPDIR: '/tmp', HOME: homeWith(places) };
  return { ...Object.fromEntries(kept), ...packagesOf(repo.root), ...own, ORGREPO_OUT: out };
}
