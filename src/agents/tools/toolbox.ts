import { anyHost, networkAct, ownServer, toolAct } from '../../domain/rules/act.ts';
import { mapTexts } from '../../domain/rules/plain-arguments.ts';
import type { ToolServer } from '../../domain/staff/staff.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, cleanText } from '../../text/problem.ts';
import type { AgentTask } from '../agent-contract.ts';
import { withDeadline } from '../deadline.ts';
import { isMap } from '../json-value.ts';
import type { ModelAccess } from '../model-access.ts';
import type { Tool, ToolResult } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { inputSchema, ServerFault, type Wire } from './mcp-messages.ts';
import { httpWire, stdioWire } from './mcp-wires.ts';

/** Who uses the tools, by whose rules, and how what servers say is told. */
interface ToolUser {
  readonly task: AgentTask;
  readonly models: ModelAccess;
  readonly quotation: Quotation;
}

/** Opens what a model may use besides our own tools, for one attempt. */
export async function openToolbox(servers: readonly ToolServer[], user: ToolUser, signal: AbortSignal) {
  const { task, models, quotation } = user;
  const opened = await openAll(servers, user, signal);
  const missing = opened.flatMap((server) => server.missing);
  for (const { why, said } of missing) models.onMissing(task.agent, said === '' ? why : `${why}: ${said}`);
  return {
    /** Our own tools and those of the servers. */
    with: (own: readonly Tool[]): readonly Tool[] =>
      [...own, ...opened.flatMap(({ tools }) => tools)].map((tool) => governed(tool, task, models)),
    /** What is not there, in words for the model. */
    missing: missing.map(({ why, said }) => `Note that ${why}.${said && `\n\n${quotation.quote(said)}`}`),
    /** Ends the servers that were started. */
    close: async (): Promise<void> => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/** All of them, or none: where one has no key any more, those that were started are ended. */
async function openAll(servers: readonly ToolServer[], user: ToolUser, signal: AbortSignal) {
  const tried = await Promise.allSettled(servers.map((server) => openAllowed(server, user, signal)));
  const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = tried.find((one) => one.status === 'rejected');
  if (refused === undefined) return opened;
  await Promise.all(opened.map(({ close }) => close()));
  throw refused.reason;
}

/** A server that needs the network is started or reached only where the policies let the agent have it. */
async function openAllowed(server: ToolServer, user: ToolUser, signal: AbortSignal): Promise<ServerTools> {
  const { reach, name } = server;
  const { task, models } = user;
  const host = reach.kind === 'url' ? new URL(reach.url).hostname : reach.network ? anyHost : undefined;
  const purpose = { what: `server ${name}`, spec: task.spec?.id };
  const refusal = host && (await models.refuses?.(task.agent, (who) => networkAct(who, host, purpose)));
  return refusal ? withoutTools(server, { why: refusal.words, said: '' }) : openServer(server, user, signal);
}

const withoutTools = ({ name }: ToolServer, { why, said }: Missing): ServerTools => ({
  tools: [],
  missing: [{ why: `the tools of ${name} are not there: ${why}`, said }],
  close: async () => {},
});

/** Nobody uses a tool that the policies keep from them, or that pays more than there is for tools. */
const governed = (tool: Tool, { agent, spec }: AgentTask, models: ModelAccess): Tool => ({
  ...tool,
  use: async (input, signal) => {
    const { server, name } = tool.from ?? { server: ownServer, name: tool.name };
    const refusal = await models.refuses?.(agent, (who) =>
      toolAct(who, { server, name, spec: spec?.id }, mapTexts(input, hideSecrets)),
    );
    // Our own tools pay nobody.
    const unpaid = () => tool.from && models.pays?.({ agent, spec: spec?.id, ...tool.from }, input);
    const against = refusal?.words ?? (await unpaid());
    return against === undefined ? tool.use(input, signal) : { text: `This was not done: ${against}.`, failed: true };
  },
});

/** What one server has for one attempt. */
interface ServerTools {
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
async function openServer(server: ToolServer, user: ToolUser, signal: AbortSignal): Promise<ServerTools> {
  const { task, models, quotation } = user;
  const { reach, name, deadlineMs } = server;
  const keys = server.key === undefined ? {} : { [server.key]: await models.key(server.key) };
  const [key] = Object.values(keys);
  const wire = reach.kind === 'url' ? httpWire(reach.url, key) : stdioWire(reach, task, keys);
  try {
    const listed = await withDeadline(deadlineMs, signal, (deadline) => greet(wire, deadline), wire.still);
    const tools = toolsOf(server, listed, wire, quotation);
    const lacking = (server.tools ?? []).filter((tool) => !listed.some((one) => one.name === tool));
    const missing = lacking.map((tool) => ({ why: `the server ${name} has no tool ${tool}`, said: '' }));
    return { tools, missing, close: wire.close };
  } catch (error) {
    await wire.close();
    return withoutTools(server, reasonOf(error));
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
function toolsOf(server: ToolServer, listed: readonly Listed[], wire: Wire, { quote }: Quotation): readonly Tool[] {
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
      use: (input, signal) => useTool({ server, wire, quote }, { name, arguments: input }, signal),
    });
  }
  return [...tools.values()];
}

async function useTool(
  { server, wire, quote }: { server: ToolServer; wire: Wire; quote: Quotation['quote'] },
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
