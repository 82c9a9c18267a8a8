import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question, Usage } from '../../../src/agents/models/model-contract.ts';
import { mostTokensIn, pricesFor, pricesOf } from '../../../src/agents/models/prices.ts';
import type { Language } from '../../../src/domain/words/model-id.ts';
import { randomFrom } from '../../../src/text/random.ts';

const usage = (tokensIn: number, tokensOut: number, cacheRead = 0, cacheWrite = 0): Usage => ({
  ...{ tokensIn, tokensOut, cacheRead, cacheWrite },
});

const known: readonly (readonly [provider: string, model: string])[] = [
  ['anthropic', 'claude-sonnet-4-20250514'],
  ['anthropic', 'claude-sonnet-4-5-20250929'],
  ['openai', 'gpt-5-2025-08-07'],
  ['openai', 'gpt-4.1-mini-2025-04-14'],
  ['google', 'gemini-2.5-pro'],
  ['google', 'gemini-2.5-flash'],
];

test('a usage is priced by its parts, to the billionth of a dollar', async () => {
  const { costOf, mostCost } = await pricesOf('anthropic', 'claude-sonnet-4-20250514');
  assert.equal(costOf(usage(4_740, 255, 0, 4_735)), 0.02159625);
  assert.equal(costOf(usage(1_000, 100)), 0.0045);
  assert.equal(mostCost(1_000, 100), 0.00525, 'everything read may be new in the cache');
});

test('what a model costs is not known where nobody has said it, and that is not nothing', async () => {
  for (const [provider, model] of [
    ['ollama', 'llama3'],
    ['nobody', 'gpt-5-2025-08-07'],
    ['openai', 'no-such-model'],
  ] as const) {
    const { costOf, mostCost } = await pricesOf(provider, model);
    assert.deepEqual([costOf(usage(10, 10)), mostCost(10, 10)], [undefined, undefined], model);
  }
});

test('with a base_url the list price counts: the gateway’s own, or that of the model’s house', async () => {
  const priceOf = async (id: string, baseUrl: string, provider: Language = 'openai') =>
    (await pricesFor({ model: { provider, id }, baseUrl }, new Map())).costOf(usage(1_000_000, 1_000_000));
  const here = 'http://127.0.0.1:4000/v1';
  const sonnet = await (await pricesOf('anthropic', 'claude-sonnet-4-6')).costOf(usage(1_000_000, 1_000_000));
  assert.deepEqual(
    [
      await priceOf('claude-sonnet-4-6', here, 'anthropic'),
      await priceOf('claude-sonnet-4-6', here),
      await priceOf('anthropic/claude-sonnet-4-6', here),
      await priceOf('qwen3:8b', here),
    ],
    [sonnet, sonnet, sonnet, undefined],
  );
  assert.ok(((await priceOf('deepseek-chat', 'https://api.deepseek.com/v1')) ?? 0) > 0);
  assert.equal(await priceOf('deepseek-chat', here), undefined);
});

test("a person's own prices stand in place of any, and a model may be free", async () => {
  const own = await pricesOf('openai', 'gpt-5-2025-08-07', { input: 2, output: 8, cache_read: 0.2, cache_write: 3 });
  assert.equal(own.costOf(usage(1_000_000, 500_000, 250_000, 250_000)), 1 + 0.05 + 0.75 + 4);
  assert.equal(own.mostCost(1_000_000, 500_000), 3 + 4);
  const plain = await pricesOf('ollama', 'llama3', { input: 1, output: 1 });
  assert.equal(plain.costOf(usage(1_000_000, 0, 500_000, 500_000)), 1);
  const free = await pricesOf('ollama', 'llama3', { input: 0, output: 0 });
  assert.deepEqual([free.costOf(usage(9, 9)), free.mostCost(9, 9)], [0, 0]);
});

test('a usage that cannot be has no price', async () => {
  for (const own of [undefined, { input: 1, output: 1 }]) {
    const { costOf } = await pricesOf('openai', 'gpt-5-2025-08-07', own);
    for (const wrong of [usage(10, 1, 100), usage(-1, 1), usage(1, Number.NaN), usage(1.5, 1), usage(9, 9, 5, 5)])
      assert.equal(costOf(wrong), undefined, JSON.stringify(wrong));
  }
});

test('no call costs more than the most that was said before, however it is cached and however long it is', async () => {
  const random = randomFrom('prices');
  for (const [provider, model] of known) {
    const { costOf, mostCost } = await pricesOf(provider, model);
    assert.notEqual(mostCost(1, 1), undefined, model);
    for (let round = 0; round < 500; round++) {
      const [mostIn, mostOut] = [random.below(600_000), random.below(64_000)];
      const tokensIn = random.below(mostIn + 1);
      const cacheRead = random.below(tokensIn + 1);
      const cacheWrite = random.below(tokensIn - cacheRead + 1);
      const used = usage(tokensIn, random.below(mostOut + 1), cacheRead, cacheWrite);
      const [cost, most] = [costOf(used) ?? Number.NaN, mostCost(mostIn, mostOut) ?? Number.NaN];
      assert.equal(cost <= most, true, `${model}: ${JSON.stringify(used)} costs ${cost}, not ${most} at most`);
    }
  }
});

test('a question has no more tokens than its bytes and its framing', () => {
  const question: Question = {
    model: 'any',
    system: 'é'.repeat(100),
    messages: [
      { from: 'us', parts: [{ kind: 'text', text: '😀'.repeat(50) }] },
      { from: 'model', parts: [{ kind: 'text', text: 'yes' }], native: { signature: 'x'.repeat(5_000) } },
    ],
    tools: [{ name: 'read', description: 'reads a file', input: { type: 'object' } }],
    mostTokens: 1_000,
  };
  const most = mostTokensIn(question);
  assert.equal(most > 200 + 200 + 5_000 + 2_000, true);
  assert.equal(most < 200 + 200 + 5_000 + 3_000, true);
});
