import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { probeModel } from '../../../src/agents/models/providers.ts';

/** What a server of one's own says when it is asked for a model, and what becomes of it. */
const rows = [
  ['takes the key', 200, { object: 'model', id: 'gpt-5-2025-08-07' }, 'there'],
  ['refuses the key', 401, { error: { message: 'No.', code: 'invalid_api_key' } }, 'refused'],
  ['says forbidden', 403, { error: { message: 'No.' } }, 'refused'],
  [
    'lets the key ask and not look',
    403,
    { error: { message: 'You have insufficient permissions. Missing scopes: api.model.read.' } },
    'unsure',
  ],
  ['has no such model in its list', 404, { error: { message: 'No.', code: 'model_not_found' } }, 'unsure'],
  ['is busy', 429, { error: { message: 'No.', code: 'rate_limit_exceeded' } }, 'unsure'],
  ['is broken', 500, 'oops', 'unsure'],
] as const;

for (const [what, status, body, kind] of rows)
  test(`a server that ${what}: ${kind}`, async (t) => {
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    t.after(() => server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const probed = await probeModel('openai', 'gpt-5-2025-08-07', { key: 'a-key', baseUrl });
    assert.equal(probed.kind, kind);
  });
