import type { Effort, Language, ModelId, Provider } from '../words/model-id.ts';

/** Command-line agents that people already have. */
export const programs = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'pi'] as const;
export type Program = (typeof programs)[number];

/** The provider whose models a program uses; undefined for a program that uses any provider, by its model. */
export const homeOf: Readonly<Record<Program, Language | undefined>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'google',
  opencode: undefined,
  aider: undefined,
  pi: undefined,
};

/** The kinds of agent that do a piece of work. */
export type AgentChoice =
  /** The embedded one: no key, no network. */
  | { readonly kind: 'search' }
  /** Any program that keeps the agent contract. */
  | { readonly kind: 'command'; readonly command: string; readonly network: boolean }
  /** A model, through its provider's API and our own tools. */
  | {
      readonly kind: 'api';
      readonly model: ModelId;
      readonly baseUrl: string | undefined;
      /** What the server there speaks, where a person says so. */
      readonly speaks?: Language | undefined;
      readonly effort?: Effort | undefined;
      /** The servers whose tools it may use in addition to ours. */
      readonly servers?: readonly ToolServer[];
    }
  /** One of the programs, headless; without a model it takes the one that it takes. */
  | {
      readonly kind: 'program';
      readonly program: Program;
      readonly model: ModelId | undefined;
      readonly baseUrl: string | undefined;
      /** Whether it obeys the settings, hooks and instruction files that it finds in the repository. */
      readonly ownConfig: boolean;
    }
  /** Any program that speaks the Agent Client Protocol on its stdin and stdout. */
  | {
      readonly kind: 'acp';
      readonly command: string;
      /** Says whose key it gets; without one it gets none. */
      readonly model: ModelId | undefined;
      readonly baseUrl: string | undefined;
    }
  /** A person, in the same bench and before the same harness. */
  | { readonly kind: 'human' };

/** An agent that is a program and asks its model by itself. */
export type ProgramChoice = Extract<AgentChoice, { kind: 'program' | 'acp' }>;

export const isProgramChoice = (choice: AgentChoice): choice is ProgramChoice =>
  choice.kind === 'program' || choice.kind === 'acp';

/** `gemini` of `gemini --acp`: the first word that sets no variable. */
export const programIn = (choice: ProgramChoice): string =>
  choice.kind === 'program'
    ? choice.program
    : (/(?:^|\s)(?:[^\s=]*\/)?([\w.-]+)(?=\s|$)/.exec(choice.command)?.[1] ?? 'the program');

/** The provider whose key an agent needs; undefined for a program that gets no key. */
export const providerOf = (choice: Extract<AgentChoice, { kind: 'api' }> | ProgramChoice): Provider | undefined =>
  choice.model?.provider ?? (choice.kind === 'program' ? homeOf[choice.program] : undefined);

/** The form in which a model is asked: a language, or OpenAI's newer API, which few other servers have. */
export type ModelApi = Language | 'responses';

export function apiOf({
  model: { provider },
  baseUrl,
  speaks = provider === 'scripted' ? 'openai' : provider,
}: Pick<Extract<AgentChoice, { kind: 'api' }>, 'model' | 'baseUrl' | 'speaks'>): ModelApi {
  const isOpenAi = baseUrl === undefined || /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/i.test(baseUrl);
  return speaks === 'openai' && isOpenAi ? 'responses' : speaks;
}

export const apiInWords: Readonly<Record<ModelApi, string>> = {
  anthropic: "Anthropic's Messages API",
  google: "Google's Gemini API",
  openai: "OpenAI's Chat Completions API",
  responses: "OpenAI's Responses API",
};

/** What is asked of somebody: to write specs, to work them, to challenge plans, to look at what was kept. */
export type Duty = 'chief' | 'junior' | 'critic' | 'checker';

/** Somebody of the org by name. In a chart one may have several duties. */
export interface Post {
  readonly id: string;
  readonly duties: readonly Duty[];
  readonly choice: AgentChoice;
  /** An agent or a person. */
  readonly reportsTo: string | undefined;
}

/** The staff of a brief, by role. Juniors are dealt out in turn: junior-1 is the first, junior-2 the second, and so on. */
export interface Staff {
  readonly chief: AgentChoice;
  readonly juniors: readonly [AgentChoice, ...AgentChoice[]];
  readonly checkers: readonly AgentChoice[];
  readonly critics: readonly AgentChoice[];
  /** Everybody by name, where the org has a chart: then that says who there is. */
  readonly posts?: readonly Post[] | undefined;
}

/** Everybody by name: the chart's, or chief, junior-1, critic-1 and checker-1. */
export function postsOf({ staff, juniors }: { readonly staff: Staff; readonly juniors: number }): readonly Post[] {
  if (staff.posts !== undefined) return staff.posts;
  return [
    { id: 'chief', duties: ['chief'], choice: staff.chief, reportsTo: undefined },
    ...Array.from({ length: juniors }, (_, index): Post => {
      const choice = staff.juniors[index % staff.juniors.length] ?? staff.juniors[0];
      return { id: `junior-${index + 1}`, duties: ['junior'], choice, reportsTo: 'chief' };
    }),
    ...reviewersIn(staff),
  ];
}

/** The brief's own critics and checkers. */
export function reviewersIn({ critics, checkers }: Staff): readonly Post[] {
  const named = (duty: 'critic' | 'checker', choices: readonly AgentChoice[]): readonly Post[] =>
    choices.map((choice, index) => ({ id: `${duty}-${index + 1}`, duties: [duty], choice, reportsTo: undefined }));
  return [...named('critic', critics), ...named('checker', checkers)];
}

/** The names of those with a duty, in the order of the chart. */
export const agentsWithDuty = (brief: Parameters<typeof postsOf>[0], duty: Duty): readonly string[] =>
  postsOf(brief).flatMap(({ id, duties }) => (duties.includes(duty) ? [id] : []));

/** The agent that writes the specs of another: the nearest above it that may; else the first that does. Without a chart the chief. */
export function chiefFor({ posts }: Staff, agent: string): string | undefined {
  if (posts === undefined) return 'chief';
  const byName = new Map(posts.map((post) => [post.id, post]));
  const seen = new Set<string>();
  for (let at = byName.get(agent); at !== undefined && !seen.has(at.id); at = byName.get(at.reportsTo ?? '')) {
    if (at.duties.includes('chief')) return at.id;
    seen.add(at.id);
  }
  return posts.find(({ duties }) => duties.includes('chief'))?.id;
}

/** The choice behind a name of the org: `chief`, `junior-2`, `checker-1`, `critic-1`, or one of its chart. */
export function choiceOf(staff: Staff, agent: string): AgentChoice {
  const post = staff.posts?.find(({ id }) => id === agent);
  if (post !== undefined) return post.choice;
  if (agent === person) return { kind: 'human' };
  const [, role, number] = /^(junior|checker|critic)-([0-9]+)$/.exec(agent) ?? [];
  const turn = Number(number ?? 1) - 1;
  if (role === 'junior') return staff.juniors[turn % staff.juniors.length] ?? staff.juniors[0];
  if (role === 'checker') return staff.checkers[turn] ?? staff.chief;
  if (role === 'critic') return staff.critics[turn] ?? staff.chief;
  return staff.chief;
}

/** `search`, `claude-sonnet-4-6`, `codex gpt-5-2025-08-07`, `./agent.sh`: one word or two for a screen. */
export function choiceInWords(choice: AgentChoice): string {
  switch (choice.kind) {
    case 'search':
      return 'search';
    case 'command':
      return choice.command;
    case 'api':
      return choice.model.provider === 'scripted' ? `scripted:${choice.model.id}` : choice.model.id;
    case 'program':
      return choice.model === undefined ? choice.program : `${choice.program} ${choice.model.id}`;
    case 'acp':
      return choice.model === undefined ? `acp ${programIn(choice)}` : `acp ${programIn(choice)} ${choice.model.id}`;
    case 'human':
      return 'a person';
  }
}

/** The agents that work the specs, in a few words: `search`, or several with commas. */
export function staffInWords({ juniors, posts }: Staff): string {
  const charted = posts?.flatMap(({ duties, choice }) => (duties.includes('junior') ? [choice] : []));
  return [...new Set((charted ?? juniors).map(choiceInWords))].join(', ');
}

/** Everybody who may ask a model. */
export const everybodyIn = ({ chief, juniors, checkers, critics, posts }: Staff): readonly AgentChoice[] =>
  posts?.map(({ choice }) => choice) ?? [chief, ...juniors, ...checkers, ...critics];

/** The ids of all models that a staff names. */
export const modelsOf = (staff: Staff): readonly string[] => [
  ...new Set(everybodyIn(staff).flatMap((choice) => ('model' in choice && choice.model ? [choice.model.id] : []))),
];

/** A server of tools (MCP) that a brief gives to some of its models, by name. */
export interface ToolServer {
  readonly name: string;
  readonly reach: ServerReach;
  /** The variable that holds its key. */
  readonly key: string | undefined;
  /** The tools of it that may be used; undefined for all that it has. */
  readonly tools: readonly string[] | undefined;
  /** How long a call may take, and how much of its result a model gets. */
  readonly deadlineMs: number;
  readonly mostBytes: number;
}

export type ServerReach =
  /** A program that is started for every attempt, and speaks on its stdin and stdout. */
  | { readonly kind: 'command'; readonly command: string; readonly network: boolean }
  | { readonly kind: 'url'; readonly url: string };

export const serverDefaults = { deadlineMs: 30_000, mostBytes: 64_000 };

/** The name in the org of a person who works a spec by hand. */
export const person = 'human';

/** An agent has one bench; a person has one for each spec, because they come back to it. */
export const benchName = (agent: string, specId: string): string => (agent === person ? `${person}-${specId}` : agent);
export const agentEmail = (agent: string): string => `${agent}@agents.invalid`;

/** The agent whose address it is; undefined for a person's. */
export const agentOf = (email: string): string | undefined => /^(.+)@agents\.invalid$/.exec(email)?.[1];

/** Names that mean somebody already: people and their benches, and orgrepo itself. */
export const isTaken = (name: string): boolean => /^(human(-[0-9]+)?|orgrepo|merge|people)$/.test(name);

/** Names of agents become branch names, directories and authors. */
export const isAgentName = (name: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(name);
