import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { escalationIn, escalationReasons } from '../../domain/staff/escalation.ts';
import type { AgentChoice } from '../../domain/staff/staff.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { commandLine, type Ran } from '../../process/run-process.ts';
import { formatSpec } from '../../records/queue/spec-text.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { Agent, AgentTask, AgentWork } from '../agent-contract.ts';
import { longestSilenceMs } from '../deadline.ts';
import { experimentInWords } from '../notebook-text.ts';
import { traceOfProcess } from '../trace/open-trace.ts';
import { homelessEnvironment, runConfined, withScratch } from './confinement.ts';
import { howItFailed, lastLine } from './json-lines.ts';

/** Any program that keeps the contract: starts in its bench, edits files, exits 0; the last line it prints is the title. */
export const commandAgent =
  (choice: CommandChoice): Agent =>
  (task, signal) =>
    withScratch((scratch) => run(choice, task, scratch, signal));

async function run(choice: CommandChoice, task: AgentTask, scratch: string, signal: AbortSignal): Promise<AgentWork> {
  const files = {
    ORGREPO_SPEC: specWithAdvice(task),
    ORGREPO_BRIEF: task.brief.prose,
    ORGREPO_NOTEBOOK: formatNotebook(task),
  };
  const paths = Object.entries(files).map(([name, text]) => {
    const file = path.join(scratch, `${name.slice(8).toLowerCase()}.md`);
    writeFileSync(file, text);
    return [name, file] as const;
  });
  const ran = await runConfined(
    { network: choice.network, shown: [], scratch, writesScratch: false },
    task,
    {
      ...commandLine(choice.command),
      cwd: task.dir,
      env: {
        ...homelessEnvironment(task, scratch),
        ORGREPO_SECONDS: String(Math.floor(task.deadlineMs / 1000)),
        ...Object.fromEntries(paths),
      },
      deadlineMs: task.deadlineMs,
      silenceMs: longestSilenceMs,
    },
    signal,
  );
  return { ...endOf(ran), trace: traceOfProcess(ran) };
}

function endOf(ran: Ran): AgentWork {
  if (ran.notStarted !== undefined)
    return { kind: 'failed', reason: `the agent could not be started: ${ran.notStarted}` };
  const failure = howItFailed('the agent', ran);
  const said = ran.silent || ran.timedOut ? '' : lastLine(hideSecrets(ran.stderr.text));
  if (failure !== undefined) return { kind: 'failed', reason: said === '' ? failure : `${failure}: ${said}` };
  const title = lastLine(hideSecrets(ran.stdout.text)) || 'an edit without a title';
  return { kind: 'edited', title, notes: '', escalate: escalationIn(title, escalationReasons) };
}

type CommandChoice = Extract<AgentChoice, { kind: 'command' }>;

/** The spec, and below it what critics said of it: a program of a person's own reads one file more easily than several. */
function specWithAdvice({ spec, plan, critiques }: AgentTask): string {
  if (spec === undefined) return '';
  const advice = [
    ...(plan === '' ? [] : [`# Your plan\n\n${plan}`]),
    ...critiques.map((critique, index) => `# Critique ${index + 1}\n\n${critique}`),
  ];
  return [formatSpec(spec).trimEnd(), ...advice, ''].join('\n\n').replace(/\n\n$/, '\n');
}

function formatNotebook(task: AgentTask): string {
  const own = task.notebook.filter((one) => one.spec === task.spec?.id);
  const recent = task.notebook.slice(-50).filter((one) => one.spec !== task.spec?.id);
  const row = (one: Experiment): string => `- ${experimentInWords(one)}`;
  return ['# This spec', ...own.map(row), '', '# The org lately', ...recent.map(row), ''].join('\n');
}
