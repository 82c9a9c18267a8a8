import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { escalationIn, escalationReasons } from '../../domain/staff/escalation.ts';
import type { OwnPrice } from '../../domain/words/brief.ts';
import { isWithin } from '../../jail/cell.ts';
import type { Ran } from '../../process/run-process.ts';
import { readRegularFile } from '../../process/untrusted-files.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { readGlobs } from '../../text/paths.ts';
import type { Agent, AgentTask, AgentWork, TaskSpending } from '../agent-contract.ts';
import { longestSilenceMs } from '../deadline.ts';
import { type ModelAccess, payerOf, stoppedBy } from '../model-access.ts';
import { Fault } from '../models/model-contract.ts';
import { checkPriced } from '../models/prices.ts';
import { errandOf } from '../prompts.ts';
import { traceOfProcess } from '../trace/open-trace.ts';
import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { environmentOf, putAside, runConfined, withDesk } from './confinement.ts';
import { gemini } from './gemini.ts';
import { howItFailed, lastLine, takeLines } from './json-lines.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import type { Launch, ProgramForm, ProgramReport } from './program-contract.ts';
import { anotherModel, type ProgramAllowance, type ProgramChoice } from './program-office.ts';
import { belongingsOf, placeOfProgram } from './program-place.ts';

const forms: Readonly<Record<ProgramChoice['program'], ProgramForm>> = { claude, codex, gemini, opencode, aider, pi };

/** Whether a cap on money can bind a program: it says what every model costs, or orgrepo knows what its own does. */
export const checkProgramPriced = async (
  { program, model, baseUrl }: ProgramChoice,
  own: ReadonlyMap<string, OwnPrice>,
): Promise<boolean> => forms[program].tellsMoney || (model !== undefined && checkPriced({ model, baseUrl }, own));

/** A command-line agent that people already have, headless: in its bench, in a home of its own, and judged by the files alone. */
export function programAgent(choice: ProgramChoice, office: ModelAccess): Agent {
  const form = forms[choice.program];
  return (task, signal) =>
    withDesk(async (desk) => {
      const allowance = await office.allow(choice, form.tellsMoney, payerOf(task), task.deadlineMs, signal);
      return runProgram({ choice, form, task, desk, allowance }, signal).finally(allowance.abandon);
    }).catch((error) => whyNotBegun(error, signal));
}

function whyNotBegun(error: unknown, signal: AbortSignal): AgentWork {
  const stopped = stoppedBy(error);
  if (stopped !== undefined) return stopped;
  if (error instanceof Fault && error.kind === 'cap') return { kind: 'failed', reason: error.message };
  if (error instanceof Fault && error.kind === 'busy') return { kind: 'busy', reason: error.message };
  const isAbort = error instanceof Error && error.name === 'AbortError';
  if (signal.aborted || isAbort) return { kind: 'busy', reason: 'the night was over before it began' };
  throw error;
}

/** One attempt of a program. */
interface Outing {
  readonly choice: ProgramChoice;
  readonly form: ProgramForm;
  readonly task: AgentTask;
  /** A directory of its own, with its home and what it is to do. */
  readonly desk: string;
  readonly allowance: ProgramAllowance;
}

async function runProgram(outing: Outing, signal: AbortSignal): Promise<AgentWork> {
  const { choice, form, task, desk, allowance } = outing;
  const home = path.join(desk, 'home');
  const brief = path.join(desk, 'task.md');
  const launch = form.launch({
    ...{ dir: task.dir, home, task: brief, model: choice.model, access: allowance.access },
    ...{ jailed: task.held.level !== 'none', ownConfig: choice.ownConfig, mostUsd: allowance.mostUsd },
  });
  const prompt = errandOf(task);
  fillDesk(desk, { ...launch.files }, prompt);
  const putBack = choice.ownConfig ? () => {} : putAside(task.dir, allowedBy(task));
  const counted = form.sums === undefined ? undefined : takeLines(form.sums);
  const ran = await start(outing, { ...launch, prompt, hear: counted?.hear }, signal).finally(putBack);
  if (ran === undefined || ran.notStarted !== undefined) {
    allowance.release();
    return {
      kind: 'unable',
      reason: `${choice.program} could not be started: ${ran?.notStarted ?? 'it is not on the PATH'}`,
    };
  }
  const log = form.log === undefined ? undefined : readRegularFile(path.join(home, form.log), mostLog);
  const read = form.read({ stdout: counted?.text() ?? ran.stdout.text, stderr: ran.stderr.text, log: log ?? '' });
  const unread = form.log !== undefined && log === undefined && existsSync(path.join(home, form.log));
  const lost = unread || counted?.lost() === true;
  const told = lost ? { ...read, usage: undefined, usd: undefined } : read; // Part of a sum is no sum.
  const outcome = outcomeOf(choice, ran, told);
  const spent = settle(outing, outcome, { told, ran, lost });
  return { ...outcome.work, spent, trace: traceOfProcess(ran, log) };
}

/**
 * Whoever was refused at the door, or gave up by itself without a word of any model, has used nothing; of whom else nothing is
 * known, all that was set aside counts.
 */
function settle(
  { allowance, form }: Outing,
  { why }: ProgramOutcome,
  { told, ran, lost }: { readonly told: ProgramReport; readonly ran: Ran; readonly lost: boolean },
): TaskSpending | undefined {
  const gaveUp = !lost && ran.code !== undefined && ran.code !== 0 && !ran.timedOut && ran.silent !== true;
  if ((why === 'refused' || gaveUp) && told.usage === undefined && told.words === '') {
    allowance.release();
    if (why === 'busy') allowance.busy();
    return undefined;
  }
  // Killed between two of its answers. A shell in between tells a signal as a number.
  const isPart = !form.tellsAtEnd && (ran.timedOut || ran.silent || ran.code === undefined || ran.code > 128);
  const spent = allowance.settle(isPart ? { ...told, usage: undefined, usd: undefined } : told);
  if (why === 'busy') allowance.busy();
  return spent;
}

/** Started directly and not by a shell; with nothing of our environment but what it needs. */
async function start(
  { choice, task, desk }: Outing,
  launch: Launch & { readonly prompt: string; readonly hear: ((chunk: Buffer) => void) | undefined },
  signal: AbortSignal,
): Promise<Ran | undefined> {
  const file = placeOfProgram(choice.program);
  if (file === undefined) return undefined;
  const command = {
    file,
    args: launch.args,
    cwd: task.dir,
    env: {
      ...environmentOf(task, path.join(desk, 'home'), path.join(desk, 'tmp')),
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: '1',
      ...launch.env,
    },
    deadlineMs: task.deadlineMs,
    silenceMs: Math.min(longestSilenceMs, task.deadlineMs / 2),
    input: launch.prompt,
    keepBytes: mostHead,
    ...(launch.hear && { hear: launch.hear }),
  };
  // A program in the repository's own bin/ must not bring all of the repository along.
  const shown = belongingsOf(file).filter((place) => !task.held.hidden.some((hidden) => isWithin(hidden, place)));
  return runConfined({ network: true, shown, desk, writesDesk: true }, task, command, signal);
}

const mostHead = 512 * 1024;
const mostLog = 4 * 1024 * 1024;

function fillDesk(desk: string, files: Readonly<Record<string, string>>, prompt: string): void {
  for (const dir of ['home', 'tmp']) mkdirSync(path.join(desk, dir));
  writeFileSync(path.join(desk, 'task.md'), prompt);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(desk, 'home', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** What a brief lets agents write although it speaks to agents: then it is what they work on. */
function allowedBy({ brief }: AgentTask): (file: string) => boolean {
  const { names } = readGlobs(brief.allow);
  const tails = (file: string): string[] => file.split('/').map((_, index, parts) => parts.slice(index).join('/'));
  return (file) => brief.sandbox.includes(file) || tails(file).some((tail) => names(tail) || names(`${tail}/x`));
}

/** How a program ended, and what stood in its way where it said so: `refused` for its key, `busy` for its provider. */
interface ProgramOutcome {
  readonly work: AgentWork;
  readonly why: 'refused' | 'busy' | undefined;
}

/** What became of it, by how it ended. Whether it did anything is not asked here: the files say that. */
function outcomeOf(choice: ProgramChoice, ran: Ran, told: ProgramReport): ProgramOutcome {
  const other = anotherModel(choice, told);
  if (other !== undefined) return { work: { kind: 'unable', reason: other }, why: undefined };
  const end = howItFailed(choice.program, ran, told.complaint);
  if (end === undefined) return { work: editedBy(told.words), why: undefined };
  const complaint = shortLine(hideSecrets(told.complaint ?? ''));
  // What else it printed is told and no more: nobody knows who chose those words.
  const said = complaint || (ran.timedOut || ran.silent ? '' : shortLine(hideSecrets(lastLine(ran.stderr.text))));
  const reason = said === '' ? end : `${end}: ${said}`;
  if (isRefusedKey(complaint)) return { work: { kind: 'unable', reason }, why: 'refused' };
  return { work: { kind: 'failed', reason }, why: isBusy(complaint) ? 'busy' : undefined };
}

/** The last line of what it said is the title, and what stands above it the notes. */
function editedBy(words: string): AgentWork {
  const said = hideSecrets(words);
  const title = shortLine(lastLine(said)) || 'an edit without a title';
  const notes = said.trim().split('\n').slice(0, -1).join('\n').trim().slice(0, 2_000);
  return { kind: 'edited', title, notes, escalate: escalationIn(title, escalationReasons) };
}

/** Every provider says it in words of its own; the programs hand them on. */
const isRefusedKey = (words: string): boolean =>
  /\b40[13]\b|unauthori[sz]ed|authentication|(invalid|incorrect|wrong)[^.]{0,20}api[ _-]?key|api[ _-]?key[^.]{0,20}(invalid|not valid)|credit balance|insufficient_quota|billing/i.test(
    words,
  );

const isBusy = (words: string): boolean =>
  /\b(429|529)\b|rate.?limit|too many requests|overloaded|quota|resource.?exhausted|usage limit/i.test(words);

const shortLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200).trim();
