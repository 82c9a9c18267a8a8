import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import '../support/built-in.ts';
import { address, command, type OpenTools, openTools } from '../support/open-tools.ts';

/** Servers of tools of both generations: with a session, and without one. */

const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

interface Asked {
  readonly id: number | string | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

type Answer = { readonly result: unknown } | { readonly status: number; readonly error?: object };

/** A server at an address that answers as `answer` says, and what it has heard. */
async function serve(answer: (asked: Asked, response: ServerResponse) => Answer | undefined) {
  const heard: Asked[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const { id, method = request.method, params = {} } = text === '' ? {} : JSON.parse(text);
    const asked = { id, method, params, headers: request.headers };
    heard.push(asked);
    const said = answer(asked, response);
    if (said === undefined) return;
    const [status, body] = 'result' in said ? [200, said] : [said.status, said.error && { error: said.error }];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body && JSON.stringify({ jsonrpc: '2.0', id: id ?? null, ...body }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard };
}

const open = async (...asked: Parameters<typeof openTools>): Promise<OpenTools> => {
  const tools = await openTools(...asked);
  ends.push(tools.close);
  return tools;
};

const text = (said: string) => ({ resultType: 'complete', content: [{ type: 'text', text: said }] });
const version = 'io.modelcontextprotocol/protocolVersion';

/** A server of 2026-07-28, which refuses what that specification tells it to refuse. */
const modern =
  (versions: readonly string[], call: unknown = text('done')) =>
  ({ id, method, params, headers }: Asked): Answer => {
    const meta = params._meta as Record<string, unknown> | undefined;
    if (id === undefined || meta?.['io.modelcontextprotocol/clientCapabilities'] === undefined)
      return { status: 400, error: { code: -32602, message: 'no _meta' } };
    if (!versions.includes(String(meta[version])))
      return {
        status: 400,
        error: { code: -32022, message: 'Unsupported protocol version', data: { supported: versions } },
      };
    if (headers['mcp-protocol-version'] !== meta[version] || headers['mcp-method'] !== method)
      return { status: 400, error: { code: -32020, message: 'Header mismatch' } };
    if (method === 'server/discover') return { result: { resultType: 'complete', supportedVersions: versions } };
    if (method === 'tools/list')
      return {
        result: {
          resultType: 'complete',
          tools: [
            {
              name: 'search',
              inputSchema: { type: 'object', properties: { where: { type: 'string', 'x-mcp-header': 'Where' } } },
            },
            {
              name: 'wrong',
              inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } },
            },
          ],
        },
      };
    if (headers['mcp-name'] !== params.name)
      return { status: 400, error: { code: -32020, message: 'Header mismatch' } };
    return { result: call };
  };

test('a server without sessions is told all with each request, and neither greeted nor left', async () => {
  const { url, heard } = await serve(modern(['2026-07-28']));
  const server = await open(address(url));
  assert.deepEqual(server.warnings, [
    'the server docs has tools that ask for headers which the protocol forbids: wrong',
  ]);
  assert.match((await server.use('search', { where: 'here' })).text, /done/);
  await server.close();
  assert.deepEqual(
    heard.map(({ method, headers }) => [method, headers['mcp-param-where'], headers['mcp-session-id']]),
    [
      ['server/discover', undefined, undefined],
      ['tools/list', undefined, undefined],
      ['tools/call', 'here', undefined],
    ],
  );
});

test('a server of versions that nobody here speaks is missing, with its own words', async () => {
  const { url } = await serve(modern(['2027-01-01']));
  const server = await open(address(url));
  assert.match(server.warnings[0] ?? '', /the tools of docs are not there: it answered with an error: no _meta/);
  const other = await serve(({ method }) =>
    method === 'initialize'
      ? { result: { protocolVersion: '2023-01-01' } }
      : { status: 404, error: { code: -32601, message: 'no such method' } },
  );
  const old = await open(address(other.url));
  assert.deepEqual(old.warnings, [
    'the tools of docs are not there: it speaks another version of the protocol: 2023-01-01',
  ]);
});

test('a server that wants more input than a call has is a failed call', async () => {
  const { url } = await serve(modern(['2026-07-28'], { resultType: 'input_required', requestState: 'x' }));
  const server = await open(address(url));
  const used = await server.use('search');
  assert.deepEqual(used, {
    text: 'the server docs: it asks for more than the arguments of the call',
    failed: true,
  });
});

for (const status of [404, 400])
  test(`a session that a server has ended with ${status} is begun again, and its sign of life is answered`, async () => {
    let sessions = 0;
    let alive = '';
    const server = await serve(({ id, method, params, headers }, response) => {
      if (id === 'life') return void response.writeHead(202).end();
      if (method === 'server/discover') return { status: 400 };
      if (method === 'initialize') {
        response.setHeader('mcp-session-id', `session-${++sessions}`);
        return { result: { protocolVersion: '2025-06-18', capabilities: {} } };
      }
      if (id === undefined) return { status: method === 'DELETE' ? 405 : 202 };
      if (headers['mcp-session-id'] !== `session-${sessions}`) return { status };
      if (method === 'tools/list') return { result: { tools: [{ name: 'search', inputSchema: { type: 'object' } }] } };
      if (params.arguments !== undefined && 'end' in (params.arguments as object) && sessions === 1) {
        sessions += 1; // It was restarted, and knows nobody any more.
        return { status };
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","id":"life","method":"ping"}\n\n');
      const look = setInterval(() => {
        const reply = server.heard.find((one) => one.id === 'life');
        if (reply === undefined) return;
        clearInterval(look);
        alive = 'alive';
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: text(`${alive} in ${sessions}`) })}\n\n`);
      }, 5);
      return undefined;
    });
    const tools = await open(address(server.url));
    assert.match((await tools.use('search')).text, /alive in 1/);
    assert.match((await tools.use('search', { end: true })).text, /alive in 3/);
    assert.deepEqual(server.heard.map(({ method }) => method).filter((method) => method === 'initialize').length, 2);
  });

/** A server on stdin and stdout that answers \`initialize\` and lists these tools; \`more\` is what else it does with a message. */
const script = (tools: unknown, more = '') => ({
  'server.mjs': `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  ${more}
  if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion } });
  if (method === 'tools/list') say({ id, result: { tools: ${JSON.stringify(tools)} } });
});
`,
});
const node = command('node server.mjs');
const listed = (name: string) => ({ name, inputSchema: { type: 'object' } });

test('tools that no model can call, and those beyond 64, are named in a warning and to the model', async () => {
  const many = Array.from({ length: 66 }, (_, at) => listed(`tool-${at}`));
  const server = await open(node, { files: script([listed('files/read'), listed('a b'), ...many]) });
  assert.equal(server.tools.size, 64);
  assert.deepEqual(server.warnings, [
    'the server docs has tools with names that no model can call: files/read, a b',
    'the server docs has more than 64 tools, so list those that you want under tools: tool-64, tool-65',
  ]);
  assert.match(
    server.missing[0] ?? '',
    /^Note that the server docs has tools [\s\S]*<(data-\w+)>\nfiles\/read, a b\n<\/\1>$/,
  );
  const one = await open(node, { files: script([listed('files/read'), ...many]), server: { tools: ['tool-65'] } });
  assert.deepEqual([[...one.tools.keys()], one.warnings], [['tool-65'], []]);
});

test('a server that ends tells why, in the line of its stderr that names the error', async () => {
  const never = await open(command('node no-such-server.mjs'));
  assert.match(
    never.warnings[0] ?? '',
    /it is not running any more: Error: Cannot find module '\S+no-such-server\.mjs'$/,
  );
  const late = await open(node, {
    files: script(
      [listed('search')],
      "if (method === 'tools/call') { console.error('loading\\nno key in SEARCH_KEY'); process.exit(1); }",
    ),
  });
  const used = await late.use('search');
  assert.match(used.text, /the server docs: it is not running any more\n<(data-\w+)>\nno key in SEARCH_KEY\n<\/\1>/);
  const python = await open(
    command("node -e 'console.error(`Traceback\\n  File x\\nModuleNotFoundError: No module named y`)'"),
  );
  assert.match(python.warnings[0] ?? '', /not running any more: ModuleNotFoundError: No module named y$/);
});

test('a server that is a process is greeted first, because old ones end when anything comes before', async () => {
  const old = await open(node, {
    files: script([listed('search')], "if (method === 'server/discover') process.exit(1);"),
  });
  assert.deepEqual([[...old.tools.keys()], old.warnings], [['search'], []]);
  const newest = await open(node, {
    files: script(
      [listed('search')],
      `if (method === 'initialize') return say({ id, error: { code: -32022, message: 'Unsupported protocol version' } });
       if (params._meta['${version}'] !== '2026-07-28') process.exit(1);
       if (method === 'server/discover') say({ id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'] } });`,
    ),
  });
  assert.deepEqual([[...newest.tools.keys()], newest.warnings], [['search'], []]);
});

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test('a link is told by name and address, and images come with the result while there is room', async () => {
  const content = [
    {
      type: 'resource_link',
      name: 'main.rs',
      uri: 'file:///src/main.rs',
      mimeType: 'text/x-rust',
      description: 'the entry',
    },
    { type: 'image', mimeType: 'image/png', data: png },
    { type: 'resource', resource: { uri: 'x:y', mimeType: 'image/png', blob: png } },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo"}, {' },
    { type: 'image', mimeType: 'image/png', data: `iVBORw0KGgo${'A'.repeat(3_000_000)}` },
    { type: 'audio', data: 'AAAA' },
  ];
  const more = `if (method === 'tools/call') say({ id, result: { content: ${JSON.stringify(content)}, isError: params.name === 'fail' } });`;
  const server = await open(node, { files: script([listed('look'), listed('fail')], more) });
  const first = await server.use('look');
  assert.deepEqual(first.images, [
    { type: 'image/png', data: png },
    { type: 'image/png', data: png },
  ]);
  assert.deepEqual(first.text.split('\n').slice(1, -1), [
    '[resource main.rs: file:///src/main.rs (text/x-rust)] the entry',
    '[image 1: image/png]',
    '[image 2: image/png]',
    ...Array(3).fill('[image, which cannot be shown]'),
    '[audio, which cannot be shown]',
  ]);
  const failed = await server.use('fail');
  assert.deepEqual([failed.failed, failed.images], [true, []]);
  for (const room of [2, 2, 0]) assert.equal((await server.use('look')).images?.length, room);
});

const walls = (await whyNot('bubblewrap')) === undefined ? 'bubblewrap' : 'namespaces';
const unjailed = await whyNot(walls);

test('a server that is installed elsewhere finds its packages in the jail', { skip: unjailed ?? false }, async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-installed-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  const files = {
    'node_modules/server/main.mjs': "#!/usr/bin/env node\nawait import('../other/main.mjs');\n",
    'node_modules/other/main.mjs': script([listed('search')])['server.mjs'],
    'secret.txt': 'not of the server',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text, { mode: 0o755 });
  }
  mkdirSync(path.join(dir, 'node_modules/.bin'));
  symlinkSync('../server/main.mjs', path.join(dir, 'node_modules/.bin/server'));
  for (const line of [`${dir}/node_modules/.bin/server`, `node ${dir}/node_modules/server/main.mjs`]) {
    const server = await open(command(line), { level: walls });
    assert.deepEqual([[...server.tools.keys()], server.warnings], [['search'], []], line);
  }
  const other = await open(command(`sh -c "ls ${dir} >&2"`), { level: walls });
  assert.match(other.warnings[0] ?? '', /No such file or directory/);
});
