import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { moveProviders } from '../support/far-providers.ts';
import { nightOf, serverFor } from '../support/model-night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import type { Said } from '../support/provider-server/script.ts';

const orgs: TestOrg[] = [];
after(() => {
  for (const org of orgs) org.remove();
});

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const painter = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: { protocolVersion: '2025-06-18' },
  'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'image', mimeType: 'image/png', data: '${png}' }] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
});
`;

/** What a junior is sent after it has looked at an image of a tool server. */
async function lookingAt(own: boolean): Promise<string> {
  const turns = [
    { tool: 'docs__look', input: {} },
    { tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } },
    { tool: 'finish', input: { title: 'first 3' } },
  ];
  const server = await serverFor(({ turn }): Said => ({ calls: turns.slice(turn - 1, turn) }));
  const baseUrl = own ? `, base_url: ${server.baseUrl('anthropic')}` : '';
  if (!own) moveProviders(new URL(server.baseUrl('anthropic')).origin);
  const brief = {
    agent: '',
    mcp: '{ docs: { command: "node harness/mcp.mjs" } }',
    junior: `{ model: anthropic/claude-sonnet-4-5-20250929${baseUrl}, mcp: [docs] }`,
    chief: '{ agent: search }',
  };
  process.env.ANTHROPIC_API_KEY = 'sk-test-0123456789abcdef';
  const org = makeOrg({ ...quadratic, 'program.md': briefText(brief), 'harness/mcp.mjs': painter });
  orgs.push(org);
  const { code, complained, experiments } = await nightOf(org, '--max', '1');
  assert.equal(code, 0, complained);
  assert.deepEqual(
    experiments.map(({ event }) => event),
    ['keep'],
  );
  const { stdout } = await org.orgrepo('show', '1', '--trace');
  assert.match(stdout, /\[image 1: image\/png\]/);
  assert.equal(stdout.includes(png), false);
  return JSON.stringify(server.heard.at(-1)?.body);
}

test("a junior is shown the image of a tool by its provider, and told of it by a server of one's own", async () => {
  const shown = await lookingAt(false);
  assert.equal(shown.includes(png), true);
  const told = await lookingAt(true);
  assert.equal(told.includes(png), false);
  assert.match(told, /images left out, because this model is shown none: 1/);
});
