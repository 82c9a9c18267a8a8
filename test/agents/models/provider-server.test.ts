import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { OpenAI } from 'openai';
import { askIt, fromUs, providers, questionOf } from '../../support/model-question.ts';
import { root } from '../../support/org.ts';
import { type ProviderServer, startProviderServer } from '../../support/provider-server/server.ts';

/** The wire that none of our own turns uses: other programs do, and have to find it as they know it. */

const clientOf = (server: ProviderServer): OpenAI =>
  new OpenAI({ apiKey: 'sk-test', baseURL: server.baseUrl('responses'), maxRetries: 0, logLevel: 'off' });

test('a response comes as the SDK knows it: text, calls, usage and model', async (t) => {
  const server = await startProviderServer([
    {
      text: 'I look at it.',
      calls: [{ id: 'c1', tool: 'shell', input: { command: ['ls'] } }],
      usage: { tokensIn: 900, tokensOut: 60, cacheRead: 400, thoughts: 20 },
      model: 'gpt-5-codex-2026',
    },
  ]);
  t.after(server.close);
  const stream = clientOf(server).responses.stream({ model: 'gpt-5-codex', input: 'Make it faster.' });
  const response = await stream.finalResponse();
  assert.equal(response.output_text, 'I look at it.');
  const call = response.output[1];
  assert.ok(call?.type === 'function_call');
  assert.deepEqual([call.call_id, call.name, call.arguments], ['c1', 'shell', '{"command":["ls"]}']);
  assert.equal(response.model, 'gpt-5-codex-2026');
  assert.equal(response.usage?.input_tokens, 900);
  assert.equal(response.usage?.input_tokens_details.cached_tokens, 400);
  assert.equal(response.usage?.output_tokens_details.reasoning_tokens, 20);
  assert.deepEqual(server.tally('responses'), {
    turns: 1,
    tokensIn: 900,
    tokensOut: 60,
    cacheRead: 400,
    cacheWrite: 0,
  });
});

test('a response that fails in its stream is busy or trouble, as its error says', async (t) => {
  const error = { type: 'error', code: 'rate_limit_exceeded', message: 'too many', param: null, sequence_number: 1 };
  const server = await startProviderServer([
    { fault: 'raw', body: `event: error\ndata: ${JSON.stringify(error)}\n\n` },
    { fault: 'broke', said: { text: 'Hello.' }, status: 500 },
  ]);
  t.after(server.close);
  await assert.rejects(askIt(server, 'responses'), { kind: 'busy', message: 'openai 200: too many' });
  await assert.rejects(askIt(server, 'responses'), {
    kind: 'trouble',
    message: 'openai 200: the script broke with 500',
  });
});

test('the server refuses what its provider would', async (t) => {
  const server = await startProviderServer(() => ({ text: 'Hello.' }));
  t.after(server.close);
  const lost = fromUs({ kind: 'result', id: 'c9', tool: 'read_file', text: 'a', failed: false });
  const messages = [
    ...questionOf().messages,
    { from: 'model', parts: [{ kind: 'text', text: 'I look.' }] } as const,
    lost,
  ];
  for (const api of providers) {
    await assert.rejects(askIt(server, api, { messages }), { kind: 'request' }, api);
    assert.deepEqual((await askIt(server, api)).message.parts, [{ kind: 'text', text: 'Hello.' }]);
  }
});

test('the server refuses settings that its models do not have', async (t) => {
  const server = await startProviderServer(() => ({ text: 'Hello.' }));
  t.after(server.close);
  const rows = [
    ['anthropic', { model: 'claude-opus-4-20250514', mostTokens: 40_000 }, /max_tokens: 40000 > 32000/],
    [
      'anthropic',
      { model: 'claude-3-5-haiku-20241022', effort: 'low', mostTokens: 8_000 },
      /does not support thinking/,
    ],
    ['responses', { model: 'gpt-4o-2024-11-20', effort: 'low' }, /'reasoning\.effort' is not supported/],
    ['openai', { model: 'gpt-4o-2024-11-20', effort: 'low' }, /reasoning_effort/],
    ['google', { model: 'gemini-2.0-flash', effort: 'low' }, /Thinking level is not supported/],
  ] as const;
  for (const [api, rest, message] of rows) await assert.rejects(askIt(server, api, rest), { kind: 'model', message });
});

test('the provider server imports nothing of the source', () => {
  const dir = path.join(root, 'test/support/provider-server');
  const imported = readdirSync(dir).flatMap((file) =>
    [...readFileSync(path.join(dir, file), 'utf8').matchAll(/ from '([^']+)'|import\('([^']+)'\)/g)].map(
      ([, from]) => from,
    ),
  );
  assert.ok(imported.length > 20);
  assert.deepEqual(
    imported.filter((from) => !/^(node:|\.\/[a-z-]+\.ts$)/.test(from ?? '')),
    [],
  );
});

test('a script hears what tools gave, also here', async (t) => {
  const server = await startProviderServer((heard) => ({ text: `I heard: ${heard.told}` }));
  t.after(server.close);
  const response = await clientOf(server)
    .responses.stream({
      model: 'gpt-5-codex',
      input: [
        { role: 'user', content: 'Make it faster.' },
        { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'a.ts b.ts' },
      ],
    })
    .finalResponse();
  assert.equal(response.output_text, 'I heard: a.ts b.ts');
});

test('sums are kept apart for every wire, and a turn that was cut is in none', async (t) => {
  const usage = { tokensIn: 10, tokensOut: 3 };
  const server = await startProviderServer([
    { text: 'One.', usage },
    { text: 'Two.', usage },
    { fault: 'cut', said: { text: 'Three.', usage }, how: 'ended' },
  ]);
  t.after(server.close);
  await askIt(server, 'anthropic');
  await askIt(server, 'google');
  await assert.rejects(askIt(server, 'google'));
  const one = { turns: 1, tokensIn: 10, tokensOut: 3, cacheRead: 0, cacheWrite: 0 };
  assert.deepEqual([server.tally('anthropic'), server.tally('google')], [one, one]);
  assert.deepEqual(server.tally(), { ...one, turns: 2, tokensIn: 20, tokensOut: 6 });
});

test('a script that is over says so', async (t) => {
  const server = await startProviderServer([]);
  t.after(server.close);
  await assert.rejects(askIt(server, 'openai'), { kind: 'request', message: 'openai 400: the script is over' });
});
