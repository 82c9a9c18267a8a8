import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { model, nightOf, serverFor } from '../support/model-night.ts';
import { address, command, type OpenTools, openTools } from '../support/open-tools.ts';
import { briefText, makeOrg, quadratic, root } from '../support/org.ts';
import type { Said } from '../support/provider-server/script.ts';

/** The official servers of both generations, as the npm registry has them. */

const packages = path.join(root, '.programs/node_modules');
const bin = path.join(packages, '.bin');
const options = existsSync(path.join(packages, '@modelcontextprotocol/server'))
  ? {}
  : { skip: 'the servers are not there: run scripts/install-programs.sh' };
const jails = ['bubblewrap', 'namespaces'] as const;
const missing = await Promise.all(jails.map((jail) => whyNot(jail)));
const walls = jails.find((_, index) => missing[index] === undefined) ?? 'none';

const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

const open = async (...asked: Parameters<typeof openTools>): Promise<OpenTools> => {
  const tools = await openTools(...asked);
  ends.push(tools.close);
  return tools;
};

/** Starts a server that listens, and gives its address once it says so. */
async function listen(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const server = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = new Promise((resolve) => void server.on('exit', resolve));
  const stop = (): Promise<unknown> => {
    server.kill('SIGKILL');
    return gone;
  };
  ends.push(stop);
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const port = /port (\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}/mcp`);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    void gone.then(() => reject(new Error(said)));
  });
  return { url, stop };
}

/** A server of the SDK for the specification of 2026-07-28, which stands among its packages. */
const own = path.join(packages, 'orgrepo-example');
ends.push(() => rmSync(own, { recursive: true, force: true }));
const example = (): string => {
  mkdirSync(own, { recursive: true });
  const file = path.join(own, 'server.mjs');
  writeFileSync(
    file,
    `
import { createServer } from 'node:http';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
const [how, legacy] = process.argv.slice(2);
const factory = ({ era }) => {
  const server = new McpServer({ name: 'example', version: '1' }, { capabilities: { tools: {} } });
  const inputSchema = fromJsonSchema({
    type: 'object',
    properties: { text: { type: 'string', 'x-mcp-header': 'Text' }, times: { anyOf: [{ $ref: '#/$defs/Count' }, { type: 'null' }] } },
    required: ['text'],
    $defs: { Count: { type: 'integer' } },
  });
  server.registerTool('repeat', { inputSchema }, async ({ text, times }) => ({ content: [{ type: 'text', text: era + ' ' + text.repeat(times ?? 1) }] }));
  return server;
};
if (how === 'stdio') serveStdio(factory, { legacy });
else createServer(toNodeHandler(createMcpHandler(factory, { legacy }))).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port); });
`,
  );
  return file;
};

const png = /^iVBORw0KGgo/;

async function tryEverything(server: OpenTools): Promise<void> {
  assert.deepEqual(server.warnings, []);
  assert.match((await server.use('echo', { message: 'héllo' })).text, /Echo: héllo/);
  assert.match((await server.use('get-sum', { a: 2, b: 3 })).text, /5/);
  const image = await server.use('get-tiny-image');
  assert.match(image.text, /\[image 1: image\/png\]/);
  assert.deepEqual(
    image.images?.map(({ type, data }) => [type, png.test(data)]),
    [['image/png', true]],
  );
  assert.match(
    (await server.use('get-resource-links', { count: 2 })).text,
    /\[resource [^\n]+: demo:\/\/\S+ \(text\/plain\)\]/,
  );
  assert.match((await server.use('get-structured-content', { location: 'New York' })).text, /temperature/);
  const wrong = await server.use('get-sum', { a: 'two' });
  assert.equal(wrong.failed, true);
  assert.match(wrong.text, /a: |"a"|expected number/i);
}

for (const [index, jail] of jails.entries())
  test(`${jail}: server-everything by absolute path, on its stdin and stdout`, {
    ...options,
    ...(missing[index] === undefined ? {} : { skip: missing[index] }),
  }, async () => {
    await tryEverything(await open(command(path.join(bin, 'mcp-server-everything')), { level: jail }));
  });

test('server-everything as a script that node is given, in the jail', options, async () => {
  const script = path.join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
  const server = await open(command(`node ${script}`), { level: walls });
  assert.match((await server.use('echo', { message: 'here' })).text, /Echo: here/);
});

test('server-filesystem by absolute path reads the bench in the jail, and writes nothing there', options, async () => {
  const server = await open(command(`${path.join(bin, 'mcp-server-filesystem')} .`), {
    level: walls,
    files: { 'notes.txt': 'what is here' },
  });
  assert.deepEqual(server.warnings, []);
  assert.match((await server.use('read_text_file', { path: 'notes.txt' })).text, /what is here/);
  const written = await server.use('write_file', { path: 'notes.txt', content: 'other' });
  assert.equal(written.failed, true);
  assert.match(written.text, /EROFS|EACCES/);
});

test(
  'server-everything at an address, in a session, and in another one after it was started anew',
  options,
  async () => {
    const script = path.join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
    const start = () => listen([script, 'streamableHttp'], { PORT: String(20_000 + (process.pid % 10_000)) });
    const first = await start();
    const server = await open(address(first.url));
    await tryEverything(server);
    await first.stop();
    assert.match((await server.use('echo', { message: 'where?' })).text, /cannot be reached/);
    await start();
    assert.match((await server.use('echo', { message: 'again' })).text, /Echo: again/);
  },
);

for (const legacy of ['serve', 'reject'] as const)
  test(`the SDK of 2026-07-28 in the jail, which ${legacy}s those who greet`, options, async () => {
    const server = await open(command(`node ${example()} stdio ${legacy}`), { level: walls });
    assert.deepEqual(server.warnings, []);
    const era = legacy === 'serve' ? 'legacy' : 'modern';
    assert.match((await server.use('repeat', { text: 'ab', times: 2 })).text, new RegExp(`${era} abab`));
    assert.deepEqual(server.tools.get('repeat')?.input.properties, {
      text: { type: 'string' },
      times: { type: 'integer' },
    });
  });

for (const legacy of ['stateless', 'reject'] as const)
  test(`the SDK of 2026-07-28 at an address, where a session would be ${legacy}`, options, async () => {
    const server = await open(address((await listen([example(), 'http', legacy])).url));
    assert.deepEqual(server.warnings, []);
    for (const text of ['ab', 'zwölf', ' padded ', '=?base64?x?=', ''])
      assert.match(
        (await server.use('repeat', { text, times: 2 })).text,
        new RegExp(`modern ${text.replaceAll('?', '\\?')}`),
      );
    const wrong = await server.use('repeat', { times: 2 });
    assert.equal(wrong.failed, true);
  });

test('a junior in the jail uses servers of both generations, both ways', options, async () => {
  const everything = path.join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
  const old = await listen([everything, 'streamableHttp'], { PORT: String(30_000 + (process.pid % 10_000)) });
  const newest = await listen([example(), 'http', 'reject']);
  const use = (tool: string, input: object) => ({ tool, input: { ...input } });
  const turns = [
    [
      ...['old', 'old-web'].map((name) => use(`${name}__echo`, { message: `to ${name}` })),
      ...['new', 'new-web'].map((name) => use(`${name}__repeat`, { text: `to ${name}`, times: 2 })),
    ],
    [use('edit', { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' })],
    [use('finish', { title: 'first 3', notes: 'as the servers said' })],
  ];
  const server = await serverFor(({ turn }): Said => ({ calls: turns[turn - 1] ?? [] }));
  const brief = {
    agent: '',
    mcp: `{ old: { command: ${path.join(bin, 'mcp-server-everything')} }, new: { command: "node ${example()} stdio reject" }, old-web: { url: "${old.url}" }, new-web: { url: "${newest.url}" } }`,
    junior: `{ model: anthropic/${model}, base_url: ${server.baseUrl('anthropic')}, mcp: [old, new, old-web, new-web] }`,
    chief: '{ agent: search }',
  };
  const org = makeOrg({ ...quadratic, 'program.md': briefText(brief) }, walls);
  ends.push(org.remove);
  const { code, experiments, said, complained } = await nightOf(org, '--max', '1');
  assert.deepEqual([code, experiments.map(({ event }) => event)], [0, ['keep']], said + complained);
  const [, told = ''] = server.heard.map((heard) => heard.told);
  for (const words of ['Echo: to old', 'Echo: to old-web', 'modern to newto new', 'modern to new-webto new-web'])
    assert.ok(told.includes(`\n${words}\n`), `${words}:\n${told}`);
  assert.equal((await org.orgrepo('verify')).code, 0);
});
