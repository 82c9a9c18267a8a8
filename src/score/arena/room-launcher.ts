import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { placesOfRepo, type Repo } from '../../git/repo.ts';
import { type Cell, homeWith, machineFor, makeShownDirectory, packagesOf, scratchBytes } from '../../jail/cell.ts';
import { type Jail, jailOf, whyNoCell } from '../../jail/jail.ts';
import { type Launcher, openLauncher } from '../../process/launcher.ts';
import { enterNeighbour } from '../../process/neighbours.ts';
import { type ProcessCommand, type Ran, runCommand } from '../../process/run-process.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { Problem } from '../../text/problem.ts';
import { closeDoor, isWhole, type Room } from './measuring-room.ts';

/** Through which a room's commands are started, and with it the walls around them. */
export interface Door {
  readonly launcher: Launcher;
  readonly jail: Jail | undefined;
}

/** Runs a command in a part of the room. What it says is free of secrets before anybody takes a piece of it. */
export async function runIn(
  repo: Repo,
  room: Room,
  part: string,
  command: ProcessCommand,
  signal: AbortSignal,
): Promise<Ran> {
  const name = room.jail === 'none' ? room.dir : part;
  for (let attempt = 1; attempt <= 2; attempt++) {
    const door = room.doors.get(name) ?? (await openDoor(repo, room, part, command.env));
    if (door === undefined) break;
    room.doors.set(name, door);
    const ran = await door.launcher.run(command, signal);
    if (ran !== undefined) return withoutSecrets(ran);
    closeDoor(room, name);
  }
  if (room.jail === 'none') return withoutSecrets(await runCommand(command, signal));
  if (!isWhole(room)) throw Object.assign(new Error(`${room.dir} was removed`), { code: 'ENOENT' });
  const why = await whyNoCell(room.jail, cellOf(repo, room, part, path.join(room.dir, 'why')));
  throw new Problem(
    'machine/jail',
    `a cell of ${room.jail} could not be made in ${room.dir}: ${why ?? 'it ended before its first command'}`,
    'Clone the repository to another place, below your home for one, or let candidates run free: --jail none',
  );
}

function withoutSecrets(ran: Ran): Ran {
  const told = (said: Ran['stdout']): Ran['stdout'] => ({ ...said, text: hideSecrets(said.text) });
  return { ...ran, stdout: told(ran.stdout), stderr: told(ran.stderr) };
}

let opened = 0;

async function openDoor(repo: Repo, room: Room, part: string, env: ProcessCommand['env']): Promise<Door | undefined> {
  const pipes = path.join(room.dir, `launcher-${++opened}`);
  const jail = room.jail === 'none' ? undefined : jailOf(room.jail, cellOf(repo, room, part, pipes));
  const launcher = await openLauncher(pipes, env, jail);
  if (launcher?.pid === undefined) return launcher && { launcher, jail };
  const forget = enterNeighbour({ kind: 'room', name: room.dir, pid: launcher.pid });
  const close = (): void => {
    forget();
    launcher.close();
  };
  return { launcher: { ...launcher, close }, jail };
}

/** What a stage finds: its own part, the programs of the machine, and the packages that are installed for this repository. */
function cellOf(repo: Repo, room: Room, part: string, pipes: string): Cell {
  const judging = part === room.chamber;
  const parts = judging ? [room.chamber, room.out, room.told] : [room.arena];
  mkdirSync(pipes, { recursive: true });
  for (const dir of parts) makeShownDirectory(dir);
  return {
    shown: [...machineFor(repo.root), ...room.places, ...parts, pipes],
    hidden: placesOfRepo(repo),
    open: [],
    held: judging ? [] : [room.out],
    scratchBytes,
    network: false,
  };
}

/** What the environment of a stage is made of. */
export function roomEnvironment(repo: Repo, room: Room): Record<string, string> {
  const names = room.jail === 'none' ? ['PATH', 'HOME', 'LANG', 'TZ'] : ['PATH', 'LANG', 'TZ'];
  const kept = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const places = room.jail === 'none' ? { TMPDIR: room.tmp } : { TMPDIR: '/tmp', HOME: homeWith(room.places) };
  return { ...Object.fromEntries(kept), ...packagesOf(repo.root), ...places, ORGREPO_OUT: room.out };
}
