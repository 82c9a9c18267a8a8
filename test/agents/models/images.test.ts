import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../../../src/agents/models/conversation.ts';
import { Fault, type Image, type Part, type Question } from '../../../src/agents/models/model-contract.ts';
import { mostTokensIn } from '../../../src/agents/models/prices.ts';
import { askIt, fromUs, questionOf } from '../../support/model-question.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** Images that a tool gave back: how each provider is shown them, and what becomes of them elsewhere. */

const image: Image = { type: 'image/png', data: 'iVBORw0KGgo=' };
const call = (id: string): Part => ({ kind: 'call', id, tool: 'look', input: {} });
const looked = (id: string, images: readonly Image[]): Part => ({
  ...{ kind: 'result', id, tool: 'look', text: `seen ${id}`, failed: false },
  ...(images.length === 0 ? {} : { images }),
});
const messages = [
  ...questionOf().messages,
  { from: 'model', parts: [call('c1'), call('c2')] } as const,
  fromUs(looked('c1', [image]), looked('c2', [])),
];

const shown = {
  anthropic: [
    {
      role: 'user',
      content: [
        {
          ...{ type: 'tool_result', tool_use_id: 'c1', is_error: false },
          content: [
            { type: 'text', text: 'seen c1' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } },
          ],
        },
        {
          ...{ type: 'tool_result', tool_use_id: 'c2', content: 'seen c2', is_error: false },
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  ],
  openai: [
    { role: 'tool', tool_call_id: 'c1', content: 'seen c1' },
    { role: 'tool', tool_call_id: 'c2', content: 'seen c2' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The images of the results above, in their order.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${image.data}` } },
      ],
    },
  ],
  google: [
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'look', response: { output: 'seen c1' } } },
        { functionResponse: { id: 'c2', name: 'look', response: { output: 'seen c2' } } },
        { inlineData: { mimeType: 'image/png', data: image.data } },
      ],
    },
  ],
  responses: [
    {
      ...{ type: 'function_call_output', call_id: 'c1' },
      output: [
        { type: 'input_text', text: 'seen c1' },
        { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image.data}` },
      ],
    },
    { type: 'function_call_output', call_id: 'c2', output: 'seen c2' },
  ],
} as const;

for (const provider of ['anthropic', 'openai', 'google', 'responses'] as const)
  test(`${provider}: the image of a result is shown in its own form`, async (t) => {
    const server = await startProviderServer([{ text: 'Done.' }]);
    t.after(server.close);
    await askIt(server, provider, { messages });
    const body = server.heard[0]?.body;
    const told = (body?.messages ?? body?.contents ?? body?.input) as unknown[];
    assert.deepEqual(told.slice(-shown[provider].length), shown[provider]);
  });

/** A conversation whose tool gives an image, with a model that may refuse it. */
async function talk(takesImages: boolean, refuses: boolean) {
  const asked: Question[] = [];
  const end = await converse(
    {
      ...{
        model: 'some-model-2',
        system: '',
        opening: 'Go.',
        mostTokens: 100,
        mostTurns: 5,
        takesImages,
        mostBytes: 200_000,
      },
      left: () => ({ seconds: 60, usd: undefined }),
      ask: async (question) => {
        asked.push(question);
        if (refuses && JSON.stringify(question).includes(image.data)) throw new Fault('request', 'no images');
        const parts = asked.length === 1 ? [call('c1')] : ([{ kind: 'text', text: 'seen' }] as const);
        return { message: { from: 'model', parts }, stop: 'done', usage: undefined, model: undefined };
      },
      tools: [
        {
          ...{ name: 'look', description: 'looks', input: { type: 'object' } },
          use: async () => ({ text: 'a picture', images: [image] }),
        },
      ],
    },
    new AbortController().signal,
  );
  assert.deepEqual(end, { kind: 'silent', words: 'seen' });
  return asked.map((question) =>
    question.messages.flatMap(({ parts }) => parts).filter(({ kind }) => kind === 'result'),
  );
}

const without = 'a picture\n[images left out, because this model is shown none: 1]';

test('a model that takes no images is told that one was left out', async () => {
  const result = { kind: 'result', id: 'c1', tool: 'look', failed: false };
  assert.deepEqual(await talk(true, false), [[], [{ ...result, text: 'a picture', images: [image] }]]);
  assert.deepEqual(await talk(false, true), [[], [{ ...result, text: without, images: [] }]]);
  assert.deepEqual(await talk(true, true), [
    [],
    [{ ...result, text: 'a picture', images: [image] }],
    [{ ...result, text: without, images: [] }],
  ]);
});

test('an image counts as what a model makes of it, however many bytes it has', () => {
  const many = (data: string): number =>
    mostTokensIn(questionOf({ messages: [fromUs(looked('c1', [{ ...image, data }, image]))] }));
  assert.equal(many('A'.repeat(2_000_000)), many('A'));
  assert.equal(many('A') - mostTokensIn(questionOf({ messages: [fromUs(looked('c1', []))] })) >= 32_000, true);
});
