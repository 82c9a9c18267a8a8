import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentTask, AgentWork } from '../../src/agents/agent-contract.ts';
import { agentFor } from '../../src/agents/choose-agent.ts';
import type { ModelAccess } from '../../src/agents/model-access.ts';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import type { Language } from '../../src/domain/words/model-id.ts';
import type { Chance } from '../kill/chance.ts';
import { briefText } from '../support/org.ts';
import type { ProviderServer } from '../support/provider-server/server.ts';
import { type Drawn, drawTurn, finish } from './draw.ts';

/** One conversation that is to go wrong: who is asked, what it answers, and how long the agent has. */
export interface Script {
  readonly number: number;
  readonly agent: string;
  /** By this the server knows whom it answers. */
  readonly key: string;
  readonly role: AgentTask['role'];
  readonly provider: Language;
  readonly turns: readonly Drawn[];
  readonly deadlineMs: number;
}

export const models: Readonly<Record<Language, string>> = {
  anthropic: 'claude-haiku-4-5-20251001',
  openai: 'gpt-5-2025-08-07',
  google: 'gemini-2.5-flash',
};

const providers = Object.keys(models) as Language[];

export function drawScript(number: number, chance: Chance): Script {
  const turns = Array.from({ length: 1 + Math.floor(chance.number(6)) }, () => drawTurn(chance));
  return {
    number,
    agent: `junior-${number}`,
    key: `key-of-script-${number}`,
    role: chance.happens(0.15) ? 'chief' : 'junior',
    provider: chance.pick(providers) ?? 'openai',
    turns: [...turns, finish],
    deadlineMs: 1_000 + Math.floor(chance.number(1_000)),
  };
}

/** How a conversation ended. `thrown` is what no agent may do. */
export interface Played {
  readonly script: Script;
  readonly work: AgentWork | undefined;
  readonly thrown: unknown;
  readonly ms: number;
}

export async function playScript(
  script: Script,
  office: ModelAccess,
  server: ProviderServer,
  dir: string,
): Promise<Played> {
  const { agent, provider, role, deadlineMs } = script;
  mkdirSync(path.join(dir, 'sandbox'), { recursive: true });
  mkdirSync(path.join(dir, 'specs'));
  writeFileSync(path.join(dir, 'sandbox', 'numbers.txt'), 'first 9\nsecond 7\n');
  const who = `{ model: ${provider}/${models[provider]}, base_url: "${server.baseUrl(provider)}" }`;
  const brief = parseBrief(briefText({ agent: '', junior: who, chief: who }), 'program.md');
  const spec = { id: '0001', title: 'a spec', by: 'people', attempts: undefined, body: 'Anything goes.' };
  const task: AgentTask = {
    ...{ role, agent, dir, brief, files: ['sandbox/numbers.txt'], notebook: [], specs: [], open: 0, wanted: 3 },
    ...{
      spec: role === 'chief' ? undefined : spec,
      attempt: script.number,
      ask: 1,
      seed: '1',
      attempts: 5,
      deadlineMs,
    },
    ...{ refused: [], report: '', plan: '', critiques: [], diff: '' },
    context: '',
    mark: '0123456789abcdef',
    rehearse: async () => 'it ran',
    cell: { level: 'none', shown: [], hidden: [] },
  };
  const began = performance.now();
  const never = new AbortController().signal;
  const played = await agentFor(
    role,
    agent,
    brief,
    office,
  )(task, never).then(
    (work) => ({ work, thrown: undefined }),
    (thrown: unknown) => ({ work: undefined, thrown }),
  );
  return { script, ...played, ms: performance.now() - began };
}
