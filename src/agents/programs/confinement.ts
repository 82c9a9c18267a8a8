import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentChoice } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { placesOfRepo } from '../../git/repo.ts';
import {
  type Cell,
  closeToCells,
  isWithin,
  machineFor,
  openToCells,
  scratchBytes,
  shownPaths,
} from '../../jail/cell.ts';
import { inCell, type Walls } from '../../jail/jail.ts';
import { clearRoom } from '../../process/launcher.ts';
import { enterNeighbour, stoppedMs } from '../../process/neighbours.ts';
import type { StandingStill } from '../../process/pace.ts';
import { endProcessesIn, type ProcessCommand, type Ran, removeTree, runCommand } from '../../process/run-process.ts';
import { unlockDirectory } from '../../process/untrusted-files.ts';
import type { Org } from '../../records/org.ts';
import { speaksToAgents } from '../../score/judge/boundary.ts';
import { levelOf } from '../../score/measure/trial.ts';
import type { AgentTask } from '../agent-contract.ts';
import { placeOfProgram } from './program-place.ts';

/** What an agent that is a process needs besides its bench. */
interface Needs {
  readonly network: boolean;
  /** What else of the machine it reads. */
  readonly shown: readonly string[];
  /** A directory of its own, which it reads, and writes where it must. */
  readonly scratch: string;
  readonly writesScratch: boolean;
}

/** Gives an agent that is a process a directory of its own for as long as it works. */
export async function withScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'orgrepo-task-'));
  try {
    return await work(scratch);
  } finally {
    removeTree(scratch);
  }
}

/** What a process of the agent may see. An agent that starts none needs no cell. */
export async function cellOfAgent(org: Org, { holdout, show }: Brief, choice: AgentChoice): Promise<AgentTask['cell']> {
  if (!startsProcess(choice)) return { level: 'none', shown: [], hidden: [] };
  const { root, gitDir } = org.repo;
  // Git needs these to show the history: neither its config and hooks, nor what orgrepo keeps there.
  // The history holds every file of the trunk, so a brief that holds some of them out shows none of it.
  const history = holdout.length > 0 ? [] : ['objects', 'refs', 'packed-refs', 'HEAD', 'worktrees'];
  const files = history.map((name) => path.join(gitDir, name)).filter((file) => existsSync(file));
  return {
    level: await levelOf(org),
    shown: [...machineFor(root), ...shownPaths(show), ...files],
    hidden: placesOfRepo(org.repo),
  };
}

/** A model starts none itself, but its tool servers may be processes. */
const startsProcess = (choice: AgentChoice): boolean => {
  const api = choice.kind === 'api' && choice.servers?.some(({ reach }) => reach.kind === 'command') === true;
  return { search: false, human: false, command: true, program: true, acp: true, api }[choice.kind];
};

/** Runs a command in a cell where the bench is open, and nothing else of the machine can be changed. */
export async function runConfined(
  needs: Needs,
  task: Pick<AgentTask, 'agent' | 'dir' | 'cell'>,
  command: ProcessCommand,
  signal: AbortSignal,
) {
  const { scratch } = needs;
  const open = [command.cwd, ...(needs.writesScratch ? [scratch] : [])];
  const { level } = task.cell;
  try {
    if (level === 'none') return await runBeside(task, command, signal);
    for (const dir of new Set([...open, scratch])) openToCells(dir);
    return await runBeside(task, confine(level, needs, open, task, command), signal);
  } finally {
    // What left its group dies with its cell; where there is none, it is found by where it stands and what it was told.
    if (level === 'none')
      for (const dir of [task.dir, scratch]) endProcessesIn(dir, (_, environment) => environment.includes(scratch));
    else for (const dir of open) closeToCells(dir);
  }
}

/** The short environment of an agent's process, and nothing else of ours. */
export const environmentOf = (
  { agent, attempt }: Pick<AgentTask, 'agent' | 'attempt'>,
  home: string,
  temporary: string,
) => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: home,
  LANG: 'C.UTF-8',
  TMPDIR: temporary,
  PYTHONDONTWRITEBYTECODE: '1', // A __pycache__ that an agent never meant to leave would be a change of its own.
  ORGREPO_AGENT: agent,
  ORGREPO_ATTEMPT: String(attempt), // By this the next run knows what a killed one left behind.
});

/** The same for a process that gets no home: outside of a cell it has the person's. */
export const homelessEnvironment = (task: Pick<AgentTask, 'agent' | 'attempt' | 'cell'>, temporary: string) =>
  task.cell.level === 'none'
    ? environmentOf(task, process.env.HOME ?? temporary, temporary)
    : environmentOf(task, '/tmp', '/tmp');

/** What is measured meanwhile comes first. */
function runBeside({ agent }: Pick<AgentTask, 'agent'>, command: ProcessCommand, signal: AbortSignal): Promise<Ran> {
  const [file, ...args] = atIdlePriority([command.file, ...command.args], command.cwd);
  return runCommand({ ...command, file, args, ...besideMeasurements(agent) }, signal);
}

function confine(
  walls: Walls,
  needs: Needs,
  open: readonly string[],
  { cell: { shown, hidden } }: Pick<AgentTask, 'cell'>,
  command: ProcessCommand,
) {
  const { file, args, cwd, env } = command;
  const program = path.isAbsolute(file) ? [file] : [];
  const places = outermostOf([...shown, ...needs.shown, needs.scratch, ...program]);
  // In a cell, git may see another owner of the repository than there is outside.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  const cell = { shown: places, hidden, open, network: needs.network };
  const [first, ...rest] = lineInCell(walls, cell, cwd, [file, ...args]);
  return { ...command, file: first, args: rest, env: { ...env, ...git } };
}

/** What stands in a place that is shown is there with it, and nothing can be mounted over what may not be written to. */
export const outermostOf = (places: readonly string[]): readonly string[] =>
  [...new Set(places)].filter((place) => !places.some((other) => other !== place && isWithin(place, other)));

/** The command line that runs another one in a cell, from the directory that it is for. */
export function lineInCell(walls: Walls, cell: Omit<Cell, 'memory' | 'scratchBytes'>, cwd: string, line: Words): Words {
  const script = `${clearRoom}; cd "$1" && shift && "$@"; exit $?`;
  const inside = ['bash', '--norc', '--noprofile', '-c', script, 'cell', cwd, ...line];
  const [file = '', ...args] = inCell(walls, { ...cell, memory: [], scratchBytes }, inside);
  return [file, ...args];
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
export function stillOf(agent: string): StandingStill {
  return () => stoppedMs(agent);
}

/**
 * Takes what speaks to agents out of a bench while one works there, because not every program can be told to leave it alone:
 * CLAUDE.md, .gemini/, .mcp.json and the like. What the brief lets agents write stays. The answer puts it back.
 */
export function putAside(dir: string, stays: (file: string) => boolean): () => void {
  const found = [...speakersIn(dir, '', stays)];
  if (found.length === 0) return () => {};
  const aside = mkdtempSync(path.join(tmpdir(), 'orgrepo-aside-'));
  for (const [index, file] of found.entries()) {
    copy(path.join(dir, file), path.join(aside, String(index)));
    rmSync(path.join(dir, file), { recursive: true, force: true });
  }
  return () => {
    for (const [index, file] of found.entries()) putBack(path.join(aside, String(index)), dir, file);
    removeTree(aside);
  };
}

/** The agent may have locked the way. A file that cannot be put back is missing, which is a change outside the sandbox. */
function putBack(from: string, dir: string, file: string): void {
  try {
    for (const place of placesAbove(dir, file)) unlockDirectory(place);
    if (isFree(dir, file)) copy(from, path.join(dir, file));
  } catch {
    // Gone, or in the way for good.
  }
}

const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true, verbatimSymlinks: true });

function* speakersIn(dir: string, below: string, stays: (file: string) => boolean): Generator<string> {
  for (const entry of readdirSync(path.join(dir, below), { withFileTypes: true })) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (speaksToAgents(entry.name) && !stays(file)) yield file;
    else if (entry.isDirectory()) yield* speakersIn(dir, file, stays);
  }
}

/** The agent may have put something else in the place, or a link in the way. Then it stays as it was left. */
function isFree(dir: string, file: string): boolean {
  return (
    placesAbove(dir, file).every((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true) &&
    lstatSync(path.join(dir, file), { throwIfNoEntry: false }) === undefined
  );
}

/** The directories on the way to a file, from the bench down. */
function placesAbove(dir: string, file: string): readonly string[] {
  const parts = file.split('/');
  return parts.map((_, depth) => path.join(dir, ...parts.slice(0, depth)));
}
