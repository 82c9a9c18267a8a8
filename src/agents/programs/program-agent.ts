import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ProgramChoice } from '../../domain/staff/staff.ts';
import type { OwnPrice } from '../../domain/words/brief.ts';
import type { ProcessCommand, Ran } from '../../process/run-process.ts';
import { readRegularFile } from '../../process/untrusted-files.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { Agent, AgentTask, AgentWork, TaskSpending } from '../agent-contract.ts';
import { howToRenew } from '../logins.ts';
import { type ModelAccess, payerOf } from '../model-access.ts';
import { checkPriced } from '../models/prices.ts';
import { errandOf } from '../prompts.ts';
import { traceOfProcess } from '../trace/open-trace.ts';
import { putAside, withScratch } from './confinement.ts';
import { howItFailed, lastLine, takeLines } from './json-lines.ts';
import { anotherModel, type ProgramAllowance } from './program-allowance.ts';
import type { KnownProgram, ProgramForm, ProgramReport } from './program-contract.ts';
import { editedBy, isBusy, isRefusedKey, shortLine, speaksByRight, whyNotBegun } from './program-outcome.ts';
import { hasNeverBegun, programForms, startProgram } from './program-start.ts';

/** Whether a cap on money can bind a program: it says what every model costs, or orgrepo knows what its own does. */
export const checkProgramPriced = async (
  choice: ProgramChoice,
  own: ReadonlyMap<string, OwnPrice>,
): Promise<boolean> => {
  const { model, baseUrl } = choice;
  const tellsMoney = choice.kind === 'program' && programForms[choice.program].tellsMoney;
  return tellsMoney || (model !== undefined && checkPriced({ model, baseUrl }, own));
};

/** A command-line agent that people already have, headless: in its bench, in a home of its own, and judged by the files alone. */
export function programAgent(choice: KnownProgram, models: ModelAccess): Agent {
  const form = programForms[choice.program];
  return (task, signal) =>
    withScratch(async (scratch) => {
      const allowance = await models.allow(choice, form.tellsMoney, payerOf(task), task.deadlineMs, signal);
      return runProgram({ choice, form, task, scratch, allowance }, signal).finally(allowance.abandon);
    }).catch((error) => whyNotBegun(error, signal));
}

/** One attempt of a program. */
interface Try {
  readonly choice: KnownProgram;
  readonly form: ProgramForm;
  readonly task: AgentTask;
  /** A directory of its own, with its home and what it is to do. */
  readonly scratch: string;
  readonly allowance: ProgramAllowance;
}

async function runProgram(attempt: Try, signal: AbortSignal): Promise<AgentWork> {
  const { choice, form, task, scratch, allowance } = attempt;
  const putBack = choice.ownConfig ? () => {} : putAside(task.dir, speaksByRight(task));
  const ended = await startTwice(attempt, signal).finally(putBack);
  if (typeof ended === 'string') {
    allowance.release();
    return { kind: 'unable', reason: `${choice.program} could not be started: ${ended}` };
  }
  const { ran, log, counted } = ended;
  const read = form.read({ stdout: counted?.text() ?? ran.stdout.text, stderr: ran.stderr.text, log: log ?? '' });
  const unread = form.log !== undefined && log === undefined && existsSync(path.join(scratch, 'home', form.log));
  const lost = unread || counted?.lost() === true;
  const report = lost ? { ...read, usage: undefined, usd: undefined } : read; // A part is not counted as the sum.
  const outcome = outcomeOf(attempt, ended, report);
  const { spent, isUnused } = settle(attempt, outcome, { report, ended, lost });
  const trace = traceOfProcess(ran, log);
  // What a subscription does not allow yet is waited for: that is not an attempt.
  if (outcome.why === 'busy' && isUnused && allowance.access.login !== undefined && outcome.work.kind === 'failed')
    return { kind: 'busy', reason: outcome.work.reason, trace };
  return { ...outcome.work, spent, trace };
}

/** How a start of a program ended. */
interface EndedProgram {
  readonly ran: Ran;
  readonly log: string | undefined;
  readonly counted: ReturnType<typeof takeLines> | undefined;
  /** It was ended by us, because its provider was busy before any model had answered. */
  readonly turnedAway: boolean;
}

/** Once more where it never began: a machine may be short of something for a moment. After that, why it cannot be started. */
async function startTwice(attempt: Try, signal: AbortSignal): Promise<EndedProgram | string> {
  const { choice } = attempt;
  const isOver = (ended: EndedProgram | string): boolean =>
    typeof ended === 'string' || !hasNeverBegun(choice, ended.ran, ended.log);
  const first = await startOnce(attempt, signal);
  const ended = isOver(first) || signal.aborted ? first : await startOnce(attempt, signal);
  if (typeof ended === 'string' || isOver(ended)) return ended;
  return shortLine(hideSecrets(lastLine(ended.ran.stderr.text))) || `it ended with ${ended.ran.code} and said nothing`;
}

async function startOnce(attempt: Try, signal: AbortSignal): Promise<EndedProgram | string> {
  const { choice, form, task, scratch, allowance } = attempt;
  const counted = form.sums === undefined ? undefined : takeLines(form.sums);
  const said = { stdout: '', stderr: '' };
  let turnedAway = false;
  // Its own tries would keep the money set aside and others asking: before the first answer nothing is lost.
  const endsOn: ProcessCommand['endsOn'] = (chunk, stream) => {
    said[stream] = (said[stream] + chunk.toString('utf8')).slice(-mostErrors);
    const refusal = counted?.isEmpty() === true ? form.refusal?.(said.stderr) : undefined;
    turnedAway ||= isBusy(refusal ?? form.waiting?.(said.stdout) ?? '');
    return turnedAway;
  };
  const { access, mostUsd } = allowance;
  const ran = await startProgram(
    {
      ...{ choice, task, scratch, access, mostUsd, prompt: errandOf(task, mostUsd) },
      ...{ hear: counted?.hear, endsOn },
    },
    signal,
  );
  if (ran === undefined) return 'it is not on the PATH';
  if (ran.notStarted !== undefined) return ran.notStarted;
  const log = form.log === undefined ? undefined : readRegularFile(path.join(scratch, 'home', form.log), mostLog);
  return { ran, log, counted, turnedAway };
}

const mostLog = 4 * 1024 * 1024;
const mostErrors = 16 * 1024;

/**
 * A program that its provider refused, or that failed by itself without a token of any model, has used nothing. Of one that
 * told nothing else nobody knows it: all that was set aside stays so. `isUnused` where nothing was used.
 */
function settle(
  { allowance, form }: Try,
  { why, work }: ProgramOutcome,
  { report, ended, lost }: { readonly report: ProgramReport; readonly ended: EndedProgram; readonly lost: boolean },
): { readonly spent: TaskSpending | undefined; readonly isUnused: boolean } {
  const { ran, turnedAway } = ended;
  const isKilled = ran.timedOut || ran.silent || ran.code === undefined;
  const gaveUp = !lost && !isKilled && work.kind === 'failed';
  const isSilent = report.words === '' && report.hasActed !== true;
  const nothing = report.usage === undefined ? isSilent : report.usage.tokensIn + report.usage.tokensOut === 0;
  // Killed between two of its answers. A shell in between tells a signal as a number.
  const isPart = !form.tellsAtEnd && (isKilled || Number(ran.code) > 128);
  let spent: TaskSpending | undefined;
  const isUnused = turnedAway || ((why === 'refused' || gaveUp) && nothing);
  if (isUnused) allowance.release();
  else if (isPart || report.usage === undefined) allowance.keep();
  else spent = allowance.settle(report);
  if (why === 'busy') allowance.busy(report);
  return { spent, isUnused };
}

/** How a program ended, and what stood in its way where it said so: `refused` for its key, `busy` for its provider. */
interface ProgramOutcome {
  readonly work: AgentWork;
  readonly why: 'refused' | 'busy' | undefined;
}

/** What became of it, by how it ended. Whether it did anything is not asked here: the files say that. */
function outcomeOf(
  { choice, form, allowance }: Try,
  { ran, turnedAway }: EndedProgram,
  report: ProgramReport,
): ProgramOutcome {
  const { program } = choice;
  const other = anotherModel(choice, report);
  if (other !== undefined) return { work: { kind: 'unable', reason: other }, why: undefined };
  const end = turnedAway ? `${program} was stopped: its provider is busy` : howItFailed(program, ran, report.complaint);
  if (end === undefined) return { work: editedBy(report.words), why: undefined };
  const complaint = shortLine(hideSecrets(report.complaint ?? form.refusal?.(ran.stderr.text) ?? ''));
  // What else it printed is told and no more: nobody knows who chose those words.
  const said = complaint || (ran.timedOut || ran.silent ? '' : shortLine(hideSecrets(lastLine(ran.stderr.text))));
  const reason = said === '' ? end : `${end}: ${said}`;
  if (isRefusedKey(complaint) && report.resetsAt === undefined) {
    const fix = allowance.access.login === undefined ? '' : `. ${howToRenew(program)}`;
    return { work: { kind: 'unable', reason: `${reason}${fix}` }, why: 'refused' };
  }
  const isFull = report.resetsAt !== undefined || isBusy(complaint);
  return { work: { kind: 'failed', reason }, why: isFull ? 'busy' : undefined };
}
