import { hideSecrets } from '../secrets/known-secrets.ts';
import { readGlobs } from '../text/paths.ts';
import type { AgentTask, AgentWork, Role } from './agent-contract.ts';
import { type Finish, inputForm, type Tool, textInput } from './models/conversation.ts';
import type { Quotation } from './prompts.ts';
import { benchFiles, fileTools } from './tools/file-tools.ts';
import {
  answer,
  answerOf,
  delegateTool,
  delegationOf,
  escalate,
  escalationOf,
  spawnTool,
} from './tools/staff-tools.ts';

/** A junior writes in the sandbox, a chief in specs/, and whoever only talks nowhere; all may look at everything there. */
export function toolsFor(task: AgentTask, quotation: Quotation): readonly Tool[] {
  const tools = fileTools(benchFiles(task.dir, writable(task)), quotation);
  switch (task.role) {
    case 'junior':
      return [...tools, runTool(task, quotation), task.brief.staff.posts === undefined ? finish : orEscalate];
    case 'chief':
      return task.spawn === undefined ? [...tools, finish] : [...tools, spawnTool(task.spawn), finish];
    default:
      return [...tools.filter(({ name }) => ['list', 'read', 'search'].includes(name)), endOf(task)];
  }
}

/** How whoever only talks says what it has to say. */
function endOf({ role, candidates }: AgentTask): Tool {
  if (role === 'delegator') return delegateTool(candidates ?? { why: '', others: [] });
  return role === 'checker' ? review : role === 'manager' ? answer : say;
}

/** What a conversation that came to its end means for the org. Nobody's words are taken for a decision. */
export function workOf(role: Role, { title, notes, more }: Finish): AgentWork {
  switch (role) {
    case 'chief':
    case 'junior':
      // Without a title its last words must do.
      return title === ''
        ? { kind: 'edited', title: firstLine(notes), notes: '' }
        : { kind: 'edited', title: firstLine(title), notes: hideSecrets(notes), escalate: escalationOf(more) };
    case 'planner':
    case 'critic':
      return notes.trim() === '' ? { kind: 'failed', reason: 'it said nothing' } : { kind: 'said', text: notes.trim() };
    case 'checker':
      return title === ''
        ? { kind: 'failed', reason: 'it gave no review' }
        : { kind: 'said', text: notes, approves: title === 'approve' };
    case 'manager':
      return answerOf(title, notes, more);
    case 'delegator':
      return delegationOf(title, notes, more);
  }
}

function writable({ role, brief }: AgentTask): (file: string) => boolean {
  if (role === 'junior') return readGlobs(brief.sandbox).names;
  return role === 'chief' ? readGlobs(['specs/*.md']).names : () => false;
}

const runTool = (task: AgentTask, { quote }: Quotation): Tool => ({
  name: 'run',
  description: `Runs the program as it stands now, as the harness does first, and tells what it prints. ${
    task.brief.rehearsal === 'score' ? 'Also the score.' : 'No score.'
  }`,
  input: inputForm({}),
  use: async (_input, signal) => ({ text: quote(await task.rehearse(signal)) }),
});

const done = {
  title: textInput('what was changed, in one line'),
  notes: textInput('never left out: what was tried, what was expected of it and why'),
};

const finishWith = (properties: Readonly<Record<string, unknown>>): Tool => ({
  name: 'finish',
  description: 'Says that the work is done. Always with notes: whoever comes next knows nothing else of it.',
  input: inputForm(properties, ['title']),
  use: async ({ title, notes, escalate: stuck }) => ({
    text: 'done',
    finish: { title: firstLine(String(title)), notes: typeof notes === 'string' ? notes : '', ...withMore(stuck) },
  }),
});

const withMore = (more: unknown): Pick<Finish, 'more'> => (more === undefined ? {} : { more });

const finish = finishWith(done);

/** Where there is a chart, somebody is above whoever works. */
const orEscalate = finishWith({ ...done, escalate });

const say: Tool = {
  name: 'finish',
  description: 'Says what you have to say, and ends.',
  input: inputForm({ text: textInput('the plan, or the comments, as Markdown') }),
  use: async ({ text }) => ({ text: 'done', finish: { title: '', notes: String(text) } }),
};

const review: Tool = {
  name: 'review',
  description: 'Decides whether the change may be taken, and ends.',
  input: inputForm(
    {
      decision: { type: 'string', enum: ['approve', 'reject'] },
      summary: textInput('why, in one sentence'),
      findings: {
        type: 'array',
        items: { type: 'string' },
        description: 'each with file and line, how bad it is (low, medium, high), and what is wrong',
      },
    },
    ['decision', 'summary'],
  ),
  use: async ({ decision, summary, findings }) => {
    if (decision !== 'approve' && decision !== 'reject')
      return { text: 'the decision is approve or reject', failed: true };
    const points = Array.isArray(findings) ? findings.map((finding) => `- ${inWords(finding)}`) : [];
    return { text: 'done', finish: { title: decision, notes: [String(summary), ...points].join('\n') } };
  },
};

/** Models like to give a finding fields of its own. */
const inWords = (finding: unknown): string => (typeof finding === 'string' ? finding : JSON.stringify(finding));

/** Cleaned before it is cut: half a secret is not known again. */
const firstLine = (text: string): string =>
  hideSecrets(text).trim().split('\n')[0]?.slice(0, 200).trim() || 'an edit without a title';
