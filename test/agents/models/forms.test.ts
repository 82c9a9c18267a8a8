import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelAnswer, ModelMessage } from '../../../src/agents/models/model-contract.ts';
import type { ModelApi } from '../../../src/domain/staff/staff.ts';
import { askIt, fromUs, providers, questionOf } from '../../support/model-question.ts';
import type { Heard, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** What a provider hears of us, in its own form. */

const said: Said = {
  thinking: { text: 'Let me see.', signature: 'c2lnbmVk' },
  text: 'I look.',
  calls: [
    { id: 'c1', tool: 'read_file', input: { path: 'a.ts' } },
    { id: 'c2', tool: 'read_file', input: { path: 'b.ts' } },
  ],
};
const results = fromUs(
  { kind: 'text', text: 'Go on.' },
  { kind: 'result', id: 'c1', tool: 'read_file', text: 'let a = 1;', failed: false },
  { kind: 'result', id: 'c2', tool: 'read_file', text: 'no such file', failed: true },
);
const mark = { cache_control: { type: 'ephemeral' } };

/** Two turns: what the model said in the first is given back in the second, with what came of it. */
async function roundTrip(
  provider: ModelApi,
  first: Said,
  answerWith: (answer: ModelAnswer) => ModelMessage,
  t: { after: (end: () => Promise<void>) => void },
): Promise<readonly [Heard, Heard]> {
  const server = await startProviderServer([first, { text: 'Done.' }]);
  t.after(server.close);
  const { messages } = questionOf();
  const answer = await askIt(server, provider);
  await askIt(server, provider, { messages: [...messages, answer.message, answerWith(answer)] });
  const [one, two] = server.heard;
  assert.ok(one && two);
  return [one, two];
}

test('anthropic: thoughts, calls and results go back as they came, and the cache is marked behind system and conversation', async (t) => {
  const [one, two] = await roundTrip('anthropic', said, () => results, t);
  const us = { role: 'user', content: [{ type: 'text', text: 'Make it faster.' }] };
  assert.deepEqual(one.body, {
    model: 'some-model-2',
    max_tokens: 4096,
    stream: true,
    system: [{ type: 'text', text: 'You are a junior.', ...mark }],
    messages: [{ ...us, content: [{ type: 'text', text: 'Make it faster.', ...mark }] }],
    tools: [
      { name: 'read_file', description: 'Reads a file.', input_schema: pathSchema },
      { name: 'write_file', description: 'Writes a file.', input_schema: pathSchema },
    ],
  });
  const caller = { type: 'direct' };
  assert.deepEqual(two.body.messages, [
    us,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' },
        { type: 'text', text: 'I look.', citations: null },
        { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.ts' }, caller },
        { type: 'tool_use', id: 'c2', name: 'read_file', input: { path: 'b.ts' }, caller },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'let a = 1;', is_error: false },
        { type: 'tool_result', tool_use_id: 'c2', content: 'no such file', is_error: true },
        { type: 'text', text: 'Go on.', ...mark },
      ],
    },
  ]);
  assert.equal(JSON.stringify(two.body).split('cache_control').length - 1, 2);
});

test('anthropic: the cache is also marked behind what other conversations begin with', async (t) => {
  const server = await startProviderServer([{ text: 'Done.' }]);
  t.after(server.close);
  const shared = { kind: 'text', text: 'The brief.', isShared: true } as const;
  await askIt(server, 'anthropic', { messages: [fromUs(shared, { kind: 'text', text: 'Try 1.' })] });
  assert.deepEqual(server.heard[0]?.body.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The brief.', ...mark },
        { type: 'text', text: 'Try 1.', ...mark },
      ],
    },
  ]);
});

test('openai: calls and thoughts go back as text, and every result is a message', async (t) => {
  const [one, two] = await roundTrip('openai', said, () => results, t);
  const asked = [
    { role: 'system', content: 'You are a junior.' },
    { role: 'user', content: 'Make it faster.' },
  ];
  const tool = (name: string, description: string): object => ({
    type: 'function',
    function: { name, description, parameters: pathSchema },
  });
  assert.deepEqual(one.body, {
    model: 'some-model-2',
    max_tokens: 4096,
    stream: true,
    stream_options: { include_usage: true },
    messages: asked,
    tools: [tool('read_file', 'Reads a file.'), tool('write_file', 'Writes a file.')],
  });
  const call = (id: string, path: string): object => ({
    id,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path }) },
  });
  assert.deepEqual(two.body.messages, [
    ...asked,
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [call('c1', 'a.ts'), call('c2', 'b.ts')],
      reasoning_content: 'Let me see.',
    },
    { role: 'tool', tool_call_id: 'c1', content: 'let a = 1;' },
    { role: 'tool', tool_call_id: 'c2', content: 'Failed: no such file' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('responses: thoughts go back enciphered, without the ids of what was not stored', async (t) => {
  const [one, two] = await roundTrip('responses', said, () => results, t);
  const us = { role: 'user', content: 'Make it faster.' };
  const tool = (name: string, description: string): object => ({
    ...{ type: 'function', name, description, parameters: pathSchema, strict: false },
  });
  assert.deepEqual(one.body, {
    model: 'some-model-2',
    max_output_tokens: 4096,
    stream: true,
    store: false,
    instructions: 'You are a junior.',
    input: [us],
    tools: [tool('read_file', 'Reads a file.'), tool('write_file', 'Writes a file.')],
  });
  const call = (call_id: string, path: string): object => ({
    ...{ type: 'function_call', call_id, name: 'read_file', arguments: JSON.stringify({ path }) },
  });
  assert.deepEqual(two.body.input, [
    us,
    { type: 'reasoning', summary: [], encrypted_content: 'c2lnbmVk' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
    call('c1', 'a.ts'),
    call('c2', 'b.ts'),
    { type: 'function_call_output', call_id: 'c1', output: 'let a = 1;' },
    { type: 'function_call_output', call_id: 'c2', output: 'Failed: no such file' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('responses: only a model that thinks is asked for its thoughts', async (t) => {
  const server = await startProviderServer(() => ({ text: 'Done.' }));
  t.after(server.close);
  const models = ['gpt-5-codex', 'o3-pro-2025-06-10', 'gpt-6-astra', 'gpt-4.1-2025-04-14', 'gpt-5-chat-2025-08-07'];
  for (const model of models) await askIt(server, 'responses', { model });
  assert.deepEqual(
    server.heard.map(({ body }) => body.include),
    [...Array(3).fill(['reasoning.encrypted_content']), undefined, undefined],
  );
});

test('responses: thoughts that led to nothing before the limit do not go back', async (t) => {
  const cut: Said = { thinking: { text: 'Let me see.', signature: 'c2lnbmVk' }, stop: 'length' };
  const [, two] = await roundTrip('responses', cut, () => fromUs({ kind: 'text', text: 'Go on.' }), t);
  assert.deepEqual(two.body.input, [
    { role: 'user', content: 'Make it faster.' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('openai: thoughts go back in the field they came in', async (t) => {
  const thinking = { text: 'Let me see.', signature: '', field: 'reasoning' } as const;
  const call = { id: 'c1', tool: 'read_file', input: { path: 'a.ts' } };
  const [, two] = await roundTrip(
    'openai',
    { thinking, calls: [call] },
    () => fromUs({ kind: 'result', id: 'c1', tool: 'read_file', text: 'let a = 1;', failed: false }),
    t,
  );
  const told = (two.body.messages as { role: string }[]).filter(({ role }) => role === 'assistant');
  const form = { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } };
  assert.deepEqual(told, [{ role: 'assistant', content: null, tool_calls: [form], reasoning: 'Let me see.' }]);
});

test('anthropic: thoughts cut off without a signature do not go back', async (t) => {
  const cut: Said = { thinking: { text: 'Let me s', signature: '' }, text: 'I', stop: 'length' };
  const [, two] = await roundTrip('anthropic', cut, () => fromUs({ kind: 'text', text: 'Go on.' }), t);
  const { content } = (two.body.messages as { content: unknown[] }[])[1] ?? {};
  assert.deepEqual(content, [{ type: 'text', text: 'I', citations: null }]);
});

test('openai: after a message with thoughts, one without says that it has none', async (t) => {
  const server = await startProviderServer([said, { calls: [{ tool: 'read_file', input: { path: 'c' } }] }, {}]);
  t.after(server.close);
  const messages = [...questionOf().messages];
  for (const answerWith of [results, undefined]) {
    const { message } = await askIt(server, 'openai', { messages });
    const [call] = message.parts.filter((part) => part.kind === 'call');
    const result = { kind: 'result', id: call?.id ?? '', tool: 'read_file', text: 'c', failed: false } as const;
    messages.push(message, answerWith ?? fromUs(result));
  }
  await askIt(server, 'openai', { messages });
  const told = server.heard[2]?.body.messages as { role: string; reasoning_content?: string }[];
  assert.deepEqual(
    told.flatMap(({ role, reasoning_content }) => (role === 'assistant' ? [reasoning_content] : [])),
    ['Let me see.', ''],
  );
});

test('google: calls go back with the signature that hung on them, and results by name and id', async (t) => {
  const [one, two] = await roundTrip('google', said, () => results, t);
  const us = { role: 'user', parts: [{ text: 'Make it faster.' }] };
  const declare = (name: string, description: string): object => ({
    name,
    description,
    parametersJsonSchema: pathSchema,
  });
  assert.deepEqual(one.body, {
    contents: [us],
    systemInstruction: { role: 'user', parts: [{ text: 'You are a junior.' }] },
    tools: [{ functionDeclarations: [declare('read_file', 'Reads a file.'), declare('write_file', 'Writes a file.')] }],
    generationConfig: { maxOutputTokens: 4096 },
  });
  const response = (id: string, rest: object): object => ({
    functionResponse: { id, name: 'read_file', response: rest },
  });
  assert.deepEqual(two.body.contents, [
    us,
    {
      role: 'model',
      parts: [
        { text: 'I look.' },
        { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.ts' } }, thoughtSignature: 'c2lnbmVk' },
        { functionCall: { id: 'c2', name: 'read_file', args: { path: 'b.ts' } } },
      ],
    },
    {
      role: 'user',
      parts: [response('c1', { output: 'let a = 1;' }), response('c2', { error: 'no such file' }), { text: 'Go on.' }],
    },
  ]);
});

test('google: an id that it never gave does not come back to it', async (t) => {
  const nameless: Said = { calls: [1, 2].map((n) => ({ id: '', tool: 'read_file', input: { path: `${n}` } })) };
  const ids: string[] = [];
  const [, two] = await roundTrip(
    'google',
    nameless,
    ({ message }) =>
      fromUs(
        ...message.parts.flatMap((part) => {
          if (part.kind !== 'call') return [];
          ids.push(part.id);
          return [{ kind: 'result', id: part.id, tool: part.tool, text: 'yes', failed: false } as const];
        }),
      ),
    t,
  );
  assert.equal(new Set(ids).size, 2);
  assert.equal(
    ids.some((id) => id === '' || JSON.stringify(two.body).includes(id)),
    false,
  );
});

for (const provider of providers) {
  test(`${provider}: a call that could not be read can be answered, and goes back as something it takes`, async (t) => {
    const bad: Said = { text: 'I write.', calls: [{ id: 'c1', tool: 'write_file', input: '{"path": "a' }] };
    const [, two] = await roundTrip(
      provider,
      bad,
      ({ message }) => {
        const call = message.parts.find((part) => part.kind === 'call');
        assert.ok(call?.kind === 'call');
        return fromUs({ kind: 'result', id: call.id, tool: call.tool, text: 'not JSON', failed: true });
      },
      t,
    );
    assert.deepEqual(
      lastTwo[provider](two.body),
      {
        anthropic: [
          { unread: '{"path": "a' },
          { type: 'tool_result', tool_use_id: 'c1', content: 'not JSON', is_error: true, ...mark },
        ],
        openai: ['{"unread":"{\\"path\\": \\"a"}', { role: 'tool', tool_call_id: 'c1', content: 'Failed: not JSON' }],
        google: [
          [{ text: 'I write.' }, { text: 'MALFORMED_FUNCTION_CALL' }],
          { role: 'user', parts: [{ text: 'not JSON' }] },
        ],
        responses: [
          '{"unread":"{\\"path\\": \\"a"}',
          { type: 'function_call_output', call_id: 'c1', output: 'Failed: not JSON' },
        ],
      }[provider],
    );
  });

  test(`${provider}: what another provider's model said is told in words that are everybody's`, async (t) => {
    const other = providers.find((each) => each !== provider) as ModelApi;
    const server = await startProviderServer([said, { text: 'Done.' }]);
    t.after(server.close);
    const { message } = await askIt(server, other);
    await askIt(server, provider, { messages: [...questionOf().messages, message, results] });
    const body = JSON.stringify(server.heard[1]?.body);
    assert.equal(server.heard[1]?.wire, provider);
    assert.match(body, /I look\./);
    assert.match(body, /a\.ts/);
    assert.equal(body.includes('c2lnbmVk') || body.includes('provider'), false);
    assert.match(server.heard[1]?.told ?? '', /let a = 1;/);
  });

  test(`${provider}: nothing is said where there is nothing to say`, async (t) => {
    const server = await startProviderServer([said]);
    t.after(server.close);
    const empty: ModelMessage = { from: 'model', parts: [] };
    const messages = [...questionOf().messages, empty, fromUs({ kind: 'text', text: 'And?' })];
    await askIt(server, provider, { system: '', tools: [], messages });
    const { system, systemInstruction, instructions, tools, ...rest } = server.heard[0]?.body ?? {};
    assert.deepEqual([system, systemInstruction, instructions, tools], Array(4).fill(undefined));
    assert.equal(((rest.messages ?? rest.contents ?? rest.input) as unknown[]).length, 2);
  });
}

const pathSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** What a call became that could not be read, and what came of it. */
const lastTwo: Readonly<Record<ModelApi, (body: Heard['body']) => unknown>> = {
  anthropic: ({ messages }) => {
    const [, model, us] = messages as { content: { input?: unknown }[] }[];
    return [model?.content.at(-1)?.input, us?.content.at(-1)];
  },
  openai: ({ messages }) => {
    const [model, us] = (messages as { tool_calls?: { function: { arguments: string } }[] }[]).slice(-2);
    return [model?.tool_calls?.[0]?.function.arguments, us];
  },
  responses: ({ input }) => {
    const [model, us] = (input as { arguments?: string }[]).slice(-2);
    return [model?.arguments, us];
  },
  google: ({ contents }) => {
    const [, model, us] = contents as { parts: unknown[] }[];
    return [model?.parts, us];
  },
};
