import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, shown } from '../../text/clean.ts';
import type { AgentWork, Candidates } from '../agent-contract.ts';
import type { Tool } from '../models/conversation.ts';

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
    input: {
      type: 'object',
      properties: {
        to: { type: 'string', enum: names, description: 'who works it' },
        reason: { type: 'string', description: 'why, in a sentence or two; it is written down' },
      },
      required: ['to', 'reason'],
      additionalProperties: false,
    },
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
