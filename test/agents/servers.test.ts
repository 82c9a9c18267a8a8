import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgOf, serverFor } from '../support/model-night.ts';
import { atOpenAi, serverNights } from '../support/server-nights.ts';

/** Servers of people's own, and OpenAI's, as they are met; slow-servers.test.ts meets them again with answers that take 2 s. */

for (const { what, meet } of serverNights) test(what, () => meet(0));

test('doctor warns of a server that nobody answers at', async () => {
  const server = await serverFor(() => ({}));
  const address = server.baseUrl('openai');
  await server.close();
  const org = orgOf({ agent: '', chief: '{ agent: search }', junior: `{ model: "qwen3:8b", base_url: ${address} }` });
  const { stdout } = await org.orgrepo('doctor');
  const said = `warn  whether ${address} takes the key and has qwen3:8b is not known: openai: cannot be reached (ECONNREFUSED)`;
  assert.equal(stdout.includes(`${said}\n          fix: Start the server, or change base_url.\n`), true, stdout);
});

test('the check before a night uses the API that the night will use', async () => {
  for (const verb of ['run', 'doctor'] as const) {
    const server = await serverFor(
      () => ({}),
      ({ wire }) => (wire === 'responses' ? 400 : 200),
    );
    const { night } = await atOpenAi(server, 'gpt-4o-search-preview-2025-03-11', verb);
    assert.equal(night.code, 6, night.said);
    assert.match(night.said + night.complained, /there is no such model for this key: openai 400/);
    assert.deepEqual([server.sought.map(({ wire }) => wire), server.heard.length], [['openai', 'responses'], 0]);
  }
  const server = await serverFor(
    () => ({}),
    ({ wire }) => (wire === 'openai' || wire === 'responses' ? 200 : 404),
  );
  const { night } = await atOpenAi(server, 'gpt-5-codex', 'doctor');
  assert.match(night.said, /ok {4}openai takes the key and has gpt-5-codex/);
});
