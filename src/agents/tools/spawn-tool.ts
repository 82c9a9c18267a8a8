import type { AgentTask } from '../agent-contract.ts';
import type { Tool } from '../models/conversation.ts';

/** What a lead asks for another agent with. Whether it gets one is for the chart, the policies and people to say. */
export const spawnTool = (spawn: NonNullable<AgentTask['spawn']>): Tool => ({
  name: 'spawn',
  description: 'Asks for one more agent that reports to you, where the work needs one. It begins at once.',
  input: {
    type: 'object',
    properties: {
      role: { type: 'string', description: 'what it is called, such as Data Worker' },
      domain: { type: 'string', description: 'its field, in a word or two' },
      model: { type: 'string', description: 'a model of the org by its name; left out, the usual one' },
    },
    required: ['role'],
    additionalProperties: false,
  },
  use: async ({ role, domain, model }) => {
    const word = (value: unknown): string | undefined => (typeof value === 'string' ? value.trim() : undefined);
    return { text: await spawn({ role: word(role)?.slice(0, 60) ?? '', domain: word(domain), model: word(model) }) };
  },
});
