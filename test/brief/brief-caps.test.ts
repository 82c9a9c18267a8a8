import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBrief, parseBrief } from '../../src/brief/read/brief-text.ts';
import { refusal } from '../support/refusal.ts';
import { parseSmall as parse } from '../support/small-brief.ts';

const model = 'claude-sonnet-4-5-20250929';

test('caps and prices are read as they are meant, and come back as they were', () => {
  const brief = parse({
    model,
    models: `{ fast: claude-haiku-4-5-20251001 }`,
    chief: '{ model: fast }',
    caps: '{ call: { usd: 0.50, tokens_in: 50k, tokens_out: 8k, request: 400k }, attempt: { usd: 1 }, spec: { tokens_in: 1.5M }, agent: { tokens_out: 7 }, day: { usd: 20 } }',
    prices: `{ ${model}: { in: 3, out: 15, cached_in: 0.3, cache_write: 3.75 }, fast: { in: 0, out: 5 } }`,
  });
  assert.deepEqual(brief.caps, {
    call: { usd: 0.5, tokensIn: 50_000, tokensOut: 8_000, requestBytes: 400_000 },
    attempt: { usd: 1 },
    spec: { tokensIn: 1_500_000 },
    agent: { tokensOut: 7 },
    day: { usd: 20 },
  });
  assert.deepEqual(
    [...brief.prices],
    [
      [model, { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }],
      ['claude-haiku-4-5-20251001', { input: 0, output: 5 }],
    ],
  );
  assert.deepEqual(parseBrief(formatBrief(brief), 'program.md'), brief);
});

test('a model of a server of its own may have its provider before its name', () => {
  const brief = parse({
    model: 'anthropic/mine:7b',
    base_url: 'http://127.0.0.1:1/v1',
    prices: '{ "anthropic/mine:7b": { in: 1, out: 2 } }',
  });
  assert.deepEqual([...brief.prices], [['mine:7b', { input: 1, output: 2 }]]);
});

test('a price of a model that the brief itself does not name is read: the chart may name it', () => {
  const brief = parse({ model, prices: '{ claude-haiku-4-5-20251001: { in: 1, out: 5 } }' });
  assert.deepEqual([...brief.prices], [['claude-haiku-4-5-20251001', { input: 1, output: 5 }]]);
});

test('what is wrong with a cap or a price is said with its line and column, and what to do', () => {
  const table: readonly (readonly [Record<string, string>, number, RegExp, RegExp])[] = [
    [{ caps: '{ night: { usd: 5 } }' }, 9, /caps\.night is not a known key: budget says/, /budget: \{ usd: 5/],
    [{ caps: '{ agnt: { usd: 5 } }' }, 9, /caps\.agnt is not a known key/, /Did you mean agent/],
    [
      { caps: '{ spec: { request: 400k } }' },
      17,
      /caps\.spec\.request is not a known key/,
      /usd, tokens_in, tokens_out/,
    ],
    [
      { caps: '{ call: { request: 20k } }' },
      26,
      /caps\.call\.request is 20k, expected bytes, at least 30k/,
      /request: 400k/,
    ],
    [{ caps: '{ call: { tokns_in: 5 } }' }, 17, /caps\.call\.tokns_in is not a known key/, /Did you mean tokens_in/],
    [
      { caps: '{ call: { usd: -1 } }' },
      22,
      /caps\.call\.usd is -1, expected a finite number of at least 0/,
      /caps\.call\.usd: 5/,
    ],
    [
      { caps: '{ call: { usd: 0 } }' },
      22,
      /caps\.call\.usd is 0, expected dollars, more than 0/,
      /Leave caps\.call\.usd out/,
    ],
    [{ caps: '{ day: { usd: 2000000 } }' }, 21, /at most 1000000/, /caps\.day\.usd: 5/],
    [
      { model, prices: `{ ${model}: { in: 3, out: 10001 } }` },
      53,
      /\.out is 10001, expected .* at most 10000/,
      /out: 3/,
    ],
    [{ model, prices: `{ ${model}: { in: 3 } }` }, 39, /expected a map with both in and out/, /in: 3, out: 15/],
    [{ model, prices: `{ ${model}: { in: 3, out: x } }` }, 53, /\.out is x, expected a finite number/, /decimal point/],
    [
      { model, prices: `{ ${model}: { in: 3, cache_in: 1 } }` },
      48,
      /cache_in is not a known key/,
      /Did you mean cached_in/,
    ],
  ];
  for (const [keys, column, message, hint] of table) {
    const found = refusal(() => parse(keys), JSON.stringify(keys));
    assert.match(found.message, message);
    assert.match(found.hint, hint, found.message);
    assert.deepEqual([found.place?.line, found.place?.column], ['model' in keys ? 7 : 6, column], found.message);
  }
});

test('a second price of the same model is refused, whatever it is called', () => {
  const { code, message, hint } = refusal(() =>
    parse({
      model,
      models: '{ main: claude-sonnet-4-5-20250929 }',
      prices: `{ ${model}: { in: 3, out: 15 }, main: { in: 1, out: 5 } }`,
    }),
  );
  assert.equal(code, 'brief/key');
  assert.match(message, /^program\.md:8:\d+: prices\.main is another name of a model that has a price$/);
  assert.equal(hint, 'Keep one of the two.');
});
