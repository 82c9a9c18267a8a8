import assert from 'node:assert/strict';
import { moveProviders } from './far-providers.ts';
import { nightOf, orgOf, serverFor } from './model-night.ts';
import type { Heard, Reply, Said, Wire } from './provider-server/script.ts';
import type { ProviderServer } from './provider-server/server.ts';

/** Nights with servers as people have them, whose models take as long as they are told to. */
export interface ServerNight {
  readonly what: string;
  readonly meet: (delayMs: number) => Promise<void>;
  /** It changes where OpenAI is, for all orgs of the process. */
  readonly isAlone?: true;
}

interface Wanted {
  readonly reply: Reply;
  readonly model: string;
  readonly delayMs: number;
  /** Where the base URL is that of another wire than the model's. */
  readonly at?: Wire;
  readonly has?: readonly Wire[];
  readonly keys?: string;
  /** What the brief says besides the usual. */
  readonly brief?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

const budget =
  '{ experiment: 10s, agent: 2m, night: 1h, attempts: 1, patience: 1000, tokens_in: 2M, tokens_out: 200k }';
const searchChief = { agent: '', chief: '{ agent: search }', budget };

export async function nightAt({ reply, model, delayMs, at = 'openai', has, keys = '', brief, files = {} }: Wanted) {
  const server = await serverFor(reply, () => 200, { delayMs, ...(has && { has }) });
  const junior = `{ model: "${model}", base_url: ${server.baseUrl(at)}${keys} }`;
  const org = orgOf({ ...searchChief, junior, ...brief }, files);
  const night = await nightOf(org, '--max', '1');
  const warnings = night.facts.flatMap(({ fact, message }) => (fact === 'warning' ? [String(message)] : []));
  const [experiment] = night.experiments;
  return { server, org, night, warnings, experiment };
}

export const edit = { tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } };
export const finish = { tool: 'finish', input: { title: 'nearer to 3', notes: 'as it should be' } };

/** What it says first, then the edit, then the end: a step for each turn. */
export const inTurn =
  (...steps: readonly Said[]): Reply =>
  ({ turn }: Heard) =>
    steps[Math.min(turn, steps.length) - 1] ?? {};

const thinking = { text: 'Let me see what is there.', signature: 'c2lnbmVk' };
const thoughtful = inTurn(
  { thinking, calls: [{ tool: 'read', input: { path: 'sandbox/numbers.txt' } }] },
  { thinking, calls: [edit] },
  { thinking, calls: [finish] },
);
export const plain = inTurn({ calls: [edit] }, { calls: [finish] });

const wiresOf = ({ heard }: ProviderServer): readonly Wire[] => [...new Set(heard.map(({ wire }) => wire))];

export const serverNights: readonly ServerNight[] = [
  {
    what: 'a model hears its thoughts again where its server wants them back',
    meet: async (delayMs) => {
      const { server, night, experiment } = await nightAt({ reply: thoughtful, model: 'deepseek-reasoner', delayMs });
      assert.equal(experiment?.event, 'keep', night.said);
      const last = server.heard.at(-1)?.body.messages as { role: string; reasoning_content?: string }[];
      assert.deepEqual(
        last.flatMap(({ role, reasoning_content }) => (role === 'assistant' ? [reasoning_content] : [])),
        [thinking.text, thinking.text],
      );
    },
  },
  {
    what: 'OpenAI is asked through Responses, and its thoughts go back to it',
    isAlone: true,
    meet: async (delayMs) => {
      const server = await serverFor(thoughtful, () => 200, { delayMs, has: ['responses'] });
      const { night } = await atOpenAi(server, 'gpt-5-codex', 'run');
      assert.equal(night.experiments[0]?.event, 'keep', night.said + night.complained);
      assert.deepEqual(wiresOf(server), ['responses']);
      const last = server.heard.at(-1)?.body as { store: boolean; input: { encrypted_content?: string }[] };
      assert.equal(last.store, false);
      assert.deepEqual(
        last.input.flatMap(({ encrypted_content }) => encrypted_content ?? []),
        [thinking.signature, thinking.signature],
      );
    },
  },
  {
    what: 'a base_url is asked in the language of the model’s house, at list price',
    meet: async (delayMs) => {
      for (const [model, wire] of [
        ['claude-sonnet-4-6', 'anthropic'],
        ['gemini-2.5-flash', 'google'],
        ['gpt-5-2025-08-07', 'openai'],
      ] as const) {
        const { server, night, experiment } = await nightAt({ reply: plain, model, delayMs });
        assert.equal(experiment?.event, 'keep', night.said);
        assert.deepEqual(wiresOf(server), [wire]);
        assert.ok(Number(experiment?.usd) > 0, night.said);
      }
    },
  },
  {
    what: 'speaks says in which language a base_url is asked',
    meet: async (delayMs) => {
      const keys = ', speaks: openai';
      const { server, org, night, experiment } = await nightAt({
        ...{ reply: plain, model: 'claude-sonnet-4-6', delayMs, keys },
      });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.deepEqual(wiresOf(server), ['openai']);
      assert.equal(experiment?.model, 'anthropic/claude-sonnet-4-6');
      assert.ok(Number(experiment?.usd) > 0, night.said);
      const plan = await org.orgrepo('plan');
      assert.match(plan.stdout, /claude-sonnet-4-6 through OpenAI's Chat Completions API/);
      const { agents } = JSON.parse((await org.orgrepo('plan', '--json')).stdout).org;
      assert.equal(agents.find(({ id }: { id: string }) => id === 'junior-1').speaks, 'openai');
      const doctor = await org.orgrepo('doctor');
      assert.match(
        doctor.stdout,
        /model claude-sonnet-4-6 at http:\S+, asked through OpenAI's Chat Completions API, price known \(list price, genai-prices/,
      );
    },
  },
  {
    what: 'a server without that language is asked for chat completions, with one warning',
    meet: async (delayMs) => {
      const { server, night, warnings, experiment } = await nightAt({
        ...{ reply: plain, model: 'claude-sonnet-4-6', delayMs, has: ['openai'] },
      });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.deepEqual(wiresOf(server), ['openai']);
      assert.deepEqual(
        warnings.filter((words) => words.includes('speaks: openai')).map((words) => words.replace(/^\S+ /, '')),
        [
          "does not have Anthropic's Messages API, so claude-sonnet-4-6 is asked through OpenAI's Chat Completions API: write speaks: openai beside base_url",
        ],
      );
    },
  },
  {
    what: 'an address without /v1 is asked below it, with one warning',
    meet: async (delayMs) => {
      const asked = { reply: plain, model: 'qwen3:8b', delayMs, at: 'anthropic', has: ['openai'] } as const;
      const { server, night, warnings, experiment } = await nightAt(asked);
      assert.equal(experiment?.event, 'keep', night.said);
      const { origin } = new URL(server.baseUrl('openai'));
      assert.deepEqual(
        warnings.filter((words) => words.includes('/v1')),
        [`${origin} does not have OpenAI's Chat Completions API, so ${origin}/v1 is asked: write that as base_url`],
      );
    },
  },
  {
    what: 'thoughts in the text of a local model are dropped',
    meet: async (delayMs) => {
      const said = '<think>\nIs 3 right? It is.\n</think>\n\nFirst number nearer to 3';
      const reply = inTurn({ text: said, calls: [edit] }, { text: said });
      const { server, night, experiment } = await nightAt({ reply, model: 'qwen3:8b', delayMs });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.equal(experiment?.title, 'First number nearer to 3');
      assert.equal(JSON.stringify(server.heard.at(-1)?.body).includes('Is 3 right'), false);
    },
  },
  {
    what: 'calls in the text are read, and one warning says so',
    meet: async (delayMs) => {
      const json = JSON.stringify({ name: 'finish', arguments: finish.input });
      const tag = `I change it.\n<tool_call>\n${JSON.stringify({ name: 'edit', arguments: edit.input })}\n</tool_call>`;
      const { server, night, warnings, experiment } = await nightAt({
        ...{ reply: inTurn({ text: tag }, { text: json }), model: 'qwen2.5-coder:7b', delayMs },
      });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.equal(experiment?.title, 'nearer to 3');
      assert.equal(server.heard.length, 2);
      const told = warnings.filter((words) => words.includes('does not parse calls of tools'));
      assert.equal(told.length, 1, night.said);
      assert.match(told[0] ?? '', /--enable-auto-tool-choice --tool-call-parser/);
    },
  },
  {
    what: 'a model that only talks is reminded once, and "1" is 1',
    meet: async (delayMs) => {
      const look = { tool: 'read', input: { path: 'sandbox/numbers.txt', from: '1' } };
      const reply = inTurn({ text: 'I look first.' }, { calls: [look] }, { calls: [edit] }, { calls: [finish] });
      const { server, night, experiment } = await nightAt({ reply, model: 'llama3.2:3b', delayMs });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.equal(server.heard[1]?.told, 'You have changed nothing. Use the tools, or call finish.');
      assert.match(server.heard[2]?.told ?? '', /first 9/);
      const silent = await nightAt({ reply: () => ({ text: 'I am sorry.' }), model: 'llama3.2:3b', delayMs });
      assert.deepEqual([silent.experiment?.event, silent.server.heard.length], ['unchanged', 2], silent.night.said);
    },
  },
  {
    what: 'a server without tools stops the model at its first call, with the fix',
    meet: async (delayMs) => {
      const ollama = { message: 'registry.ollama.ai/library/gemma3:1b does not support tools', type: 'api_error' };
      const choice = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
      const vllm = { object: 'error', message: choice, type: 'BadRequestError', param: null, code: 400 };
      const llama = { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } };
      for (const [status, body, fix] of [
        [400, { error: ollama }, /does not support tools\. Take a model whose tools Ollama knows/],
        [400, vllm, /Start vLLM with --enable-auto-tool-choice --tool-call-parser/],
        [500, llama, /Start llama-server with --jinja/],
      ] as const) {
        const reply = () => ({ fault: 'status', status, body }) as unknown as Said;
        const { server, night } = await nightAt({ reply, model: 'gemma3:1b', delayMs });
        assert.equal(night.code, 3, night.said);
        assert.equal(server.heard.length, 1);
        assert.match(night.experiments[0]?.reason ?? '', fix);
      }
    },
  },
  {
    what: 'a server that reports no tokens is named in one warning',
    meet: async (delayMs) => {
      const reply = inTurn({ calls: [edit], usage: 'none' }, { calls: [finish], usage: 'none' });
      const { night, warnings, experiment } = await nightAt({ reply, model: 'qwen3:8b', delayMs });
      assert.equal(experiment?.event, 'keep', night.said);
      assert.equal(warnings.filter((words) => words.includes('does not say how many tokens')).length, 1, night.said);
    },
  },
];

/** A night with OpenAI itself, which is at this server for as long as the tests of the file go on. */
export async function atOpenAi(server: ProviderServer, model: string, verb: 'run' | 'doctor') {
  moveProviders(new URL(server.baseUrl('openai')).origin);
  process.env.OPENAI_API_KEY = 'a-key-of-openai-0123456789';
  const org = orgOf({ ...searchChief, models: `{ ${model}: ${model} }`, junior: `{ model: ${model} }` });
  delete process.env.OPENAI_API_KEY;
  const night = verb === 'run' ? await nightOf(org, '--max', '1') : undefined;
  const ran = night === undefined ? await org.orgrepo(verb) : undefined;
  return { night: night ?? { ...ran, experiments: [], said: ran?.stdout ?? '', complained: ran?.stderr ?? '' } };
}
