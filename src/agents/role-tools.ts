import { hideSecrets } from '../secrets/known-secrets.ts';
import { readGlobs } from '../text/paths.ts';
import type { AgentTask, AgentWork, Role } from './agent-contract.ts';
import type { Finish, Tool } from './models/conversation.ts';
import type { Quotation } from './quotation.ts';
import { benchFiles } from './tools/bench-files.ts';
import { delegateTool, delegationOf } from './tools/delegate-tool.ts';
import { answer, answerOf, escalate, escalationOf } from './tools/escalation-tools.ts';
import { fileTools } from './tools/file-tools.ts';
import { spawnTool } from './tools/spawn-tool.ts';

/** A junior writes in the sandbox, a chief in specs/, and whoever only talks nowhere; all may look at everything there. */
export function toolsFor(task: AgentTask, quotation: Quotation): readonly Tool[] {
  const tools = fileTools(benchFiles(task.dir, writable(task)), quotation);
  switch (task.role) {
    case 'junior':
      return [...tools, runTool(task, quotation), task.brief.staff.posts === undefined ? finish : orEscalate];
    case 'chief':
      return task.spawn === undefined ? [...tools, finish] : [...tools, spawnTool(task.spawn), finish];
    case 'planner':
    case 'critic':
      return [...tools.filter(looksOnly), say];
    case 'checker':
      return [...tools.filter(looksOnly), review];
    case 'manager':
      return [...tools.filter(looksOnly), answer];
    case 'delegator':
      return [...tools.filter(looksOnly), delegateTool(task.candidates ?? { why: '', others: [] })];
  }
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

const looksOnly = ({ name }: Tool): boolean => ['list', 'read', 'search'].includes(name);

const runTool = (task: AgentTask, { quote }: Quotation): Tool => ({
  name: 'run',
  description: `Runs the program as it stands now, as the harness does first, and tells what it prints. ${
    task.brief.rehearsal === 'score' ? 'Also the score.' : 'No score.'
  }`,
  input: { type: 'object', properties: {}, required: [], additionalProperties: false },
  use: async (_input, signal) => ({ text: quote(await task.rehearse(signal)) }),
});

const done = {
  title: { type: 'string', description: 'what was changed, in one line' },
  notes: { type: 'string', description: 'never left out: what was tried, what was expected of it and why' },
} as const;

const finishWith = (properties: Readonly<Record<string, unknown>>): Tool => ({
  name: 'finish',
  description: 'Says that the work is done. Always with notes: whoever comes next knows nothing else of it.',
  input: { type: 'object', properties, required: ['title'], additionalProperties: false },
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
  input: {
    type: 'object',
    properties: { text: { type: 'string', description: 'the plan, or the comments, as Markdown' } },
    required: ['text'],
    additionalProperties: false,
  },
  use: async ({ text }) => ({ text: 'done', finish: { title: '', notes: String(text) } }),
};

const review: Tool = {
  name: 'review',
  description: 'Decides whether the change may be taken, and ends.',
  input: {
    type: 'object',
    properties: {
      decision: { type: 'string', enum: ['approve', 'reject'] },
      summary: { type: 'string', description: 'why, in one sentence' },
      findings: {
        type: 'array',
        items: { type: 'string' },
        description: 'each with file and line, how bad it is (low, medium, high), and what is wrong',
      },
    },
    required: ['decision', 'summary'],
    additionalProperties: false,
  },
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
