import { existsSync } from 'node:fs';
import path from 'node:path';
import { isWithin, scratchBytes } from '../../jail/cell.ts';
import { closeToCells, openToCells } from '../../jail/cell-owner.ts';
import { inCell, type Walls } from '../../jail/housing.ts';
import type { StandingStill } from '../../process/alarms.ts';
import { clearRoom } from '../../process/launcher.ts';
import { enterNeighbour, stoppedMs } from '../../process/neighbours.ts';
import { type ProcessCommand, type Ran, runCommand } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import { placeOfProgram } from './program-place.ts';

/** What an agent that is a process needs besides its bench. */
interface Needs {
  readonly network: boolean;
  /** To be read. */
  readonly shown: readonly string[];
  /** To be read as well, and by nobody else on this machine. */
  readonly own: readonly string[];
  /** To be written to as well. */
  readonly open: readonly string[];
}

/** Runs a command in a cell where the bench is open, and nothing else of the machine can be changed. */
export async function runConfined(
  needs: Needs,
  task: AgentTask,
  command: ProcessCommand,
  signal: AbortSignal,
): Promise<Ran> {
  if (task.held.level === 'none') return runBeside(task, command, signal);
  const dirs = [command.cwd, ...needs.open];
  for (const dir of [...dirs, ...needs.own]) openToCells(dir);
  try {
    return await runBeside(task, confine(task.held.level, needs, task, command), signal);
  } finally {
    for (const dir of dirs) closeToCells(dir);
  }
}

/** What is measured meanwhile comes first. */
function runBeside({ agent }: AgentTask, command: ProcessCommand, signal: AbortSignal): Promise<Ran> {
  const [file, ...args] = atIdlePriority([command.file, ...command.args], command.cwd);
  return runCommand({ ...command, file, args, ...besideMeasurements(agent) }, signal);
}

function confine(level: Walls, needs: Needs, { held }: AgentTask, command: ProcessCommand): ProcessCommand {
  const { shown, hidden } = held;
  const { file, args, cwd, env } = command;
  const program = path.isAbsolute(file) ? [file] : [];
  const places = [...new Set([...shown, ...needs.shown, ...needs.own, ...program])];
  // What stands in a place that is shown is there with it, and nothing can be mounted over what may not be written to.
  const outermost = places.filter((place) => !places.some((other) => other !== place && isWithin(place, other)));
  const cell = {
    ...{ shown: outermost, hidden, open: [cwd, ...needs.open], held: [] },
    ...{ scratchBytes, network: needs.network },
  };
  // Whose the files are is not what git in there thinks: a cell may belong to somebody else than the repository.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  const script = `${clearRoom}; cd "$1" && shift && "$@"; exit $?`;
  const inside = ['bash', '--norc', '--noprofile', '-c', script, 'agent', cwd, file, ...args];
  const [first = '', ...rest] = inCell(level, cell, inside);
  return { ...command, file: first, args: rest, env: { ...env, ...git } };
}

/** The words of a command line. */
type Words = readonly [file: string, ...args: string[]];

/**
 * A command that gets the CPU and the disk when nobody else wants them: an agent's process runs beside measurements, and these come
 * first. `ORGREPO_AGENT_PRIORITY=normal` is for machines that are never idle.
 */
export function atIdlePriority(command: Words, cwd: string): Words {
  if (process.env.ORGREPO_AGENT_PRIORITY === 'normal' || !isThere(command[0], cwd)) return command;
  const chrt = process.platform === 'linux' ? find('chrt') : undefined;
  const ionice = process.platform === 'linux' ? find('ionice') : undefined;
  const nice = find('nice');
  const idle = chrt !== undefined ? [chrt, '--idle', '0'] : nice === undefined ? [] : [nice, '-n', '19'];
  const words = [...idle, ...(ionice === undefined ? [] : [ionice, '-c', '3']), ...command];
  return ['/bin/sh', '-c', lastOfSessions, 'agent', ...words];
}

/** Where the kernel shares CPU time out by session, no priority counts outside of its session. */
const lastOfSessions = '{ echo 19 > /proc/self/autogroup; } 2> /dev/null; exec "$@"';

const find = (name: string): string | undefined =>
  ['/usr/bin', '/bin'].map((dir) => `${dir}/${name}`).find((file) => existsSync(file));

/** A command that is not there is started as it is, so that the error names it. */
const isThere = (file: string, cwd: string): boolean =>
  file.includes('/') ? existsSync(path.resolve(cwd, file)) : placeOfProgram(file) !== undefined;

/** What a command of an agent is run with: counted beside measurements, and its clock stands still while it does. */
export const besideMeasurements = (agent: string): Pick<ProcessCommand, 'onStart' | 'still'> => ({
  onStart: (pid) => enterNeighbour({ kind: 'agent', name: agent, pid }),
  still: stillOf(agent),
});

/** How long an agent's processes have been stopped. */
export const stillOf =
  (agent: string): StandingStill =>
  () =>
    stoppedMs(agent);
