import { escalationIn, escalationReasons } from '../../domain/staff/escalation.ts';
import type { Ran } from '../../process/run-process.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { AgentWork } from '../agent-contract.ts';
import type { ProgramReport } from './program-contract.ts';
import { anotherModel, type ProgramChoice } from './program-office.ts';

/** How a program ended, and what stood in its way where it said so: `refused` for its key, `busy` for its provider. */
export interface ProgramOutcome {
  readonly work: AgentWork;
  readonly why: 'refused' | 'busy' | undefined;
}

/** What became of it, by how it ended. Whether it did anything is not asked here: the files say that. */
export function outcomeOf(choice: ProgramChoice, ran: Ran, told: ProgramReport): ProgramOutcome {
  const other = anotherModel(choice, told);
  if (other !== undefined) return { work: { kind: 'unable', reason: other }, why: undefined };
  const end = howItFailed(choice.program, ran, told);
  if (end === undefined) return { work: editedBy(told.words), why: undefined };
  const complaint = oneLine(hideSecrets(told.complaint ?? ''));
  // What else it printed is told and no more: nobody knows who chose those words.
  const said = complaint || (ran.timedOut || ran.silent ? '' : oneLine(hideSecrets(lastLine(ran.stderr.text))));
  const reason = [end, said].filter((part) => part !== '').join(': ');
  if (isRefusedKey(complaint)) return { work: { kind: 'unable', reason }, why: 'refused' };
  return { work: { kind: 'failed', reason }, why: isBusy(complaint) ? 'busy' : undefined };
}

function editedBy(words: string): AgentWork {
  const title = titleOf(words);
  return { kind: 'edited', title, notes: notesOf(words), escalate: escalationIn(title, escalationReasons) };
}

function howItFailed(program: string, ran: Ran, { complaint }: ProgramReport): string | undefined {
  const seconds = Math.round(ran.ms / 1000);
  if (ran.silent) return `${program} fell silent, and was stopped after ${seconds} s`;
  if (ran.timedOut) return `${program} was not done after ${seconds} s`;
  if (ran.code === 0 && complaint === undefined) return undefined;
  return `${program} ended with ${ran.code ?? ran.signal}`;
}

/** Every provider says it in words of its own; the programs hand them on. */
const isRefusedKey = (words: string): boolean =>
  /\b40[13]\b|unauthori[sz]ed|authentication|(invalid|incorrect|wrong)[^.]{0,20}api[ _-]?key|api[ _-]?key[^.]{0,20}(invalid|not valid)|credit balance|insufficient_quota|billing/i.test(
    words,
  );

const isBusy = (words: string): boolean =>
  /\b(429|529)\b|rate.?limit|too many requests|overloaded|quota|resource.?exhausted|usage limit/i.test(words);

const titleOf = (words: string): string => oneLine(lastLine(hideSecrets(words))) || 'an edit without a title';

const notesOf = (words: string): string =>
  hideSecrets(words).trim().split('\n').slice(0, -1).join('\n').trim().slice(0, 2_000);

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200).trim();
