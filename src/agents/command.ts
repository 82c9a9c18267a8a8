import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Experiment } from '../domain/experiment.ts';
import type { AgentChoice } from '../domain/staff.ts';
import { scratchBytes } from '../jail/cell.ts';
import { openToCells } from '../jail/holder.ts';
import { inCell } from '../jail/housing.ts';
import { clearRoom } from '../launcher.ts';
import { type Command, commandLine, runCommand } from '../process.ts';
import { hideSecrets } from '../secrets.ts';
import { formatSpec } from '../text/spec.ts';
import type { Agent, Task, Work } from './contract.ts';

/** Any program that keeps the contract: starts in its bench, edits files, exits 0; the last line it prints is the title. */
export function commandAgent(choice: CommandChoice): Agent {
  return async (task, signal) => {
    const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-task-'));
    try {
      return await runAgent(choice, task, desk, signal);
    } finally {
      rmSync(desk, { recursive: true, force: true });
    }
  };
}

async function runAgent(choice: CommandChoice, task: Task, desk: string, signal: AbortSignal): Promise<Work> {
  const files = {
    ORGREPO_SPEC: task.spec === undefined ? '' : formatSpec(task.spec),
    ORGREPO_BRIEF: task.brief.prose,
    ORGREPO_NOTEBOOK: formatNotebook(task),
  };
  const paths = Object.entries(files).map(([name, text]) => {
    const file = path.join(desk, `${name.slice(8).toLowerCase()}.md`);
    writeFileSync(file, text);
    return [name, file] as const;
  });
  const free = task.held.level === 'none';
  const ran = await runCommand(
    confine(choice, task, desk, {
      ...commandLine(choice.command),
      cwd: task.dir,
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        HOME: free ? (process.env.HOME ?? desk) : '/tmp',
        LANG: 'C.UTF-8',
        TMPDIR: free ? desk : '/tmp',
        PYTHONDONTWRITEBYTECODE: '1', // A __pycache__ that an agent never meant to leave would be a change of its own.
        ORGREPO_SECONDS: String(Math.floor(task.deadlineMs / 1000)),
        ORGREPO_AGENT: task.agent,
        ORGREPO_ATTEMPT: String(task.attempt),
        ...Object.fromEntries(paths),
      },
      deadlineMs: task.deadlineMs,
    }),
    signal,
  );
  if (ran.notStarted !== undefined)
    return { kind: 'failed', reason: `the agent could not be started: ${ran.notStarted}` };
  if (ran.timedOut) return { kind: 'failed', reason: `the agent was not done after ${Math.round(ran.ms / 1000)} s` };
  if (ran.code !== 0)
    return {
      kind: 'failed',
      reason: [`the agent ended with ${ran.code ?? ran.signal}`, lastLine(hideSecrets(ran.stderr.text))]
        .filter((part) => part !== '')
        .join(': '),
    };
  return { kind: 'edited', title: lastLine(hideSecrets(ran.stdout.text)) || 'an edit without a title', notes: '' };
}

type CommandChoice = Extract<AgentChoice, { kind: 'command' }>;

/** The same command in a cell where the bench is open, and nothing else of the machine can be changed. */
function confine(choice: CommandChoice, task: Task, desk: string, command: Command): Command {
  const { level, shown, hidden } = task.held;
  if (level === 'none') return command;
  const { file, args, cwd, env } = command;
  const program = path.isAbsolute(file) ? [file] : [];
  const cell = {
    ...{ shown: [...shown, desk, ...program], hidden, open: [cwd], held: [] },
    ...{ scratchBytes, network: choice.network },
  };
  openToCells(cwd);
  openToCells(desk);
  // Whose the files are is not what git in there thinks: a cell may belong to somebody else than the repository.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  const script = `${clearRoom}; cd "$1" && shift && "$@"; exit $?`;
  const inside = ['bash', '--norc', '--noprofile', '-c', script, 'agent', cwd, file, ...args];
  const [first = '', ...rest] = inCell(level, cell, inside);
  return { ...command, file: first, args: rest, env: { ...env, ...git } };
}

function formatNotebook(task: Task): string {
  const own = task.notebook.filter((one) => one.spec === task.spec?.id);
  const recent = task.notebook.slice(-50).filter((one) => one.spec !== task.spec?.id);
  const row = (one: Experiment): string =>
    `- #${one.n} ${one.event} ${one.score ?? 'no score'}: ${one.title} (${one.reason})`;
  return ['# This spec', ...own.map(row), '', '# The org lately', ...recent.map(row), ''].join('\n');
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';
