import { anyHost, networkAct, ownServer, toolAct } from '../../domain/rules/act.ts';
import { mapTexts } from '../../domain/rules/plain-arguments.ts';
import type { ToolServer } from '../../domain/staff/staff.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine, cleanText } from '../../text/problem.ts';
import type { AgentTask } from '../agent-contract.ts';
import { withDeadline } from '../deadline.ts';
import type { ModelAccess } from '../model-access.ts';
import type { Tool, ToolResult } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { httpWire } from './mcp-http.ts';
import { ServerFault, type ServerWire } from './mcp-messages.ts';
import { stdioWire } from './mcp-process.ts';
import { type ImageRoom, readToolResult } from './mcp-result.ts';
import { headersOf, inputSchema, mirroredIn } from './mcp-schema.ts';
import { type ListedTool, listTools, meet, type Session } from './mcp-session.ts';

/** The agent that uses the tools, the rules that it follows, and how messages of servers are reported. */
interface ToolUser {
  readonly task: AgentTask;
  readonly models: ModelAccess;
  readonly quotation: Quotation;
}

/** The same, while servers are open. */
interface ServerUser extends ToolUser {
  readonly images: ImageRoom;
}

/** How many images a model is shown in one attempt: each is sent again with every question. */
const mostImages = 6;

/** Opens what a model may use besides our own tools, for one attempt. */
export async function openToolbox(servers: readonly ToolServer[], user: ToolUser, signal: AbortSignal) {
  const { task, models, quotation } = user;
  const opened = await openAll(servers, { ...user, images: { left: mostImages } }, signal);
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
async function openAll(servers: readonly ToolServer[], user: ServerUser, signal: AbortSignal) {
  const tried = await Promise.allSettled(servers.map((server) => openAllowed(server, user, signal)));
  const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = tried.find((one) => one.status === 'rejected');
  if (refused === undefined) return opened;
  await Promise.all(opened.map(({ close }) => close()));
  throw refused.reason;
}

/** A server that needs the network is started or reached only where the policies let the agent have it. */
async function openAllowed(server: ToolServer, user: ServerUser, signal: AbortSignal): Promise<ServerTools> {
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
async function openServer(server: ToolServer, user: ServerUser, signal: AbortSignal): Promise<ServerTools> {
  const { task, models } = user;
  const { reach, name, deadlineMs } = server;
  const keys = server.key === undefined ? {} : { [server.key]: await models.key(server.key) };
  const [key] = Object.values(keys);
  const wire = reach.kind === 'url' ? httpWire(reach.url, key) : stdioWire(reach, task, keys);
  try {
    const open = async (deadline: AbortSignal): Promise<Omit<ServerTools, 'close'>> => {
      const session = await meet(wire, deadline);
      const { tools: listed, more } = await listTools(session, deadline);
      const { tools, unusable } = toolsOf({ server, wire, session, user }, listed);
      const lacking = (server.tools ?? []).filter((tool) => !listed.some((one) => one.name === tool));
      return {
        tools,
        missing: [
          ...lacking.map((tool) => ({ why: `the server ${name} has no tool ${tool}`, said: '' })),
          ...[...unusable].map(([why, names]) => ({ why: `the server ${name} has ${why}`, said: namesIn(names) })),
          ...(more ? [{ why: `the server ${name} has more tools than can be read`, said: '' }] : []),
        ],
      };
    };
    return { ...(await withDeadline(deadlineMs, signal, open, wire.still)), close: wire.close };
  } catch (error) {
    await wire.close();
    return withoutTools(server, reasonOf(error));
  }
}

/** A server that is open, and who uses it. */
interface OpenServer {
  readonly server: ToolServer;
  readonly wire: ServerWire;
  readonly session: Session;
  readonly user: ServerUser;
}

const mostTools = 64;
const mostDescription = 1_000;

/** Only what the brief lets through has a name that a model can call, and under that name nothing else is ever called. */
function toolsOf(open: OpenServer, listed: readonly ListedTool[]) {
  const { server, session } = open;
  const tools = new Map<string, Tool>();
  const unusable = new Map<string, string[]>();
  for (const { name, description, inputSchema: schema } of listed) {
    if (server.tools !== undefined && !server.tools.includes(name)) continue;
    const called = `${server.name}__${name.replaceAll('.', '_')}`.slice(0, 64); // What every provider takes for a name.
    const mirrors = session.mirrors ? mirroredIn(schema) : [];
    const why = whyUnusable(name, mirrors, tools.has(called), tools.size);
    if (why !== undefined) {
      const names = unusable.get(why) ?? [];
      unusable.set(why, names);
      names.push(name);
      continue;
    }
    const words = typeof description === 'string' ? cleanText(hideSecrets(description), mostDescription) : '';
    tools.set(called, {
      name: called,
      description: `A tool of the server ${server.name}. What the server says of it: ${words || 'nothing'}`,
      input: inputSchema(schema),
      from: { server: server.name, name },
      use: (input, signal) => useTool(open, { name, arguments: input }, headersOf(mirrors ?? [], input), signal),
    });
  }
  return { tools: [...tools.values()], unusable };
}

function whyUnusable(name: string, mirrors: unknown, isTaken: boolean, count: number): string | undefined {
  if (!/^[\w.-]{1,128}$/.test(name)) return 'tools with names that no model can call';
  if (mirrors === undefined) return 'tools that ask for headers which the protocol forbids';
  if (isTaken) return 'tools that have the same name as another one when it is shortened';
  return count < mostTools ? undefined : `more than ${mostTools} tools, so list those that you want under tools`;
}

const mostNamed = 20;

function namesIn(tools: readonly string[]): string {
  const more = tools.length > mostNamed ? [`and ${tools.length - mostNamed} more`] : [];
  return [...tools.slice(0, mostNamed).map((name) => cleanLine(hideSecrets(name), 128)), ...more].join(', ');
}

async function useTool(
  { server, wire, session, user }: OpenServer,
  call: Readonly<Record<'name' | 'arguments', unknown>>,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { quote } = user.quotation;
  try {
    const ask = (deadline: AbortSignal) => session.ask('tools/call', call, deadline, headers);
    const said = await withDeadline(server.deadlineMs, signal, ask, wire.still);
    const { text, images } = readToolResult(said, user.images);
    return { text: quote(cut(hideSecrets(text), server.mostBytes)), images, failed: said.isError === true };
  } catch (error) {
    const { why, said } = reasonOf(error);
    return { text: `the server ${server.name}: ${why}${said && `\n${quote(said)}`}`, failed: true };
  }
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
