import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import type { FaultKind } from '../../../src/agents/models/model-contract.ts';
import { askOf } from '../../../src/agents/models/providers.ts';
import type { ModelApi } from '../../../src/domain/staff/staff.ts';
import { accessTo, askIt, faultOf, key, providers, questionOf } from '../../support/model-question.ts';
import type { Broken, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** Everything that may go wrong means the same with every provider, whatever its SDK throws or keeps to itself. */

interface Case {
  readonly what: string;
  readonly step: Broken;
  readonly kind: FaultKind;
  readonly begun?: boolean;
  readonly retryAfterMs?: number;
  readonly message: RegExp;
}

const said: Said = { text: 'A text that is long enough to be cut in its middle.' };
const status = (number: number, headers: Readonly<Record<string, string>> = {}): Broken => ({
  fault: 'status',
  status: number,
  headers,
});

const cases: readonly Case[] = [
  { what: 'a 429', step: status(429), kind: 'busy', message: /429: the script says 429 to/ },
  {
    what: 'a 429 that says when, in seconds',
    step: status(429, { 'retry-after': '7' }),
    kind: 'busy',
    retryAfterMs: 7000,
    message: /429/,
  },
  {
    what: 'a 429 that says when, in milliseconds',
    step: status(429, { 'retry-after': '7', 'retry-after-ms': '6543' }),
    kind: 'busy',
    retryAfterMs: 6543,
    message: /429/,
  },
  {
    what: 'a 503 that says when, by a date that is over',
    step: status(503, { 'retry-after': 'Mon, 16 Nov 2020 10:00:00 GMT' }),
    kind: 'busy',
    retryAfterMs: 0,
    message: /503/,
  },
  { what: 'a 503', step: status(503), kind: 'busy', message: /503/ },
  { what: 'a 529', step: status(529), kind: 'busy', message: /529/ },
  { what: 'a 500', step: status(500), kind: 'trouble', message: /500/ },
  { what: 'a 400', step: status(400), kind: 'request', message: /400/ },
  { what: 'a 413', step: status(413), kind: 'request', message: /413/ },
  { what: 'a 401', step: status(401), kind: 'credentials', message: /401: the script says 401 to \[key\]$/ },
  { what: 'a 403', step: status(403), kind: 'credentials', message: /403/ },
  { what: 'a 404 of a model', step: status(404), kind: 'model', message: /404/ },
  {
    what: 'a 404 of a place',
    step: { fault: 'page', status: 404 },
    kind: 'request',
    message: /404: the server has no such path/,
  },
  {
    what: 'another place to ask at',
    step: status(302, { location: 'http://127.0.0.1:1/' }),
    kind: 'request',
    message: /302/,
  },
  { what: 'a page with 502', step: { fault: 'page', status: 502 }, kind: 'trouble', message: /502: something else/ },
  { what: 'a page with 200', step: { fault: 'page', status: 200 }, kind: 'trouble', message: /200: something else/ },
  {
    what: 'a stream that ends in the middle',
    step: { fault: 'cut', said, how: 'ended' },
    kind: 'trouble',
    begun: true,
    message: /200: the stream ended before the answer did/,
  },
  {
    what: 'a stream that is cut in the middle',
    step: { fault: 'cut', said, how: 'reset' },
    kind: 'trouble',
    begun: true,
    message: /200: the stream broke/,
  },
  {
    what: 'a stream that is not JSON in the middle',
    step: { fault: 'garbage', said },
    kind: 'trouble',
    begun: true,
    message: /200: the stream broke \(.*JSON/,
  },
  {
    what: 'a stream in the middle of which there are too many',
    step: { fault: 'broke', said, status: 429 },
    kind: 'busy',
    begun: true,
    message: /: the script broke with 429/,
  },
  {
    what: 'a stream in the middle of which something breaks',
    step: { fault: 'broke', said, status: 500 },
    kind: 'trouble',
    begun: true,
    message: /: the script broke with 500/,
  },
  // The question was out: whether somebody works on it, and wants money, nobody knows.
  {
    what: 'a reset',
    step: { fault: 'reset' },
    kind: 'trouble',
    begun: true,
    message: /cannot be reached \((ECONNRESET|UND_ERR)/,
  },
];

for (const provider of providers) {
  for (const { what, step, kind, begun = false, retryAfterMs, message } of cases) {
    test(`${provider}: ${what} is ${kind}`, async (t) => {
      const server = await startProviderServer([step]);
      t.after(server.close);
      const fault = await faultOf(askIt(server, provider));
      assert.deepEqual(
        { kind: fault.kind, begun: fault.begun, retryAfterMs: fault.retryAfterMs },
        { kind, begun, retryAfterMs },
      );
      assert.match(fault.message, message);
      assert.match(fault.message, new RegExp(`^${provider === 'responses' ? 'openai' : provider}\\b[^\\n\\r]*$`));
      assert.equal(fault.message.includes(key), false);
      assert.equal(server.heard.length, 1); // Whether to ask again is not for the SDK to say.
    });
  }

  test(`${provider}: a wait until some time is as long as it is until then`, async (t) => {
    const server = await startProviderServer([
      status(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
    ]);
    t.after(server.close);
    const { retryAfterMs = 0 } = await faultOf(askIt(server, provider));
    assert.equal(retryAfterMs > 50_000 && retryAfterMs <= 60_000, true, `${retryAfterMs}`);
  });

  test(`${provider}: nobody at the other end is trouble`, async () => {
    const fault = await faultOf(askOf(provider, { key, baseUrl: await emptyPlace() })(questionOf(), neverStops()));
    assert.deepEqual([fault.kind, fault.begun], ['trouble', false]);
    assert.match(fault.message, /cannot be reached \(ECONNREFUSED\)/);
  });

  test(`${provider}: where no line came about nothing was asked, and after that it may have been`, async (t) => {
    const codes: readonly (readonly [Error, boolean])[] = [
      ...['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'DEPTH_ZERO_SELF_SIGNED_CERT'].map(
        (code) => [Object.assign(new Error('no line'), { code }), false] as const,
      ),
      ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO'].map(
        (code) => [Object.assign(new Error('nobody to trust'), { code }), false] as const,
      ),
      [
        Object.assign(new Error('Client network socket disconnected before secure TLS connection was established'), {
          code: 'ECONNRESET',
        }),
        false,
      ],
      ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'].map(
        (code) => [Object.assign(new Error('cut'), { code }), true] as const,
      ),
      [new Error('bad port'), false],
      [new Error('something else'), true],
    ];
    const real = globalThis.fetch;
    t.after(() => {
      globalThis.fetch = real;
    });
    for (const [cause, begun] of codes) {
      globalThis.fetch = async () => {
        throw new TypeError('fetch failed', { cause });
      };
      const fault = await faultOf(askOf(provider, { key, baseUrl: undefined })(questionOf(), neverStops()));
      assert.deepEqual([fault.kind, fault.begun], ['trouble', begun], fault.message);
    }
  });

  test(`${provider}: a key that no header can hold is refused without being shown`, async (t) => {
    const server = await startProviderServer([said]);
    t.after(server.close);
    const access = { ...accessTo(server, provider), key: 'sk-test\nsecond line' };
    const fault = await faultOf(askOf(provider, access)(questionOf(), neverStops()));
    assert.equal(fault.kind, 'credentials');
    assert.equal(/sk-test|second/.test(fault.message), false);
    assert.equal(server.heard.length, 0);
  });
}

const particular: readonly [ModelApi, string, Broken, FaultKind, number | undefined][] = [
  [
    'google',
    'says in its error when to come again',
    { fault: 'status', status: 429, retryDelay: '34.0748s' },
    'busy',
    34_075,
  ],
  [
    'google',
    'calls a wrong key a bad request',
    { fault: 'status', status: 400, body: googleKeyError() },
    'credentials',
    undefined,
  ],
  ['openai', 'calls a key without money too many', openaiCode(429, 'insufficient_quota'), 'credentials', undefined],
  ['openai', 'calls a model that is not for us forbidden', openaiCode(403, 'model_not_found'), 'model', undefined],
  [
    'openai',
    'or a server of one’s own says one word',
    { fault: 'status', status: 500, body: { error: 'oops' } },
    'trouble',
    undefined,
  ],
  [
    'anthropic',
    'wants money',
    { fault: 'status', status: 402, body: anthropicType('billing_error') },
    'credentials',
    undefined,
  ],
];

for (const [provider, what, step, kind, retryAfterMs] of particular) {
  test(`${provider} ${what}: ${kind}`, async (t) => {
    const server = await startProviderServer([step]);
    t.after(server.close);
    const fault = await faultOf(askIt(server, provider));
    assert.deepEqual([fault.kind, fault.retryAfterMs], [kind, retryAfterMs]);
  });
}

for (const provider of ['anthropic', 'google'] as const) {
  test(`${provider}: a stream of which only the last event is missing is no answer`, async (t) => {
    const server = await startProviderServer([{ fault: 'cut', said, how: 'ended', late: true }]);
    t.after(server.close);
    const fault = await faultOf(askIt(server, provider));
    assert.deepEqual([fault.kind, fault.begun], ['trouble', true]);
  });
}

test('openai: an answer that has ended and was counted needs no [DONE], which some servers leave out', async (t) => {
  const server = await startProviderServer([{ fault: 'cut', said, how: 'ended', late: true }]);
  t.after(server.close);
  const { stop, usage } = await askIt(server, 'openai');
  assert.deepEqual([stop, usage !== undefined], ['done', true]);
});

test('a key is not shown either where only its beginning is quoted', async (t) => {
  const body = { error: { message: 'Incorrect API key provided: sk-test-********cdef. You can find it…' } };
  const server = await startProviderServer([{ fault: 'status', status: 401, body }]);
  t.after(server.close);
  assert.equal(
    (await faultOf(askIt(server, 'openai'))).message,
    'openai 401: Incorrect API key provided: [key] You can find it…',
  );
});

const neverStops = (): AbortSignal => new AbortController().signal;

async function emptyPlace(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise<void>((closed) => server.close(() => closed()));
  return `http://127.0.0.1:${port}/v1`;
}

function googleKeyError(): object {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
  return { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } };
}

function openaiCode(number: number, code: string): Broken {
  return { fault: 'status', status: number, body: { error: { message: 'No.', type: code, code } } };
}

function anthropicType(type: string): object {
  return { type: 'error', error: { type, message: 'No.' } };
}
