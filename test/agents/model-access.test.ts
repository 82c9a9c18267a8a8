import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelAccessRules, openModelAccess } from '../../src/agents/model-access.ts';
import type { WantedCall } from '../../src/agents/models/prices.ts';
import type { Language } from '../../src/domain/words/model-id.ts';
import type { Amount } from '../../src/domain/words/spending.ts';
import { faultOf, questionOf } from '../support/model-question.ts';
import { startProviderServer } from '../support/provider-server/server.ts';

const model = 'claude-sonnet-4-5-20250929';

test('of an answer by another model the tokens are booked as they were counted, and all the dollars that were set aside', async (t) => {
  const said = { text: 'Hello.', model: 'another-model', usage: { tokensIn: 120, tokensOut: 40 } };
  const server = await startProviderServer([said]);
  t.after(server.close);
  const settled: unknown[] = [];
  let aside: Amount | undefined;
  const rules = {
    reserve: async (_payer: unknown, _model: unknown, { most }: WantedCall) => {
      aside = most;
      return {
        ...{ kind: 'reserved', most },
        settle: (used: { tokensIn: number; tokensOut: number }, usd: number) => {
          settled.push([used.tokensIn, used.tokensOut, usd]);
          return { counted: { ...used, usd } };
        },
        release: () => settled.push('released'),
      };
    },
    access: async () => ({ key: 'a-key', baseUrl: server.baseUrl('anthropic') }),
    prices: () => new Map([[model, { input: 3, output: 15 }]]),
    onWait: () => {},
  } as unknown as ModelAccessRules;
  const choice = {
    kind: 'api',
    model: { provider: 'anthropic', id: model },
    baseUrl: server.baseUrl('anthropic'),
  } as const;
  const line = await openModelAccess(rules).askFor(choice, {
    ...{ agent: 'junior-1', spec: undefined, attempt: undefined, errand: 'junior-1-1' },
  });
  const fault = await faultOf(line.ask(questionOf({ model }), new AbortController().signal));
  assert.deepEqual([fault.kind, fault.begun], ['model', true]);
  assert.match(fault.message, /asked for anthropic\/claude-sonnet-4-5-20250929, and another-model answered/);
  assert.equal((aside?.usd ?? 0) > 0, true);
  assert.deepEqual(settled, [[120, 40, aside?.usd]]);
  assert.deepEqual(line.spent(), {
    ...{ model: choice.model, tokensIn: 120, tokensOut: 40 },
    usd: aside?.usd,
  });
});

test('a program is given the address without a version where its SDK adds one', async () => {
  const reserveRest = async () => ({
    kind: 'reserved',
    most: { usd: 1, tokensIn: 1, tokensOut: 1 },
    release: () => {},
  });
  const access = async (choice: { readonly baseUrl: string | undefined }) => ({ key: '', baseUrl: choice.baseUrl });
  const rules = { access, reserveRest, prices: () => new Map() } as unknown as ModelAccessRules;
  const { allow } = openModelAccess(rules);
  const given = async (provider: Language, baseUrl: string) => {
    const choice = { kind: 'program', program: 'pi', model: { provider, id: 'm' }, baseUrl, ownConfig: false } as const;
    const payer = { agent: 'junior-1', spec: undefined, attempt: undefined, errand: 'junior-1-1' };
    return (await allow(choice, false, payer, 1_000, new AbortController().signal)).access.baseUrl;
  };
  assert.deepEqual(
    [
      await given('anthropic', 'http://here:1/v1'),
      await given('google', 'http://here:1/v1beta'),
      await given('openai', 'http://here:1/v1'),
      await given('anthropic', 'http://here:1'),
    ],
    ['http://here:1', 'http://here:1', 'http://here:1/v1', 'http://here:1'],
  );
});
