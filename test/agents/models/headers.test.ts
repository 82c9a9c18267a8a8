import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOf } from '../../../src/agents/models/providers.ts';
import { accessTo, askIt, key, providers, questionOf } from '../../support/model-question.ts';
import type { Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** What goes out besides the question. */

const said: Said = { text: 'Hello.' };

for (const provider of providers) {
  test(`${provider}: the key goes out in one header, and nothing else of this machine or its environment does`, async (t) => {
    const server = await startProviderServer([said]);
    t.after(server.close);
    withEnvironment(t);
    await askIt(server, provider);
    const [heard] = server.heard;
    const { host, connection, 'content-length': _, ...headers } = heard?.headers ?? {};
    const usual = {
      'content-type': 'application/json',
      'user-agent': 'orgrepo',
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
    };
    assert.deepEqual(
      headers,
      {
        anthropic: {
          ...usual,
          accept: 'application/json',
          authorization: `Bearer ${key}`,
          'anthropic-version': '2026-10-21',
        },
        openai: { ...usual, accept: 'application/json', authorization: `Bearer ${key}` },
        responses: { ...usual, accept: 'application/json', authorization: `Bearer ${key}` },
        google: { ...usual, accept: '*/*', 'x-goog-api-key': key },
      }[provider],
    );
    assert.equal(`${heard?.path}${JSON.stringify(heard?.body)}`.includes(key), false);
    assert.equal(heard?.key, key);
  });

  test(`${provider}: a server of one's own that wants no key gets none`, async (t) => {
    const server = await startProviderServer([said]);
    t.after(server.close);
    withEnvironment(t);
    await askOf(provider, { ...accessTo(server, provider), key: '' })(questionOf(), new AbortController().signal);
    assert.equal(server.heard[0]?.key, undefined);
  });
}

test('openai: its own newer models are told the limit by its new name, which Ollama does not know', async (t) => {
  const server = await startProviderServer(() => said);
  t.after(server.close);
  for (const model of ['gpt-5.1', 'openai/o4-mini', 'qwen3:8b']) await askIt(server, 'openai', { model });
  assert.deepEqual(
    server.heard.map(({ body }) => [body.max_completion_tokens, body.max_tokens]),
    [
      [4096, undefined],
      [4096, undefined],
      [undefined, 4096],
    ],
  );
});

/** Everything that an SDK would look for, and that would lead it somewhere else. */
function withEnvironment(t: { after: (end: () => void) => void }): void {
  const wrong: Readonly<Record<string, string>> = {
    ANTHROPIC_API_KEY: 'wrong',
    ANTHROPIC_AUTH_TOKEN: 'wrong',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    ANTHROPIC_CUSTOM_HEADERS: 'x-wrong: yes\nauthorization: wrong',
    OPENAI_API_KEY: 'wrong',
    OPENAI_BASE_URL: 'http://127.0.0.1:1',
    OPENAI_ORG_ID: 'wrong',
    OPENAI_PROJECT_ID: 'wrong',
    OPENAI_CUSTOM_HEADERS: 'x-wrong: yes\nauthorization: wrong',
    GEMINI_API_KEY: 'wrong',
    GOOGLE_GENAI_USE_VERTEXAI: 'true',
    GOOGLE_CLOUD_PROJECT: 'wrong',
    GOOGLE_CLOUD_LOCATION: 'wrong',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
  };
  const before = { ...process.env };
  Object.assign(process.env, wrong);
  t.after(() => {
    for (const name of Object.keys(wrong)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}
