import { type EscalationAnswer, escalationReasons } from '../../domain/staff/escalation.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, shown } from '../../text/clean.ts';
import type { AgentTask, AgentWork, Candidates } from '../agent-contract.ts';
import { inputForm, type Tool, textInput } from '../models/conversation.ts';

/** A part of what `finish` takes: that its maker is stuck. */
export const escalate = {
  ...inputForm({
    reason: { type: 'string', enum: [...escalationReasons] },
    words: textInput('what is missing, in a few sentences'),
  }),
  description: 'only where you cannot go on: somebody above you is told, and answers',
};

/** What a model has put there; undefined where it is none of the reasons. */
export function escalationOf(said: unknown): AgentWork['escalate'] {
  if (typeof said !== 'object' || said === null || !('reason' in said)) return undefined;
  const reason = escalationReasons.find((one) => one === said.reason);
  return reason && { reason, words: 'words' in said ? String(said.words).trim().slice(0, mostWords) : '' };
}

const mostWords = 4_000;
const kinds = ['context', 'reassign', 'escalate', 'close'] as const;

/** How a manager ends its turn. */
export const answer: Tool = {
  name: 'answer',
  description: 'Says what is to become of the work that is stuck, and ends.',
  input: inputForm(
    {
      decision: textInput(
        'context: here is what was missing; reassign: somebody else works on it; escalate: your own manager decides; close: it is not worth more',
        kinds,
      ),
      text: textInput('what whoever goes on needs to know, or why'),
      to: textInput('of reassign: to whom'),
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
export function answerOf(title: string, text: string, to: unknown): AgentWork {
  const kind = kinds.find((one) => one === title);
  if (kind === undefined) return { kind: 'failed', reason: 'it gave no answer' };
  const words = text.trim().slice(0, mostWords);
  const said: EscalationAnswer = { kind, text: words, ...(kind === 'reassign' && { to: String(to) }) };
  return { kind: 'said', text: words, answer: said };
}

/** What a lead asks for another agent with. Whether it gets one is for the chart, the policies and people to say. */
export const spawnTool = (spawn: NonNullable<AgentTask['spawn']>): Tool => ({
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

/** How whoever shares out work ends its turn. */
export function delegateTool({ others }: Candidates): Tool {
  const names = others.map(({ id }) => id);
  let wrong = 0;
  return {
    name: 'delegate',
    description: 'Gives the spec to one of those who are named, and ends.',
    input: inputForm({
      to: textInput('who works it', names),
      reason: textInput('why, in a sentence or two; it is written down'),
    }),
    use: async ({ to, reason }) => {
      const [name, why] = [String(to).trim(), reasonIn(String(reason))];
      const against = !names.includes(name)
        ? `${shown(name)} is nobody whom it may be given to`
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
export function delegationOf(title: string, text: string, to: unknown): AgentWork {
  if (title !== 'delegate') return { kind: 'failed', reason: title === 'nobody' ? text : 'it gave no answer' };
  return { kind: 'said', text, answer: { kind: 'reassign', text, to: String(to) } };
}

/** One line, cleaned before it is cut: half a secret is not known again. */
const reasonIn = (text: string): string => cleanLine(hideSecrets(text).replaceAll(/\s+/g, ' '), mostReason);
