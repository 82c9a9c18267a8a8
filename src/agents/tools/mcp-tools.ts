import type { ToolServer } from '../../domain/staff/staff.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, cleanText } from '../../text/clean.ts';
import { withDeadline } from '../deadline.ts';
import { isMap } from '../json-value.ts';
import type { Tool, ToolResult } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { httpWire } from './mcp-http.ts';
import { type ServerTask, stdioWire } from './mcp-stdio.ts';
import { ServerFault, type Wire } from './mcp-wire.ts';

/** What one server has for one attempt. */
export interface ServerTools {
  readonly tools: readonly Tool[];
  /** Why some are not there. */
  readonly missing: readonly Missing[];
  /** Ends the server where it was started. */
  close(): Promise<void>;
}

/** In our words, and in the server's own where it has some. */
interface Missing {
  readonly why: string;
  readonly said: string;
}

/** Starts or reaches a server and asks what tools it has. Whatever it does, it ends no attempt. */
export async function openServer(
  server: ToolServer,
  task: ServerTask,
  keyOf: (variable: string) => Promise<string>,
  quotation: Quotation,
  signal: AbortSignal,
): Promise<ServerTools> {
  const key = server.key === undefined ? undefined : await keyOf(server.key);
  const { reach, name, deadlineMs } = server;
  const wire =
    reach.kind === 'url'
      ? httpWire(reach.url, key)
      : stdioWire(reach, task, server.key === undefined || key === undefined ? {} : { [server.key]: key });
  try {
    const listed = await withDeadline(deadlineMs, signal, (deadline) => greet(wire, deadline), wire.still);
    const tools = toolsOf(server, listed, wire, quotation);
    const lacking = (server.tools ?? []).filter((tool) => !listed.some((one) => one.name === tool));
    const missing = lacking.map((tool) => ({ why: `the server ${name} has no tool ${tool}`, said: '' }));
    return { tools, missing, close: wire.close };
  } catch (error) {
    await wire.close();
    const { why, said } = reasonOf(error);
    return { tools: [], missing: [{ why: `the tools of ${name} are not there: ${why}`, said }], close: async () => {} };
  }
}

/** The versions that we can speak; a server that has none of them says which one it has. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** A server may have more pages of tools than anybody can read. */
const mostPages = 8;

async function greet(wire: Wire, signal: AbortSignal): Promise<readonly Listed[]> {
  const about = { capabilities: {}, clientInfo: { name: 'orgrepo', version: __VERSION__ } };
  const hello = await wire.request('initialize', { protocolVersion: '2025-06-18', ...about }, signal);
  const version = isMap(hello) ? hello.protocolVersion : undefined;
  if (typeof version !== 'string') throw new ServerFault('it does not say which version of the protocol it speaks');
  if (!versions.includes(version))
    throw new ServerFault('it speaks another version of the protocol', cleanLine(hideSecrets(version), 40));
  wire.agree(version);
  await wire.notify('notifications/initialized');
  const listed: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const said = await wire.request('tools/list', cursor === undefined ? {} : { cursor }, signal);
    if (!isMap(said) || !Array.isArray(said.tools)) throw new ServerFault('its list of tools cannot be read');
    listed.push(...said.tools.filter(isListed));
    cursor = typeof said.nextCursor === 'string' ? said.nextCursor : undefined;
    if (cursor === undefined) break;
  }
  return listed;
}

interface Listed {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

const isListed = (tool: unknown): tool is Listed =>
  isMap(tool) && typeof tool.name === 'string' && /^[\w.-]{1,128}$/.test(tool.name);

const mostTools = 64;
const mostDescription = 1_000;

/** Only what the brief lets through has a name that a model can call, and under that name nothing else is ever called. */
function toolsOf(server: ToolServer, listed: readonly Listed[], wire: Wire, quotation: Quotation): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const { name, description, inputSchema: schema } of listed) {
    if (server.tools !== undefined && !server.tools.includes(name)) continue;
    const called = `${server.name}__${name.replaceAll('.', '_')}`.slice(0, 64); // What every provider takes for a name.
    if (tools.has(called) || tools.size >= mostTools) continue;
    const words = typeof description === 'string' ? cleanText(hideSecrets(description), mostDescription) : '';
    tools.set(called, {
      name: called,
      description: `A tool of the server ${server.name}. What the server says of it: ${words || 'nothing'}`,
      input: inputSchema(schema),
      from: { server: server.name, name },
      use: (input, signal) => useTool({ server, wire, quotation }, { name, arguments: input }, signal),
    });
  }
  return [...tools.values()];
}

async function useTool(
  { server, wire, quotation: { quote } }: { server: ToolServer; wire: Wire; quotation: Quotation },
  call: Readonly<Record<'name' | 'arguments', unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    const ask = (deadline: AbortSignal): Promise<unknown> => wire.request('tools/call', call, deadline);
    const said = await withDeadline(server.deadlineMs, signal, ask, wire.still);
    if (!isMap(said)) throw new ServerFault('it gave no result that can be read');
    return { text: quote(cut(hideSecrets(textOf(said)), server.mostBytes)), failed: said.isError === true };
  } catch (error) {
    const { why, said } = reasonOf(error);
    return { text: `the server ${server.name}: ${why}${said && `\n${quote(said)}`}`, failed: true };
  }
}

/** Its words; of what is no text, that it was there. */
function textOf({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const parts = (Array.isArray(content) ? content : []).filter(isMap).map((part) => {
    if (part.type === 'text' && typeof part.text === 'string') return part.text;
    const inner = isMap(part.resource) ? part.resource.text : undefined;
    const kind = typeof part.type === 'string' ? cleanLine(hideSecrets(part.type), 40) : 'something';
    return typeof inner === 'string' ? inner : `[${kind}, which cannot be shown]`;
  });
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.join('\n');
}

function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return `${bytes.subarray(0, most).toString('utf8')}\n[cut off here: ${bytes.length - most} bytes more]`;
}

/** Whatever else is thrown was brought about by what the server said: nested without end, or an object where a word belongs. */
const reasonOf = (error: unknown): Missing =>
  error instanceof ServerFault
    ? { why: cleanLine(hideSecrets(error.message), 300), said: cleanLine(hideSecrets(error.said), 300) }
    : { why: 'its answer cannot be read', said: '' };

/** How much of a schema is taken over. What is more was not written for anybody to read. */
const mostDepth = 5;
const mostProperties = 64;
const mostChoices = 64;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/**
 * What a tool takes, from what its server says of it: an object, with the few words that every provider understands. A
 * server may say anything, and a provider that is given what it does not understand refuses the whole question.
 */
function inputSchema(said: unknown): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = isMap(said) && said.type === 'object' ? schemaOf(said, 0) : {};
  return { type: 'object', properties, required, additionalProperties: true };
}

function schemaOf(said: unknown, depth: number): Readonly<Record<string, unknown>> {
  if (!isMap(said) || depth > mostDepth) return {};
  const named = Array.isArray(said.type) ? said.type.find((one) => one !== 'null') : said.type;
  const type = types.find((one) => one === named);
  const choices = Array.isArray(said.enum) ? said.enum.filter((one) => typeof one === 'string') : [];
  return {
    ...(type === undefined ? {} : { type }),
    ...(typeof said.description === 'string' ? { description: clean(said.description) } : {}),
    ...(choices.length === 0 ? {} : { enum: choices.slice(0, mostChoices).map(clean) }),
    ...(type === 'array' ? { items: schemaOf(said.items, depth + 1) } : {}),
    ...(type === 'object' ? propertiesOf(said, depth) : {}),
  };
}

function propertiesOf(said: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(isMap(said.properties) ? said.properties : {})
    .filter(([name]) => /^[\w.-]{1,64}$/.test(name) && name !== '__proto__')
    .slice(0, mostProperties)
    .map(([name, property]) => [name, schemaOf(property, depth + 1)] as const);
  const names = entries.map(([name]) => name);
  const required = Array.isArray(said.required)
    ? names.filter((name) => (said.required as unknown[]).includes(name))
    : [];
  return { properties: Object.fromEntries(entries), required };
}

const clean = (text: string): string => cleanLine(hideSecrets(text), 300);
