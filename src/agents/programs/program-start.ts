import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../domain/staff/staff.ts';
import { isWithin } from '../../jail/cell.ts';
import type { ProcessCommand, Ran } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import { longestSilenceMs } from '../deadline.ts';
import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { environmentOf, runConfined } from './confinement.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import type { Errand, KnownProgram, ProgramForm } from './program-contract.ts';
import { belongingsOf, placeOfProgram } from './program-place.ts';

export const programForms: Readonly<Record<Program, ProgramForm>> = { claude, codex, gemini, opencode, aider, pi };

/** One start of a program. */
export interface ProgramStart extends Pick<Errand, 'access' | 'mostUsd'> {
  readonly choice: KnownProgram;
  readonly task: Pick<AgentTask, 'agent' | 'attempt' | 'dir' | 'cell' | 'deadlineMs'>;
  /** A directory of its own, with its home and what it is to do. */
  readonly scratch: string;
  readonly prompt: string;
  readonly hear?: ((chunk: Buffer) => void) | undefined;
  readonly endsOn?: ProcessCommand['endsOn'];
  /** What it is started with in place of its errand: `--version`. */
  readonly only?: string;
}

/** Started directly and not by a shell; with nothing of our environment but what it needs. Undefined when it is not installed. */
export async function startProgram(start: ProgramStart, signal: AbortSignal): Promise<Ran | undefined> {
  const { choice, task, scratch, prompt, hear, endsOn, only } = start;
  const file = placeOfProgram(choice.program);
  if (file === undefined) return undefined;
  const form = programForms[choice.program];
  const [home, brief] = [path.join(scratch, 'home'), path.join(scratch, 'task.md')];
  const launch = form.launch({
    ...{ dir: task.dir, home, task: brief, model: choice.model, access: start.access },
    ...{ jailed: task.cell.level !== 'none', ownConfig: choice.ownConfig, mostUsd: start.mostUsd },
  });
  fillScratch(scratch, { ...launch.files }, prompt);
  const newer = only === undefined ? (form.newer ?? []) : [];
  const help = newer.length === 0 ? '' : await helpOf(file, () => startProgram({ ...start, only: '--help' }, signal));
  const lacks = (word: string): boolean =>
    newer.some((option) => (word === option || word.startsWith(`${option}=`)) && !help.includes(option));
  const command = {
    file,
    args: only === undefined ? launch.args.filter((word) => !lacks(word)) : [only],
    cwd: task.dir,
    env: {
      ...environmentOf(task, home, path.join(scratch, 'tmp')),
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: '1',
      ...launch.env,
    },
    deadlineMs: task.deadlineMs,
    silenceMs: Math.min(longestSilenceMs, task.deadlineMs / 2),
    input: prompt,
    keepBytes: mostHead,
    ...(hear && { hear }),
    endsOn,
  };
  // A program in the repository's own bin/ must not bring all of the repository along.
  const shown = belongingsOf(file).filter((place) => !task.cell.hidden.some((hidden) => isWithin(hidden, place)));
  return runConfined({ network: true, shown, scratch, writesScratch: true }, task, command, signal);
}

const mostHead = 512 * 1024;

/** What programs say of their options, by their places: an installed version stays the same while this process runs. */
const helps = new Map<string, Promise<string>>();

function helpOf(file: string, ask: () => Promise<Ran | undefined>): Promise<string> {
  const known = helps.get(file) ?? ask().then((ran) => (ran === undefined ? '' : ran.stdout.text + ran.stderr.text));
  helps.set(file, known);
  return known;
}

/** Made anew for every start: a program that never began may have left half of a home. */
export function fillScratch(scratch: string, files: Readonly<Record<string, string>>, prompt: string): void {
  for (const dir of ['home', 'tmp']) mkdirSync(path.join(scratch, dir), { recursive: true });
  writeFileSync(path.join(scratch, 'task.md'), prompt);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(scratch, 'home', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** An unknown option, a library that is missing, another Node: it ended by itself before it said a word in its own form. */
export function hasNeverBegun({ program }: KnownProgram, { code, stdout }: Ran, log: string | undefined): boolean {
  const said = programForms[program].log === undefined ? stdout.text : (log ?? '');
  return code !== undefined && code > 0 && code <= 128 && !/^\{/m.test(said);
}
