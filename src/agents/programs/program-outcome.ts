import { escalationIn, escalationReasons } from '../../domain/staff/escalation.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { readGlobs } from '../../text/paths.ts';
import { isProblem } from '../../text/problem.ts';
import type { AgentTask, AgentWork } from '../agent-contract.ts';
import { stoppedBy } from '../model-access.ts';
import { Fault } from '../models/model-contract.ts';
import { lastLine } from './json-lines.ts';

/** Why a program could not even be started. What is nobody's fault but ours is thrown on. */
export function whyNotBegun(error: unknown, signal: AbortSignal): AgentWork {
  const stopped = stoppedBy(error);
  if (stopped !== undefined) return stopped;
  if (error instanceof Fault && error.kind === 'cap') return { kind: 'failed', reason: error.message };
  if (error instanceof Fault && error.kind === 'busy') return { kind: 'busy', reason: error.message };
  // A login may end in the middle of a night.
  if (isProblem(error) && error.code.startsWith('credentials/'))
    return { kind: 'unable', reason: `${error.message}. ${error.hint}` };
  const isAbort = error instanceof Error && error.name === 'AbortError';
  if (signal.aborted || isAbort) return { kind: 'busy', reason: 'the night was over before it began' };
  throw error;
}

/** What a brief lets agents write although it speaks to agents: then it is what they work on. */
export function speaksByRight({ brief }: AgentTask): (file: string) => boolean {
  const { names } = readGlobs(brief.allow);
  const tails = (file: string): string[] => file.split('/').map((_, index, parts) => parts.slice(index).join('/'));
  return (file) => brief.sandbox.includes(file) || tails(file).some((tail) => names(tail) || names(`${tail}/x`));
}

/** The last line of what it said is the title, and what stands above it the notes. */
export function editedBy(words: string): AgentWork {
  const said = hideSecrets(words);
  const title = shortLine(lastLine(said)) || 'an edit without a title';
  const notes = said.trim().split('\n').slice(0, -1).join('\n').trim().slice(0, 2_000);
  return { kind: 'edited', title, notes, escalate: escalationIn(title, escalationReasons) };
}

/** Every provider says it in words of its own; the programs hand them on. */
export const isRefusedKey = (words: string): boolean =>
  /\b40[13]\b|unauthori[sz]ed|authentication|(invalid|incorrect|wrong)[^.]{0,20}api[ _-]?key|api[ _-]?key[^.]{0,20}(invalid|not valid)|credit balance|insufficient_quota|billing/i.test(
    words,
  ) || /not logged in|token could not be refreshed|failed to refresh token|out of credits|spend cap/i.test(words);

export const isBusy = (words: string): boolean =>
  /\b(429|529)\b|rate.?limit|too many requests|overloaded|quota|resource.?exhausted|usage limit|limit reached|hit your [\w -]*limit/i.test(
    words,
  );

export const shortLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200).trim();
