import { cleanLine } from '../text/problem.ts';
import type { Agent, AgentTask, AgentWork, Role } from './agent-contract.ts';
import { withDeadline } from './deadline.ts';
import { type ApiChoice, type ModelAccess, type ModelLine, payerOf, stoppedBy } from './model-access.ts';
import { longestAnswer, longestRequest } from './models/call-limits.ts';
import { converse } from './models/conversation.ts';
import { Fault } from './models/model-contract.ts';
import { stillOf } from './programs/confinement.ts';
import { openingOf, quotationWith } from './prompts.ts';
import { systemOf } from './role-texts.ts';
import { toolsFor, workOf } from './tools/role-tools.ts';
import { openToolbox } from './tools/toolbox.ts';
import { messageLine, openTrace } from './trace/open-trace.ts';

const mostTurns = 60;

/** Small models say what they would do, and do not do it. */
const reminder = 'You have changed nothing. Use the tools, or call finish.';
const writers: readonly Role[] = ['junior', 'chief'];
const changing: readonly string[] = ['edit', 'write', 'delete'];

/** A model behind its provider's API, with our own tools and a fresh conversation for every attempt. */
export function apiAgent(choice: ApiChoice, models: ModelAccess): Agent {
  return async (task, signal) => {
    const line = await models.askFor(choice, payerOf(task));
    const trace = openTrace();
    const begun = performance.now();
    const system = systemOf(task.role);
    let hasChanged = false;
    const attempt = async (deadline: AbortSignal): Promise<AgentWork> => {
      const quotation = quotationWith(task.mark);
      const box = await openToolbox(choice.servers ?? [], { task, models, quotation }, deadline);
      const talk = async (): Promise<AgentWork> => {
        trace.add({ from: 'system', parts: [{ kind: 'text', text: system }] });
        const { shared, own } = openingOf(task, quotation);
        const end = await converse(
          {
            ...{ ask: line.ask, model: choice.model.id, system, mostTurns },
            shared,
            opening: [own, ...box.missing].join('\n\n'),
            tools: box.with(toolsFor(task, quotation)),
            // Of a server of one's own nobody knows what its models take.
            takesImages: choice.baseUrl === undefined,
            effort: choice.effort,
            mostTokens: longestAnswer(choice, task.brief.caps),
            mostBytes: longestRequest(choice, task.brief.caps),
            left: () => ({ seconds: (task.deadlineMs - performance.now() + begun) / 1000, ...line.left() }),
            remind: () => (hasChanged || !writers.includes(task.role) ? undefined : reminder),
            onCall: (called) => {
              hasChanged ||= changing.includes(called.tool) && !called.failed;
              // Whatever the model calls a tool is shown to people.
              models.onTool({ ...called, agent: task.agent, spec: task.spec?.id, tool: cleanLine(called.tool, 64) });
            },
            hear: (message, answer) => trace.add(messageLine(message, answer)),
          },
          deadline,
        );
        if (end.kind === 'broken') return { kind: 'failed', reason: `the model: ${end.reason}` };
        return workOf(task.role, end.kind === 'finished' ? end : { title: '', notes: end.words });
      };
      return talk()
        .catch((error) => whyNot(error, task, line, deadline, signal))
        .finally(box.close);
    };
    const end = await withDeadline(task.deadlineMs, signal, attempt, stillOf(task.agent)); // Its tool servers may be stopped.
    trace.note(`${end.kind}: ${end.kind === 'edited' ? end.title : end.kind === 'said' ? end.text : end.reason}`);
    return { ...end, spent: line.spent(), trace: trace.text() };
  };
}

function whyNot(
  error: unknown,
  task: AgentTask,
  line: ModelLine,
  deadline: AbortSignal,
  night: AbortSignal,
): AgentWork {
  const spent = line.spent();
  const stopped = stoppedBy(error, spent);
  if (stopped !== undefined) return stopped;
  const trouble = line.trouble()?.message ?? (line.isHeldUp() ? 'its provider is busy' : undefined);
  const isBusy = line.isHeldUp() || (error instanceof Fault && error.kind === 'busy');
  if (isBusy && spent.tokensIn + spent.tokensOut === 0) return { kind: 'busy', reason: trouble ?? String(error) };
  const cause = trouble === undefined ? '' : `: ${trouble}`;
  if (night.aborted || (line.isHeldUp() && !deadline.aborted))
    return { kind: 'failed', reason: `the night was over before it was done${cause}` };
  if (deadline.aborted)
    return { kind: 'failed', reason: `the agent was not done after ${task.deadlineMs / 1000} s${cause}` };
  if (!(error instanceof Fault)) throw error;
  if (error.kind === 'credentials' || error.kind === 'model') return { kind: 'unable', reason: error.message };
  return { kind: 'failed', reason: error.message };
}
