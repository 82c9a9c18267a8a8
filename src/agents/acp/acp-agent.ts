import { toolAct } from '../../domain/rules/act.ts';
import { programIn } from '../../domain/staff/staff.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { Agent, AgentTask, AgentWork } from '../agent-contract.ts';
import { type ModelAccess, payerOf } from '../model-access.ts';
import { putAside, withScratch } from '../programs/confinement.ts';
import { howItFailed, lastLine } from '../programs/json-lines.ts';
import type { ProgramAllowance } from '../programs/program-allowance.ts';
import { editedBy, isBusy, isRefusedKey, shortLine, speaksByRight, whyNotBegun } from '../programs/program-outcome.ts';
import { errandOf } from '../prompts.ts';
import { openTrace, outputLine } from '../trace/open-trace.ts';
import { type AcpChoice, type EndedAcp, startAcp, whyNoSession } from './acp-start.ts';
import type { AcpPermission } from './acp-talk.ts';
import { openUpdates } from './acp-updates.ts';

/** Any program that speaks ACP: in its bench, in a home of its own, and judged by the files alone. */
export function acpAgent(choice: AcpChoice, models: ModelAccess): Agent {
  return (task, signal) =>
    withScratch(async (scratch) => {
      const allowance = await models.allow(choice, false, payerOf(task), task.deadlineMs, signal);
      const putBack = putAside(task.dir, speaksByRight(task));
      const attempt = { choice, models, task, scratch, allowance };
      return runAcp(attempt, signal).finally(putBack).finally(allowance.abandon);
    }).catch((error) => whyNotBegun(error, signal));
}

/** Programs that have been found to say nothing of the tokens of a whole prompt over ACP, or those of its last answer alone. */
export const tellsNoUse = (program: string): boolean => ['gemini', 'opencode'].includes(program);

/** One attempt of a program. */
interface AcpRun {
  readonly choice: AcpChoice;
  readonly models: Pick<ModelAccess, 'refuses'>;
  readonly task: AgentTask;
  readonly scratch: string;
  readonly allowance: ProgramAllowance;
}

async function runAcp(attempt: AcpRun, signal: AbortSignal): Promise<AgentWork> {
  const { choice, task, scratch, allowance } = attempt;
  const trace = openTrace();
  const updates = openUpdates(trace);
  const prompt = errandOf(task, allowance.mostUsd);
  trace.add({ from: 'us', parts: [{ kind: 'text', text: prompt }] });
  const allows = async (asked: AcpPermission): Promise<boolean> => {
    const refusal = await whyRefused(attempt, asked);
    trace.note(`${refusal === undefined ? 'allowed' : `refused, ${refusal}`}: ${asked.kind} ${asked.input.title}`);
    return refusal === undefined;
  };
  const start = { choice, task, scratch, access: allowance.access, prompt, allows, hear: updates.take };
  const first = await startAcp(start, signal);
  // Once more where it ended before it had a session: a machine may be short of something for a moment.
  const ended =
    whyNoSession(first) !== undefined && isEnded(first) && !signal.aborted ? await startAcp(start, signal) : first;
  const reported = { words: updates.words(), isEmpty: updates.isEmpty(), usd: updates.usd() };
  if (ended.ran.stderr.bytes > 0) trace.add(outputLine('stderr', ended.ran.stderr));
  const why = whyNoSession(ended);
  if (why !== undefined) {
    allowance.release();
    if (signal.aborted) return { kind: 'busy', reason: 'the night was over before it began' };
    const reason = `${programIn(choice)} could not be started: ${shortLine(hideSecrets(why))}`;
    return { kind: 'unable', reason, trace: trace.text() };
  }
  const work = workOf(attempt, ended, reported.words);
  const spent = settle(allowance, ended, work, reported);
  return { ...work, spent, trace: trace.text() };
}

/** It ended by itself, and was not waited for in vain. */
const isEnded = ({ end, ran }: EndedAcp): boolean => end.kind === 'broken' && end.why === undefined && !ran.silent;

/** What the policies have against a tool that a program asks to use. */
async function whyRefused({ task, models }: AcpRun, { kind, input }: AcpPermission): Promise<string | undefined> {
  const tool = { server: 'acp', name: kind, spec: task.spec?.id };
  const refusal = await models.refuses?.(task.agent, (who) => toolAct(who, tool, input), payerOf(task).errand);
  return refusal?.words;
}

/** What became of it, by how it ended. Whether it did anything is not asked here: the files say that. */
function workOf({ choice }: AcpRun, { ran, end, isLate }: EndedAcp, words: string): AgentWork {
  const name = programIn(choice);
  if (end.kind === 'done' && end.stop === 'end_turn') return editedBy(words);
  if (ran.silent || isLate) return failed(`${howItFailed(name, { ...ran, timedOut: true })}`);
  if (end.kind === 'done') return failed(`${name} stopped: ${end.stop ?? 'it does not say why'}`);
  const said = end.why ?? lastLine(ran.stderr.text);
  const how = end.why === undefined ? `${name} ended with ${ran.code ?? ran.signal}` : `${name} failed`;
  const reason = said === '' ? how : `${how}: ${shortLine(hideSecrets(said))}`;
  return end.why !== undefined && isRefusedKey(end.why) ? { kind: 'unable', reason } : failed(reason);
}

const failed = (reason: string): AgentWork => ({ kind: 'failed', reason });

/** One that failed before its model said anything has used nothing. Of one that does not say, nobody knows what it used. */
function settle(
  allowance: ProgramAllowance,
  { ran, end, isLate }: EndedAcp,
  work: AgentWork,
  { words, isEmpty, usd }: { readonly words: string; readonly isEmpty: boolean; readonly usd: number | undefined },
) {
  const refused = end.kind === 'broken' ? end.why : undefined;
  const usage = end.kind === 'done' ? end.usage : undefined;
  if (usage !== undefined) return allowance.settle({ usage, usd, models: [], words, complaint: undefined });
  if (refused !== undefined && work.kind !== 'edited' && isEmpty && !isLate && !ran.silent) allowance.release();
  else allowance.keep();
  if (refused !== undefined && isBusy(refused)) allowance.busy();
  return undefined;
}
