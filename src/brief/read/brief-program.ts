import { type AgentChoice, homeOf, type Program } from '../../domain/staff/staff.ts';
import type { ModelId, Provider } from '../../domain/words/model-id.ts';
import { type Field, readWord, wrongValue } from '../../text/field.ts';

/** Where a brief says what is read here. */
interface Said {
  readonly agent: Field;
  readonly model: Field | undefined;
  readonly own: Field | undefined;
}

/** Programs that say themselves which model they used. Of the others nobody would know what a night was made with. */
const tells: readonly Program[] = ['claude', 'gemini'];

/** `agent: claude` and its like, with what stands beside it. */
export function readProgram(
  { agent, model, own }: Said,
  program: Program,
  id: ModelId | undefined,
  baseUrl: string | undefined,
): Extract<AgentChoice, { kind: 'program' }> {
  if (id === undefined && !tells.includes(program))
    throw wrongValue(
      agent,
      'a model beside it',
      `Add model: with a pinned one. ${program} does not tell which one it takes without.`,
    );
  if (id?.provider === 'scripted' && model !== undefined)
    throw wrongValue(model, `a model that ${program} can speak with`, 'A script is played by agent: api.');
  const home = homeOf[program];
  if (id !== undefined && model !== undefined && home !== undefined && id.provider !== home && baseUrl === undefined)
    throw wrongValue(model, `a model of ${names[home]}`, `${program} speaks with ${names[home]}: name another agent.`);
  return {
    kind: 'program',
    program,
    // A server of one's own has names of its own, and is spoken with as the program speaks.
    model: id && { provider: home ?? id.provider, id: id.id },
    baseUrl,
    ownConfig: own !== undefined && readWord(own, ['true', 'false']) === 'true',
  };
}

const names: Readonly<Record<Exclude<Provider, 'scripted'>, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
};
