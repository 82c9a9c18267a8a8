import { type EscalationAnswer, escalationReasons } from '../../domain/staff/escalation.ts';
import type { AgentWork } from '../agent-contract.ts';
import type { Tool } from '../models/conversation.ts';

/** A part of what `finish` takes: that its maker is stuck. */
export const escalate = {
  type: 'object',
  description: 'only where you cannot go on: somebody above you is told, and answers',
  properties: {
    reason: { type: 'string', enum: [...escalationReasons] },
    words: { type: 'string', description: 'what is missing, in a few sentences' },
  },
  required: ['reason', 'words'],
  additionalProperties: false,
} as const;

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
  input: {
    type: 'object',
    properties: {
      decision: {
        type: 'string',
        enum: [...kinds],
        description:
          'context: here is what was missing; reassign: somebody else works on it; escalate: your own manager decides; close: it is not worth more',
      },
      text: { type: 'string', description: 'what whoever goes on needs to know, or why' },
      to: { type: 'string', description: 'of reassign: to whom' },
    },
    required: ['decision', 'text'],
    additionalProperties: false,
  },
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
  const said: EscalationAnswer = {
    kind,
    text: text.trim().slice(0, mostWords),
    ...(kind === 'reassign' ? { to: String(to) } : {}),
  };
  return { kind: 'said', text: said.text, answer: said };
}
