import { Fault } from '../models/contract.ts';
import { converse, type Tool } from '../models/conversation.ts';
import { readGlobs } from '../text/globs.ts';
import { benchFiles } from './bench-files.ts';
import type { Agent, Task, Work } from './contract.ts';
import { fileTools } from './file-tools.ts';
import type { ApiChoice, Line, Office } from './office.ts';
import { openingOf, systemOf } from './prompts.ts';

const mostTurns = 60;
const mostTokens = 8_192;

/** A model behind its provider's API, with our own tools and a fresh conversation for every attempt. */
export function apiAgent(choice: ApiChoice, office: Office): Agent {
  return async (task, signal) => {
    const spec = task.spec?.id;
    const payer = { agent: task.agent, spec, attempt: spec && `${spec}.${task.attempt}` };
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(task.deadlineMs)]);
    const line = await office.askFor(choice, payer);
    const end = await talk(line, choice, task, deadline);
    return { ...end, spent: line.spent() };
  };
}

async function talk(line: Line, choice: ApiChoice, task: Task, deadline: AbortSignal): Promise<Work> {
  try {
    const { end } = await converse(
      {
        ask: line.ask,
        model: choice.model.id,
        system: systemOf(task.role),
        opening: openingOf(task),
        tools: toolsFor(task),
        mostTokens,
        mostTurns,
      },
      deadline,
    );
    if (end.kind === 'broken') return { kind: 'failed', reason: `the model: ${end.reason}` };
    if (end.kind === 'finished') return { kind: 'edited', title: end.title, notes: end.notes };
    return { kind: 'edited', title: firstLine(end.words), notes: '' };
  } catch (error) {
    return whyNot(error, task, deadline);
  }
}

function whyNot(error: unknown, task: Task, deadline: AbortSignal): Work {
  if (error instanceof Fault && error.refused !== undefined)
    return { kind: 'capped', reason: error.message, scope: error.refused.scope };
  if (deadline.aborted) return { kind: 'failed', reason: `the agent was not done after ${task.deadlineMs / 1000} s` };
  if (!(error instanceof Fault)) throw error;
  if (error.kind === 'credentials' || error.kind === 'model') return { kind: 'unable', reason: error.message };
  return { kind: 'failed', reason: error.message };
}

/** A junior writes in the sandbox, a chief in specs/; both may look at everything that is there. */
function toolsFor(task: Task): readonly Tool[] {
  const { names } = readGlobs(task.role === 'chief' ? ['specs/*.md'] : task.brief.sandbox);
  const files = benchFiles(task.dir, names);
  const run: Tool = {
    name: 'run',
    description: 'Runs the program as it stands now, as the harness does first, and tells what it prints. No score.',
    input: { type: 'object', properties: {}, required: [], additionalProperties: false },
    use: async (_input, signal) => ({ text: await task.rehearse(signal) }),
  };
  return [...fileTools(files), ...(task.role === 'junior' ? [run] : []), finish];
}

const finish: Tool = {
  name: 'finish',
  description: 'Says that the work is done.',
  input: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'what was changed, in one line' },
      notes: { type: 'string', description: 'what was expected of it and why, for whoever comes next' },
    },
    required: ['title'],
    additionalProperties: false,
  },
  use: async ({ title, notes }) => ({
    text: 'done',
    finish: { title: firstLine(String(title)), notes: typeof notes === 'string' ? notes : '' },
  }),
};

const firstLine = (text: string): string =>
  text.trim().split('\n')[0]?.slice(0, 200).trim() || 'an edit without a title';
