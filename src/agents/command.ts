import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Experiment } from '../domain/experiment.ts';
import { commandLine, runCommand } from '../process.ts';
import { formatSpec } from '../text/spec.ts';
import type { Agent, Task, Work } from './contract.ts';

/** Any program that keeps the contract: starts in its bench, edits files, exits 0; the last line it prints is the title. */
export function commandAgent(command: string): Agent {
  return async (task, signal) => {
    const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-task-'));
    try {
      return await runAgent(command, task, desk, signal);
    } finally {
      rmSync(desk, { recursive: true, force: true });
    }
  };
}

async function runAgent(command: string, task: Task, desk: string, signal: AbortSignal): Promise<Work> {
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
  const ran = await runCommand(
    {
      ...commandLine(command),
      cwd: task.dir,
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        HOME: process.env.HOME ?? desk,
        LANG: 'C.UTF-8',
        TMPDIR: desk,
        ORGREPO_SECONDS: String(Math.floor(task.deadlineMs / 1000)),
        ORGREPO_AGENT: task.agent,
        ORGREPO_ATTEMPT: String(task.attempt),
        ...Object.fromEntries(paths),
      },
      deadlineMs: task.deadlineMs,
    },
    signal,
  );
  if (ran.notStarted !== undefined)
    return { kind: 'failed', reason: `the agent could not be started: ${ran.notStarted}` };
  if (ran.timedOut) return { kind: 'failed', reason: `the agent was not done after ${Math.round(ran.ms / 1000)} s` };
  if (ran.code !== 0)
    return {
      kind: 'failed',
      reason: [`the agent ended with ${ran.code ?? ran.signal}`, lastLine(ran.stderr.text)]
        .filter((part) => part !== '')
        .join(': '),
    };
  return { kind: 'edited', title: lastLine(ran.stdout.text) || 'an edit without a title', notes: '' };
}

function formatNotebook(task: Task): string {
  const own = task.notebook.filter((one) => one.spec === task.spec?.id);
  const recent = task.notebook.slice(-50).filter((one) => one.spec !== task.spec?.id);
  const row = (one: Experiment): string =>
    `- #${one.n} ${one.event} ${one.score ?? 'no score'}: ${one.title} (${one.reason})`;
  return ['# This spec', ...own.map(row), '', '# The org lately', ...recent.map(row), ''].join('\n');
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';
