import { type AgentChoice, everybodyIn, homeOf, programs, type Staff } from '../../domain/staff/staff.ts';
import { efforts, formatModelId, type Language, languages } from '../../domain/words/model-id.ts';
import {
  type Field,
  type Fields,
  readBaseAddress,
  readLine,
  readMap,
  readWord,
  wrongKey,
  wrongValue,
} from '../../text/field.ts';
import { didYouMean, shown } from '../../text/problem.ts';
import { readAcp, readAgent, readProgram } from './brief-agent.ts';
import { type Aliases, formatPromises, readAliases, readModel } from './brief-models.ts';
import {
  formatServers,
  giveServers,
  readServers,
  refuseIdleServers,
  type Servers,
  serversOf,
} from './brief-servers.ts';

export const staffKeys = [
  ...([
    'agent',
    'model',
    'effort',
    'base_url',
    'speaks',
    'own_config',
    'models',
    'chief',
    'junior',
    'checker',
  ] as const),
  ...(['critics', 'mcp', 'tools_from', 'log_every_tool_call'] as const),
] as const;

/** The staff: the default of `agent`, `model` and `base_url`, and what single roles say instead. */
export function readStaff(fields: Fields): Staff {
  const aliases = readAliases(fields);
  const servers = readServers(fields.get('mcp'));
  const usual = giveServers(readChoice(fields, aliases), fields.get('tools_from'), servers) ?? { kind: 'search' };
  const role = (name: string): readonly AgentChoice[] => {
    const field = fields.get(name);
    if (field === undefined) return [];
    return (field.value.kind === 'list' ? field.value.items : [field]).map((item) => readRole(item, aliases, servers));
  };
  const [chief, ...others] = role('chief');
  const second = fields.get('chief');
  if (others.length > 0 && second !== undefined)
    throw wrongValue(second, 'one chief', 'Write chief: { model: … }; an org has one.');
  const [first, ...rest] = role('junior');
  const staff: Staff = {
    chief: chief ?? usualChief(usual),
    juniors: first === undefined ? [usual] : [first, ...rest],
    checkers: role('checker').map((choice) => refuseIdleReviewer(fields.get('checker'), choice)),
    critics: role('critics').map((choice) => refuseIdleReviewer(fields.get('critics'), choice)),
  };
  refuseIdleServers(fields.get('mcp'), everybodyIn(staff));
  return staff;
}

/** A role that only talks needs a model, or for a check a person. */
function refuseIdleReviewer(field: Field | undefined, choice: AgentChoice): AgentChoice {
  if (field === undefined || choice.kind === 'api' || (choice.kind === 'human' && field.name === 'checker'))
    return choice;
  const person = field.name === 'checker' ? ', or { agent: human }' : '';
  throw wrongValue(field, `a model${person}`, `Write ${field.name}: { model: claude-sonnet-4-6 }${person}.`);
}

/** The keys that readStaff would read this staff from again. */
export function formatStaff(staff: Staff): Readonly<Record<string, unknown>> {
  const { chief, juniors, checkers, critics } = staff;
  const [first, ...rest] = juniors;
  const same = (one: AgentChoice, other: AgentChoice): boolean => JSON.stringify(one) === JSON.stringify(other);
  const list = (choices: readonly AgentChoice[]) =>
    choices.length === 0 ? undefined : choices.map((choice) => choiceKeys(choice));
  return {
    models: formatPromises(staff),
    ...choiceKeys(first, 'tools_from'),
    chief: same(chief, usualChief(first)) ? undefined : choiceKeys(chief),
    junior: rest.length === 0 ? undefined : list(juniors),
    checker: list(checkers),
    critics: list(critics),
    mcp: formatServers(serversOf(everybodyIn(staff))),
  };
}

/** An agent that works specs writes them too, except programs that only know how to work one. */
const usualChief = (usual: AgentChoice): AgentChoice => (usual.kind === 'command' ? { kind: 'search' } : usual);

function choiceKeys(choice: AgentChoice, given: 'mcp' | 'tools_from' = 'mcp'): Readonly<Record<string, unknown>> {
  if (choice.kind === 'search' || choice.kind === 'human') return { agent: choice.kind };
  if (choice.kind === 'command')
    return { agent: { command: choice.command, network: choice.network ? true : undefined } };
  const { model, baseUrl } = choice;
  if (choice.kind === 'acp')
    return { agent: { acp: choice.command }, model: model && formatModelId(model), base_url: baseUrl };
  return {
    agent: choice.kind === 'api' ? 'api' : choice.program,
    model: model && formatModelId(model),
    effort: choice.kind === 'api' ? choice.effort : undefined,
    base_url: baseUrl,
    speaks: choice.kind === 'api' ? choice.speaks : undefined,
    ...(choice.kind === 'api' ? { [given]: choice.servers?.map(({ name }) => name) } : {}),
    own_config: (choice.kind === 'program' && choice.ownConfig) || undefined,
  };
}

function readRole(field: Field, aliases: Aliases, servers: Servers): AgentChoice {
  const hint = `Write ${field.name}: { model: claude-sonnet-4-6 }, with agent and base_url where they are needed.`;
  const keys = ['agent', 'model', 'effort', 'base_url', 'speaks', 'own_config', 'mcp'];
  const fields = readMap(field, 'a map with agent, model or base_url', hint, keys);
  const choice = readChoice(fields, aliases);
  if (choice === undefined) throw wrongValue(field, 'an agent or a model', hint);
  return giveServers(choice, fields.get('mcp'), servers);
}

/** What `agent`, `model`, `effort` and `base_url` say together; undefined when none of them is there. */
function readChoice(fields: Fields, aliases: Aliases): AgentChoice | undefined {
  const said = fields.get('effort');
  const effort = said && readWord(said, efforts);
  const choice = readChosen(fields, aliases);
  if (said === undefined || effort === undefined) return choice;
  if (choice?.kind === 'api') return { ...choice, effort };
  throw wrongKey(
    said,
    'effort is for a model that is asked through its API',
    'Add model: beside it, or take effort out.',
  );
}

function readChosen(fields: Fields, aliases: Aliases): AgentChoice | undefined {
  const [agent, model, url] = [fields.get('agent'), fields.get('model'), fields.get('base_url')];
  const kind = agent === undefined ? undefined : readAgent(agent);
  const baseUrl = url === undefined ? undefined : readBaseAddress(url, 'Write base_url: http://127.0.0.1:11434/v1.');
  const [path] = /\/(chat\/completions|messages|responses)$/.exec(baseUrl ?? '') ?? [];
  if (url !== undefined && path !== undefined)
    throw wrongValue(url, 'an address that calls are below', `Take ${path} out.`);
  const speaks = readLanguage(fields.get('speaks'), url);
  const own = fields.get('own_config');
  if (own !== undefined && !programs.some((program) => program === kind))
    throw wrongValue(own, `nothing: only ${programs.join(', ')} have a config of their own`, 'Take it out.');
  if (kind === undefined && model === undefined) {
    if (url !== undefined) throw wrongValue(url, 'a model beside it', 'Add model: with the name that the server has.');
    return undefined;
  }
  const isAcp = typeof kind === 'object' && 'acp' in kind;
  if (!isAcp && (typeof kind === 'object' || kind === 'search' || kind === 'human')) {
    const idle = model ?? url;
    if (idle !== undefined) {
      const what = `${shown(idle.name)} is set, and ${agent?.name} is one that uses none`;
      throw wrongKey(idle, what, `Take it out, or write ${agent?.name}: api.`, 'value');
    }
    return typeof kind === 'object' ? kind : { kind };
  }
  const id = model === undefined ? undefined : readModel(model, aliases, baseUrl !== undefined);
  if (isAcp) return readAcp(kind, { model, url }, id && { ...id, provider: speaks ?? id.provider }, baseUrl);
  if (agent !== undefined && kind !== undefined && kind !== 'api') {
    const said = fields.get('speaks');
    if (said !== undefined && homeOf[kind] !== undefined)
      throw wrongValue(said, `nothing: ${kind} speaks as it always does`, 'Take it out.');
    return readProgram({ agent, model, own }, kind, id && { ...id, provider: speaks ?? id.provider }, baseUrl);
  }
  if (id === undefined && agent !== undefined)
    throw wrongValue(agent, 'a model beside it', 'Add model: claude-sonnet-4-6, or another pinned one.');
  return id && { kind: 'api', model: id, baseUrl, ...(speaks && { speaks }) };
}

function readLanguage(field: Field | undefined, url: Field | undefined): Language | undefined {
  if (field === undefined) return undefined;
  const hint = 'Write speaks: openai for a server with chat completions.';
  if (url === undefined) throw wrongValue(field, 'base_url beside it', 'Add base_url, or take speaks out.');
  const word = readLine(field, languages.join(', '), hint);
  const language = languages.find((one) => one === word);
  if (language === undefined) throw wrongValue(field, languages.join(', '), didYouMean(word, languages, hint));
  return language;
}
