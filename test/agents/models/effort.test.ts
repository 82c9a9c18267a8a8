import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestAnswer } from '../../../src/agents/models/call-limits.ts';
import type { Question } from '../../../src/agents/models/model-contract.ts';
import type { ModelApi } from '../../../src/domain/staff/staff.ts';
import type { Effort, Provider } from '../../../src/domain/words/model-id.ts';
import { askIt } from '../../support/model-question.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

test('effort becomes the setting that each provider has for it, within what an answer may have', async (t) => {
  const server = await startProviderServer(() => ({ text: 'Done.' }));
  t.after(server.close);
  const heard = async (provider: ModelApi, model: string, effort?: Effort, mostTokens = 32_000): Promise<object> => {
    await askIt(server, provider, { model, effort, mostTokens } satisfies Partial<Question>);
    const body = server.heard.at(-1)?.body ?? {};
    const { thinkingConfig } = (body.generationConfig ?? {}) as Record<string, unknown>;
    const found = { ...body, thinkingConfig } as Record<string, unknown>;
    const names = ['thinking', 'output_config', 'reasoning_effort', 'reasoning', 'thinkingConfig'];
    return Object.fromEntries(names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]])));
  };
  for (const [provider, model] of [
    ['anthropic', 'claude-sonnet-4-6'],
    ['openai', 'gpt-5-2025-08-07'],
    ['google', 'gemini-2.5-pro'],
  ] as const)
    assert.deepEqual(await heard(provider, model), {}, model);
  const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
  assert.deepEqual(await heard('anthropic', 'claude-sonnet-4-6', 'high'), adaptive);
  assert.deepEqual(await heard('anthropic', 'claude-opus-5', 'high'), adaptive);
  const budget = (budget_tokens: number): object => ({ thinking: { type: 'enabled', budget_tokens } });
  assert.deepEqual(await heard('anthropic', 'claude-opus-4-20250514', 'medium'), budget(8_192));
  assert.deepEqual(await heard('anthropic', 'claude-sonnet-4-5-20250929', 'high', 2_048), budget(1_024));
  assert.deepEqual(await heard('anthropic', 'claude-sonnet-4-5-20250929', 'high', 2_000), {});
  assert.deepEqual(await heard('openai', 'gpt-5-2025-08-07', 'low'), { reasoning_effort: 'low' });
  assert.deepEqual(await heard('responses', 'gpt-5-2025-08-07', 'low'), { reasoning: { effort: 'low' } });
  assert.deepEqual(await heard('google', 'gemini-2.5-pro', 'high', 8_000), {
    thinkingConfig: { thinkingBudget: 4_000 },
  });
  assert.deepEqual(await heard('google', 'gemini-3-pro', 'low'), { thinkingConfig: { thinkingLevel: 'LOW' } });
});

test('an answer is longer where thoughts are a part of it, and as long as a cap on a call says', () => {
  const of = (provider: Provider, id: string, effort?: Effort): number =>
    longestAnswer({ kind: 'api', model: { provider, id }, baseUrl: undefined, effort }, {});
  assert.deepEqual(
    [
      of('anthropic', 'claude-sonnet-4-6'),
      of('anthropic', 'claude-sonnet-4-6', 'low'),
      of('openai', 'gpt-4o-2024-11-20'),
      of('openai', 'gpt-5-2025-08-07'),
      of('openai', 'google/gemini-2.5-pro'),
      of('openai', 'deepseek-reasoner'),
      of('openai', 'qwen2.5-coder:7b'),
      of('google', 'gemini-2.0-flash'),
      of('google', 'gemini-2.5-flash'),
    ],
    [8_192, 32_000, 8_192, 32_000, 32_000, 32_000, 8_192, 8_192, 32_000],
  );
  const choice = { kind: 'api', model: { provider: 'openai', id: 'gpt-5-2025-08-07' }, baseUrl: undefined } as const;
  for (const tokensOut of [500, 64_000]) assert.equal(longestAnswer(choice, { call: { tokensOut } }), tokensOut);
});
