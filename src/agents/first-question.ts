import type { Brief } from '../domain/words/brief.ts';
import type { AgentTask } from './agent-contract.ts';
import type { Question } from './models/model-contract.ts';
import { openingOf, quotationWith } from './prompts.ts';
import { systemOf } from './role-texts.ts';
import { toolsFor } from './tools/role-tools.ts';

/** What an agent of a role is asked first where there is nothing to tell yet: no file, no spec, no notebook. A night's are longer. */
export function firstQuestion(role: AgentTask['role'], brief: Brief): Pick<Question, 'system' | 'messages' | 'tools'> {
  const task: AgentTask = {
    ...{ role, agent: role, brief, dir: '', files: [], context: '', spec: undefined, notebook: [], specs: [] },
    ...{ open: 0, wanted: 1, attempt: 1, ask: 1, attempts: 1, seed: '', mark: '', deadlineMs: 0 },
    ...{ refused: [], report: '', plan: '', critiques: [], diff: '', rehearse: async () => '' },
    cell: { level: 'none', shown: [], hidden: [] },
  };
  const quotation = quotationWith('0'.repeat(32));
  const { shared, own } = openingOf(task, quotation);
  const tools = toolsFor(task, quotation).map(({ name, description, input }) => ({ name, description, input }));
  const parts = [...shared, own].map((text) => ({ kind: 'text', text }) as const);
  return { system: systemOf(role), messages: [{ from: 'us', parts }], tools };
}
