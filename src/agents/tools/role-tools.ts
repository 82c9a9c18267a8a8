import { type EscalationAnswer, escalationReasons } from '../../domain/staff/escalation.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { readGlobs } from '../../text/paths.ts';
import { cleanLine, shown } from '../../text/problem.ts';
import { formatDuration } from '../../text/quantity.ts';
import type { AgentTask, AgentWork, Candidates, Role } from '../agent-contract.ts';
import { type Finish, inputForm, type Tool, textInput } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { benchFiles, fileTools } from './file-tools.ts';

/** A junior writes in the sandbox, a chief in specs/, and a role that only talks nowhere; all may look at everything there. */
export function toolsFor(task: AgentTask, quotation: Quotation): readonly Tool[] {
  const mayWrite = writable(task);
  const tools = fileTools(benchFiles(task.dir, readGlobs(mayWrite).names), quotation, mayWrite.join(', '));
  switch (task.role) {
    case 'junior':
      return [...tools, runTool(task, quotation), task.brief.staff.posts === undefined ? finish : orEscalate];
    case 'chief':
      return [...tools, ...(task.spawn === undefined ? [] : [spawnTool(task.spawn)]), specsDone];
    default:
      return [...tools.filter(({ name }) => ['list', 'read', 'search'].includes(name)), endOf(task)];
  }
}

/** How a role that only talks says what it has to say. */
function endOf({ role, candidates }: AgentTask): Tool {
  if (role === 'delegator') return delegateTool(candidates ?? { why: '', others: [] });
  if (role === 'planner') return sayWith('your plan, as Markdown');
  return role === 'checker' ? review : role === 'manager' ? answer : sayWith('your comments, as Markdown');
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

const writable = ({ role, brief }: AgentTask): readonly string[] =>
  role === 'junior' ? brief.sandbox : role === 'chief' ? ['specs/*.md'] : [];

const runTool = (task: AgentTask, { quote }: Quotation): Tool => ({
  name: 'run',
  description: `Runs the first stage of the harness${task.brief.run === undefined ? '' : ` (${task.brief.run})`} on your files as they are, and shows what it prints, ${
    task.brief.rehearsal === 'score' ? 'with the score of one measurement' : 'without a score'
  }. It takes no arguments and records nothing. It is killed after ${formatDuration(task.brief.budget.experimentMs)}, and waits while others are measured.`,
  input: inputForm({}),
  use: async (_input, signal) => ({ text: quote(await task.rehearse(signal)) }),
});

const done = {
  title: textInput('what you changed, in one line'),
  notes: textInput('never left out: what you tried, what you expected of it and why'),
};

/** A part of what `finish` takes: that its maker is stuck. */
const escalate = {
  ...inputForm({
    reason: { type: 'string', enum: [...escalationReasons] },
    words: textInput('what is missing, in a few sentences'),
  }),
  description: 'only where you cannot go on: your manager is told, and answers',
};

const finishWith = (properties: Readonly<Record<string, unknown>>, description: string): Tool => ({
  name: 'finish',
  description,
  input: inputForm(properties, ['title']),
  use: async ({ title, notes, escalate: stuck }) => ({
    text: 'done',
    finish: {
      title: firstLine(String(title)),
      notes: typeof notes === 'string' ? notes : '',
      ...(stuck !== undefined && { more: stuck }),
    },
  }),
});

const workDone = 'Ends the attempt. Always with notes: they and the diff are all that the next agent knows of it.';
const finish = finishWith(done, workDone);

/** Where there is a chart, each agent has somebody above it. */
const orEscalate = finishWith({ ...done, escalate }, workDone);

/** How a chief ends: its specs say the rest. */
const specsDone = finishWith(
  { title: textInput('what the specs are about, in one line') },
  'Ends your turn once the specs are written.',
);

const sayWith = (what: string): Tool => ({
  name: 'finish',
  description: 'Says it, and ends your turn.',
  input: inputForm({ text: textInput(what) }),
  use: async ({ text }) => ({ text: 'done', finish: { title: '', notes: String(text) } }),
});

const review: Tool = {
  name: 'review',
  description: 'Decides whether the change may be taken, and ends your turn.',
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

/** What a model has put there; undefined where it is not one of the reasons. */
function escalationOf(said: unknown): AgentWork['escalate'] {
  if (typeof said !== 'object' || said === null || !('reason' in said)) return undefined;
  const reason = escalationReasons.find((one) => one === said.reason);
  return reason && { reason, words: 'words' in said ? String(said.words).trim().slice(0, mostWords) : '' };
}

const mostWords = 4_000;
const kinds = ['context', 'reassign', 'escalate', 'close'] as const;

/** How a manager ends its turn. */
const answer: Tool = {
  name: 'answer',
  description: 'Decides how the work goes on, and ends your turn.',
  input: inputForm(
    {
      decision: textInput(
        'context: you say what was missing; reassign: another agent works on it; escalate: your own manager decides; close: it is not worth more',
        kinds,
      ),
      text: textInput('what the next agent needs to know, or why'),
      to: textInput('for reassign: the name of the agent'),
    },
    ['decision', 'text'],
  ),
  use: async ({ decision, text, to }) => {
    const kind = kinds.find((one) => one === decision);
    if (kind === undefined) return { text: `the decision is one of ${kinds.join(', ')}`, failed: true };
    if (kind === 'reassign' && typeof to !== 'string') return { text: 'reassign needs "to"', failed: true };
    return { text: 'done', finish: { title: kind, notes: String(text), more: to } };
  },
};

/** Nobody's last words are taken for an answer. */
function answerOf(title: string, text: string, to: unknown): AgentWork {
  const kind = kinds.find((one) => one === title);
  if (kind === undefined) return { kind: 'failed', reason: 'it gave no answer' };
  const words = text.trim().slice(0, mostWords);
  const said: EscalationAnswer = { kind, text: words, ...(kind === 'reassign' && { to: String(to) }) };
  return { kind: 'said', text: words, answer: said };
}

/** What a lead asks for another agent with. Whether it gets one is for the chart, the policies and people to say. */
const spawnTool = (spawn: NonNullable<AgentTask['spawn']>): Tool => ({
  name: 'spawn',
  description: 'Asks for one more agent that reports to you, where the work needs one. It begins at once.',
  input: inputForm(
    {
      role: textInput('what it is called, such as Data Worker'),
      domain: textInput('its field, in a word or two'),
      model: textInput('a model of the org by its name; left out, the usual one'),
    },
    ['role'],
  ),
  use: async ({ role, domain, model }) => {
    const word = (value: unknown): string | undefined => (typeof value === 'string' ? value.trim() : undefined);
    return { text: await spawn({ role: word(role)?.slice(0, 60) ?? '', domain: word(domain), model: word(model) }) };
  },
});

/** How often a name that nobody has, or an answer without a reason, may be put right. */
const mostRepairs = 2;
const mostReason = 500;

/** How an agent that shares out work ends its turn. */
function delegateTool({ others }: Candidates): Tool {
  const names = others.map(({ id }) => id);
  let wrong = 0;
  return {
    name: 'delegate',
    description: 'Gives the spec to one of the agents that are named, and ends your turn.',
    input: inputForm({
      to: textInput('the agent that works on it', names),
      reason: textInput('why, in a sentence or two; it is written down'),
    }),
    use: async ({ to, reason }) => {
      const [name, why] = [String(to).trim(), reasonIn(String(reason))];
      const against = !names.includes(name)
        ? `the spec may not be given to ${shown(name)}`
        : why === ''
          ? 'it gave no reason'
          : undefined;
      if (against === undefined) return { text: 'done', finish: { title: 'delegate', notes: why, more: name } };
      wrong += 1;
      if (wrong > mostRepairs) return { text: against, finish: { title: 'nobody', notes: against } };
      return { text: `${against}. Say it again: to is one of ${names.join(', ')}, and reason says why.`, failed: true };
    },
  };
}

/** Nobody's last words are taken for a decision. */
function delegationOf(title: string, text: string, to: unknown): AgentWork {
  if (title !== 'delegate') return { kind: 'failed', reason: title === 'nobody' ? text : 'it gave no answer' };
  return { kind: 'said', text, answer: { kind: 'reassign', text, to: String(to) } };
}

/** One line, cleaned before it is cut: half a secret is not known again. */
const reasonIn = (text: string): string => cleanLine(hideSecrets(text).replaceAll(/\s+/g, ' '), mostReason);
