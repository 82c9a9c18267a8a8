import { formatModelId, type ModelId, readModelId } from '../domain/model-id.ts';
import { type AgentChoice, type Program, programs, type Staff } from '../domain/staff.ts';
import { shown } from './clean.ts';
import { type Field, type Fields, readLine, readMap, readWord, refuseUnknownKeys, wrongValue } from './field.ts';
import { nearestName } from './nearest.ts';
import { problemAt } from './problem-at.ts';

export const staffKeys = ['agent', 'model', 'base_url', 'models', 'chief', 'junior', 'checker', 'critics'] as const;

/** Who works: the default of `agent`, `model` and `base_url`, and what single roles say instead. */
export function readStaff(fields: Fields): Staff {
  refuseLaterRoles(fields);
  const aliases = readAliases(fields.get('models'));
  const usual = readChoice(fields, aliases) ?? { kind: 'search' };
  const role = (name: string): readonly AgentChoice[] => {
    const field = fields.get(name);
    if (field === undefined) return [];
    return (field.value.kind === 'list' ? field.value.items : [field]).map((item) => readRole(item, aliases));
  };
  const [chief, ...others] = role('chief');
  const second = fields.get('chief');
  if (others.length > 0 && second !== undefined)
    throw wrongValue(second, 'one chief', 'Write chief: { model: … }; an org has one.');
  const [first, ...rest] = role('junior');
  return {
    chief: chief ?? usualChief(usual),
    juniors: first === undefined ? [usual] : [first, ...rest],
    checkers: role('checker'),
    critics: role('critics'),
  };
}

/** A key that would silently do nothing is worse than one that is refused. */
function refuseLaterRoles(fields: Fields): void {
  for (const key of ['checker', 'critics']) {
    const field = fields.get(key);
    if (field === undefined) continue;
    const what = `${key} is set, but reviews come in a later version of orgrepo`;
    throw problemAt('brief/key', field.keyPlace, what, 'Take it out: a chief and juniors can be models today.');
  }
}

/** The keys that readStaff would read this staff from again. */
export function formatStaff({ chief, juniors, checkers, critics }: Staff): Readonly<Record<string, unknown>> {
  const [first, ...rest] = juniors;
  const same = (one: AgentChoice, other: AgentChoice): boolean => JSON.stringify(one) === JSON.stringify(other);
  const list = (choices: readonly AgentChoice[]) => (choices.length === 0 ? undefined : choices.map(choiceKeys));
  return {
    ...choiceKeys(first),
    chief: same(chief, usualChief(first)) ? undefined : choiceKeys(chief),
    junior: rest.length === 0 ? undefined : list(juniors),
    checker: list(checkers),
    critics: list(critics),
  };
}

/** Whoever works the specs writes them too, except programs that only know how to work one. */
const usualChief = (usual: AgentChoice): AgentChoice =>
  usual.kind === 'api' || usual.kind === 'program' ? usual : { kind: 'search' };

function choiceKeys(choice: AgentChoice): Readonly<Record<string, unknown>> {
  const model = (id: ModelId | undefined) => (id === undefined ? {} : { model: formatModelId(id) });
  const url = (baseUrl: string | undefined) => (baseUrl === undefined ? {} : { base_url: baseUrl });
  switch (choice.kind) {
    case 'search':
    case 'human':
      return { agent: choice.kind };
    case 'command':
      return { agent: { command: choice.command, ...(choice.network ? { network: true } : {}) } };
    case 'api':
      return { agent: 'api', ...model(choice.model), ...url(choice.baseUrl) };
    case 'program':
      return { agent: choice.program, ...model(choice.model), ...url(choice.baseUrl) };
  }
}

function readRole(field: Field, aliases: Aliases): AgentChoice {
  const hint = `Write ${field.name}: { model: claude-sonnet-4-5-20250929 }, with agent and base_url where they are needed.`;
  const fields = readMap(field, 'a map with agent, model or base_url', hint);
  refuseUnknownKeys(fields, ['agent', 'model', 'base_url']);
  const choice = readChoice(fields, aliases);
  if (choice === undefined) throw wrongValue(field, 'an agent or a model', hint);
  return choice;
}

/** What `agent`, `model` and `base_url` say together; undefined when none of them is there. */
function readChoice(fields: Fields, aliases: Aliases): AgentChoice | undefined {
  const [agent, model, url] = [fields.get('agent'), fields.get('model'), fields.get('base_url')];
  const kind = agent === undefined ? undefined : readAgent(agent);
  const baseUrl = url === undefined ? undefined : readBaseUrl(url);
  if (kind === undefined && model === undefined) {
    if (url !== undefined) throw wrongValue(url, 'a model beside it', 'Add model: with the name that the server has.');
    return undefined;
  }
  if (typeof kind === 'object' || kind === 'search' || kind === 'human') {
    const idle = model ?? url;
    if (idle !== undefined)
      throw problemAt(
        'brief/value',
        idle.keyPlace,
        `${shown(idle.name)} is set, and ${agent?.name} is one that uses none`,
        `Take it out, or write ${agent?.name}: api.`,
      );
    return typeof kind === 'object' ? kind : { kind };
  }
  const id = model === undefined ? undefined : readModel(model, aliases, baseUrl !== undefined);
  if (kind !== undefined && kind !== 'api') return { kind: 'program', program: kind, model: id, baseUrl };
  if (id === undefined && agent !== undefined)
    throw wrongValue(agent, 'a model beside it', 'Add model: claude-sonnet-4-5-20250929, or another pinned one.');
  return id && { kind: 'api', model: id, baseUrl };
}

const words = ['search', 'api', 'human', ...programs];

function readAgent(field: Field): 'search' | 'api' | 'human' | Program | Extract<AgentChoice, { kind: 'command' }> {
  const expected = 'search, api or { command: "./agent.sh" }';
  const hint = 'Write agent: search, or agent: { command: "./agent.sh" } for a program of your own.';
  if (field.value.kind === 'map') {
    const { fields } = field.value;
    refuseUnknownKeys(fields, ['command', 'network']);
    const command = fields.get('command');
    if (command === undefined) throw wrongValue(field, expected, hint);
    const network = fields.get('network');
    return {
      kind: 'command',
      command: readLine(command, 'a command such as ./agent.sh', hint),
      network: network !== undefined && readWord(network, ['true', 'false']) === 'true',
    };
  }
  const name = readLine(field, expected, hint);
  if (name === 'search' || name === 'api') return name;
  if (words.includes(name)) throw wrongValue(field, `${expected}: this version has no ${name} agent yet`, hint);
  const near = nearestName(name, words);
  throw wrongValue(field, expected, near === undefined ? hint : `Did you mean ${near}?`);
}

export type Aliases = ReadonlyMap<string, string>;

/** `models: { fast: claude-haiku-4-5-20251001 }`: words of the person's own for pinned models. */
function readAliases(field: Field | undefined): Aliases {
  if (field === undefined) return new Map();
  const hint = 'Write models: { fast: claude-haiku-4-5-20251001 }, and then model: fast.';
  const fields = readMap(field, 'a map of words and pinned models', hint);
  return new Map([...fields].map(([word, value]) => [word, readLine(value, 'a pinned model', hint)]));
}

function readModel(field: Field, aliases: Aliases, elsewhere: boolean): ModelId {
  const example = 'claude-sonnet-4-5-20250929';
  const expected = `a pinned model such as ${example}`;
  const text = readLine(field, expected, `Write ${field.name}: ${example}.`);
  const model = readModelId(aliases.get(text) ?? text, elsewhere);
  if (typeof model === 'object') return model;
  const why = {
    empty: expected,
    'unknown provider': `${expected}, with its provider before it: anthropic/, openai/ or google/`,
    latest: `${expected}: what is latest changes, and two nights could not be compared`,
    alias: `${expected}: a name without its date or version may mean another model tomorrow`,
  }[model];
  throw wrongValue(field, why, `Name the dated id, or give the word a meaning: models: { ${text}: … }.`);
}

function readBaseUrl(field: Field): string {
  const expected = 'an address that begins with http:// or https://';
  const hint = 'Write base_url: http://127.0.0.1:11434/v1.';
  const text = readLine(field, expected, hint);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw wrongValue(field, expected, hint);
  if (url.username !== '' || url.password !== '')
    throw wrongValue(
      field,
      `${expected}, without a password in it`,
      'Keys come from the environment, never from a file.',
    );
  return text.replace(/\/+$/, '');
}
