import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StandingStill } from '../process/alarms.ts';
import { enterNeighbour, stoppedMs } from '../process/neighbours.ts';
import type { ProcessCommand } from '../process/run-process.ts';
import { placeOfProgram } from './programs/program-place.ts';

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
