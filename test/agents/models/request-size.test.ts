import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse, type Tool } from '../../../src/agents/models/conversation.ts';
import { Fault, type ModelMessage, type Question } from '../../../src/agents/models/model-contract.ts';
import { askOf } from '../../../src/agents/models/providers.ts';
import { isTooLong, requestBytes, shortenTalk } from '../../../src/agents/models/request-size.ts';
import { accessTo, providers } from '../../support/model-question.ts';
import type { Broken, Heard, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** Full of what becomes longer in JSON, and longer again in JSON within JSON. */
const file = 'let "a" = b\n'.repeat(2_730);

const readTool: Tool = {
  ...{ name: 'read', description: 'Reads.', input: { type: 'object', properties: {}, required: [] } },
  use: async ({ path }) => ({ text: `${path}\n${file}` }),
};

/** A talk with what the server plays, through the provider's own package. */
async function talkWith(
  provider: (typeof providers)[number],
  reply: (heard: Heard) => Said | Broken,
  t: { after: (end: () => Promise<void>) => void },
  rest: object = {},
) {
  const server = await startProviderServer(reply);
  t.after(server.close);
  const finish: Tool = {
    ...readTool,
    name: 'finish',
    use: async () => ({ text: '', finish: { title: 'x', notes: '' } }),
  };
  const end = await converse(
    {
      ask: askOf(provider, accessTo(server, provider)),
      ...{ model: 'some-model-2', system: 'You are a junior.', opening: 'Go.', tools: [readTool, finish] },
      ...{ mostTokens: 8_192, mostTurns: 60, mostBytes: 200_000, left: () => ({ seconds: 60, usd: undefined }) },
      ...rest,
    },
    new AbortController().signal,
  );
  const sizes = server.heard.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
  return { end, server, sizes };
}

for (const provider of providers)
  test(`thirty reads of 32 KB files stay below 200 KB with ${provider}`, async (t) => {
    const { end, server, sizes } = await talkWith(
      provider,
      ({ turn }) => ({
        thinking: { text: 'Let me see.', signature: 'c2lnbmVk' },
        calls: [{ tool: turn > 30 ? 'finish' : 'read', input: { path: `${turn}`, why: file.slice(0, 500) } }],
      }),
      t,
    );
    assert.equal(end.kind, 'finished');
    assert.equal(server.heard.length, 31);
    assert.ok(Math.max(...sizes) < 200_000 && Math.max(...sizes) > 120_000, `${sizes}`);
    // A provider's cache holds what is not changed: that is not each turn.
    assert.ok(sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length < 10, `${sizes}`);
    assert.match(server.heard.at(-1)?.told ?? '', /^30\nlet "a" = b/, 'the last result is whole');
    const all = JSON.stringify(server.heard.at(-1)?.body);
    assert.match(all, /\[\d+ bytes are left out here: read again if needed, a part at a time\]/);
    assert.match(all, /Go\./);
  });

test('a request that is refused for its length is sent once more, half as long', async (t) => {
  for (const provider of providers) {
    const tooLong: Broken = {
      ...{ fault: 'status', status: 400 },
      body: { error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' } },
    };
    const bytesOf = ({ body }: Heard): number => Buffer.byteLength(JSON.stringify(body));
    const { end, sizes } = await talkWith(
      provider,
      (heard) =>
        bytesOf(heard) > 90_000
          ? tooLong
          : { calls: [{ tool: heard.turn > 8 ? 'finish' : 'read', input: { path: `${heard.turn}` } }] },
      t,
    );
    assert.equal(end.kind, 'finished');
    const refused = sizes.findIndex((size) => size > 90_000);
    assert.ok((sizes[refused + 1] ?? 0) <= (sizes[refused] ?? 0) / 2, `${sizes}`);
    assert.equal(sizes.filter((size) => size > 90_000).length, 1);
    await assert.rejects(
      talkWith(provider, () => tooLong, t),
      /prompt is too long/,
    );
  }
});

test('a question too long with its answer is halved with it', async (t) => {
  // vLLM counts both against what a model can hold.
  const room = ({ body }: Heard): string | undefined => {
    const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 4);
    const wanted = Number(body.max_tokens);
    return tokens + wanted <= 8_192
      ? undefined
      : `'max_tokens' is too large: ${wanted}. This model's maximum context length is 8192 tokens and your request has ${tokens} input tokens`;
  };
  const { end, server } = await talkWith(
    'openai',
    (heard) => {
      const message = room(heard);
      if (message !== undefined) return { fault: 'status', status: 400, body: { object: 'error', message, code: 400 } };
      return { calls: [{ tool: 'finish', input: {} }] };
    },
    t,
  );
  assert.equal(end.kind, 'finished');
  assert.deepEqual(
    server.heard.map(({ body }) => body.max_tokens),
    [8_192, 4_096],
  );
});

test('a question found too long within a stream is halved too', async (t) => {
  const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  const response = { id: 'resp_1', status: 'failed', error: { code: 'context_length_exceeded', message } };
  const failed = { type: 'response.failed', sequence_number: 1, response };
  const body = `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
  const { end, sizes } = await talkWith(
    'responses',
    ({ turn }) => {
      if (turn === 4) return { fault: 'raw', body };
      return { calls: [{ tool: turn > 5 ? 'finish' : 'read', input: { path: `${turn}` } }] };
    },
    t,
  );
  assert.equal(end.kind, 'finished');
  assert.equal(sizes.length, 6);
  assert.ok((sizes[4] ?? 0) <= (sizes[3] ?? 0) / 2, `${sizes}`);
});

const frame: Pick<Question, 'system' | 'tools'> = { system: 'x'.repeat(1_000), tools: [] };
const us = (...texts: readonly string[]): ModelMessage => ({
  from: 'us',
  parts: texts.map((text, at) => ({ kind: 'result', id: `c${at}`, tool: 'read', text, failed: false })),
});
const model = (bytes: number): ModelMessage => ({
  from: 'model',
  parts: [{ kind: 'call', id: 'c0', tool: 'write', input: { content: 'y'.repeat(bytes) } }],
  native: { provider: 'google', form: ['z'.repeat(bytes)] },
});
const opening: ModelMessage = { from: 'us', parts: [{ kind: 'text', text: 'Go.' }] };

test('where a model itself says most of it, its first turns go, whole and with their results', () => {
  const messages = [opening, ...Array.from({ length: 10 }, () => [model(30_000), us('written')]).flat()];
  const short = shortenTalk(frame, messages, 200_000);
  assert.ok(requestBytes(frame, short) <= 100_000);
  assert.deepEqual(short.slice(1), messages.slice(-short.length + 1), 'the rest is as it was');
  assert.deepEqual(
    short.map(({ from }) => from),
    messages.slice(0, short.length).map(({ from }) => from),
  );
  assert.match(JSON.stringify(short[0]), /Go\..*Your first turns are left out here/);
  const twice = shortenTalk(frame, [...short, model(80_000), us('written'), model(80_000), us('x')], 200_000);
  assert.equal(JSON.stringify(twice[0]), JSON.stringify(short[0]), 'it is said once');
});

test('one turn with too many results keeps those that fit, the last first', () => {
  const messages = [opening, model(10), us(...Array.from({ length: 10 }, () => file))];
  const short = shortenTalk(frame, messages, 200_000);
  assert.ok(requestBytes(frame, short) <= 200_000);
  const whole = (short[2]?.parts ?? []).map((part) => part.kind === 'result' && part.text === file);
  assert.deepEqual(whole, [...Array(6).fill(false), ...Array(4).fill(true)]);
});

test('what cannot be shorter is left as it is', () => {
  const messages = [{ from: 'us', parts: [{ kind: 'text', text: 'x'.repeat(300_000) }] }] as const;
  assert.deepEqual(shortenTalk(frame, messages, 200_000), messages);
  assert.deepEqual(shortenTalk(frame, [...messages, model(10), us('short')], 200_000), [
    ...messages,
    model(10),
    us('short'),
  ]);
});

test('each provider has words of its own for a question that is too long', () => {
  const words = [
    'anthropic 400: prompt is too long: 210000 tokens > 200000 maximum',
    'anthropic 413: Request exceeds the maximum size',
    "openai 400: This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'openai 400: Your input exceeds the context window of this model.',
    'google 400: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'openai 400: the request exceeds the available context size, try increasing it',
    'anthropic 400: input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`',
  ];
  for (const said of words) assert.equal(isTooLong(new Fault('request', said)), true, said);
  assert.equal(isTooLong(new Fault('request', 'anthropic 400: messages.0: wrong role')), false);
  assert.equal(isTooLong(new Fault('trouble', 'anthropic 500: prompt is too long')), false);
});
