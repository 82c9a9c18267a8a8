import type { ModelId } from './model-id.ts';

/** Command-line agents that people already have. */
export type Program = 'claude' | 'codex' | 'gemini' | 'opencode' | 'aider' | 'pi';

export const programs: readonly Program[] = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'pi'];

/** Who does a piece of work. */
export type AgentChoice =
  /** The embedded one: no key, no network. */
  | { readonly kind: 'search' }
  /** Any program that keeps the agent contract. */
  | { readonly kind: 'command'; readonly command: string; readonly network: boolean }
  /** A model, through its provider's API and our own tools. */
  | { readonly kind: 'api'; readonly model: ModelId; readonly baseUrl: string | undefined }
  /** One of the programs, headless; without a model it takes the one that it takes. */
  | {
      readonly kind: 'program';
      readonly program: Program;
      readonly model: ModelId | undefined;
      readonly baseUrl: string | undefined;
    }
  /** A person, in the same bench and before the same harness. */
  | { readonly kind: 'human' };

/** Who works under a brief, by role. Juniors are dealt out in turn: junior-1 is the first, junior-2 the second, and so on. */
export interface Staff {
  readonly chief: AgentChoice;
  readonly juniors: readonly [AgentChoice, ...AgentChoice[]];
  readonly checkers: readonly AgentChoice[];
  readonly critics: readonly AgentChoice[];
}

/** The choice behind a name of the org: `chief`, `junior-2`, `checker-1`, `critic-1`. */
export function choiceOf(staff: Staff, agent: string): AgentChoice {
  const [, role, number] = /^(junior|checker|critic)-([0-9]+)$/.exec(agent) ?? [];
  const turn = Number(number ?? 1) - 1;
  if (role === 'junior') return staff.juniors[turn % staff.juniors.length] ?? staff.juniors[0];
  if (role === 'checker') return staff.checkers[turn] ?? staff.chief;
  if (role === 'critic') return staff.critics[turn] ?? staff.chief;
  return staff.chief;
}

/** `search`, `claude-sonnet-4-5-20250929`, `codex gpt-5-2025-08-07`, `./agent.sh`: one word or two for a screen. */
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
    case 'human':
      return 'a person';
  }
}

/** Who works the specs, in a few words: `search`, or several with commas. */
export const staffInWords = ({ juniors }: Staff): string => [...new Set(juniors.map(choiceInWords))].join(', ');

/** Everybody who may ask a model. */
export const everybodyIn = ({ chief, juniors, checkers, critics }: Staff): readonly AgentChoice[] => [
  chief,
  ...juniors,
  ...checkers,
  ...critics,
];
