import { type AgentChoice, homeOf, type Program, programs } from '../../domain/staff/staff.ts';
import type { Language, ModelId } from '../../domain/words/model-id.ts';
import { type Field, readLine, readYes, refuseUnknownKeys, wrongValue } from '../../text/field.ts';
import { didYouMean } from '../../text/problem.ts';

const words = ['search', 'api', 'human', ...programs] as const;

/** A program that speaks ACP, before it is known which model it asks. */
interface AcpProgram {
  readonly acp: string;
}

export function readAgent(
  field: Field,
): (typeof words)[number] | Extract<AgentChoice, { kind: 'command' }> | AcpProgram {
  const expected = `search, api, human, ${programs.join(', ')}, { command: "./agent.sh" } or { acp: "gemini --acp" }`;
  const hint = 'Write agent: search, or agent: { command: "./agent.sh" } for a program of your own.';
  if (field.value.kind === 'map') {
    const { fields } = field.value;
    const acp = fields.get('acp');
    // One that speaks ACP asks its model by itself, so it has the network as other such programs do.
    refuseUnknownKeys(fields, acp === undefined ? ['command', 'network', 'acp'] : ['acp']);
    if (acp !== undefined) return { acp: readLine(acp, 'a command such as gemini --acp', acpHint) };
    const command = fields.get('command');
    if (command === undefined) throw wrongValue(field, expected, hint);
    const network = fields.get('network');
    return {
      kind: 'command',
      command: readLine(command, 'a command such as ./agent.sh', hint),
      network: network !== undefined && readYes(network),
    };
  }
  const name = readLine(field, expected, hint);
  const word = words.find((one) => one === name);
  if (word !== undefined) return word;
  throw wrongValue(field, expected, didYouMean(name, words, hint));
}

const acpHint = 'Write agent: { acp: "gemini --acp" }, with the options that make it speak ACP.';

/** A script has no language that a program could speak. */
function refuseUnspoken(model: Field | undefined, id: ModelId | undefined, program: string): void {
  if (id?.provider === 'scripted' && model !== undefined)
    throw wrongValue(model, `a model that ${program} can speak with`, 'A script is played by agent: api.');
}

/** `agent: { acp: … }`, with what stands beside it. */
export function readAcp(
  { acp: command }: AcpProgram,
  { model, url }: Readonly<Record<'model' | 'url', Field | undefined>>,
  id: ModelId | undefined,
  baseUrl: string | undefined,
): Extract<AgentChoice, { kind: 'acp' }> {
  refuseUnspoken(model, id, command);
  if (id === undefined && url !== undefined)
    throw wrongValue(url, 'a model beside it', 'Add model: with the name that the server has.');
  return { kind: 'acp', command, model: id, baseUrl };
}

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
  if (id === undefined && !tells.includes(program)) {
    const hint = `Add model: with a pinned one. ${program} does not tell which one it takes without.`;
    throw wrongValue(agent, 'a model beside it', hint);
  }
  refuseUnspoken(model, id, program);
  const home = homeOf[program];
  if (id !== undefined && model !== undefined && home !== undefined && id.provider !== home && baseUrl === undefined)
    throw wrongValue(model, `a model of ${names[home]}`, `${program} speaks with ${names[home]}: name another agent.`);
  return {
    kind: 'program',
    program,
    // A server of one's own has names of its own, and is spoken with as the program speaks.
    model: id && { provider: home ?? id.provider, id: id.id },
    baseUrl,
    ownConfig: own !== undefined && readYes(own),
  };
}

const names: Readonly<Record<Language, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
};
