import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/problem.ts';
import { isMap } from '../json-value.ts';
import { type Params, ServerFault, type ServerWire } from './mcp-messages.ts';

/* Two generations of servers: one that is greeted, and is spoken to in a session; and one that is told all with every request. */

/** How a server that was met is asked. */
export interface Session {
  ask(
    method: string,
    params: Params,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whether it wants arguments in headers where a tool says so. */
  readonly mirrors: boolean;
}

/** The version without sessions, and those with one that we can speak. */
const stateless = '2026-07-28';
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const client = { name: 'orgrepo', version: __VERSION__ };

/**
 * Finds out which generation a server is of. An address is asked for the newer one first. A process is greeted first: some
 * old ones end, or say nothing, when anything comes before the greeting, and the newest refuse it at once.
 */
export async function meet(wire: ServerWire, signal: AbortSignal): Promise<Session> {
  if (wire.isAddress)
    return discover(wire, signal).catch((fault) => {
      if (!isRefusal(fault)) throw fault;
      return greet(wire, signal);
    });
  return greet(wire, signal).catch((fault) => {
    if (!isRefusal(fault)) throw fault;
    return discover(wire, signal).catch(() => {
      throw fault; // It tells more of why.
    });
  });
}

const isRefusal = (fault: unknown): boolean => fault instanceof ServerFault && fault.kind === 'refused';

/** A server without sessions: each request says the version and who asks. */
async function discover(wire: ServerWire, signal: AbortSignal): Promise<Session> {
  wire.agree(stateless);
  const about = {
    'io.modelcontextprotocol/protocolVersion': stateless,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': client,
  };
  const ask: Session['ask'] = async (method, params, deadline, headers) =>
    readResult(await wire.request(method, { ...params, _meta: about }, deadline, headers));
  const { supportedVersions: said } = await ask('server/discover', {}, signal);
  if (Array.isArray(said) && said.includes(stateless)) return { ask, mirrors: wire.isAddress };
  // It may speak an older one as well, which it says when it is greeted.
  throw otherVersion(Array.isArray(said) ? said.filter((one) => typeof one === 'string').join(', ') : '', 'refused');
}

/** A server with a session, which it may end: then it is greeted again, and asked once more. */
async function greet(wire: ServerWire, signal: AbortSignal): Promise<Session> {
  await sayHello(wire, signal);
  const ask: Session['ask'] = async (method, params, deadline) => {
    const once = async (): Promise<Params> => readResult(await wire.request(method, params, deadline));
    return once().catch(async (fault) => {
      if (!(fault instanceof ServerFault) || fault.kind !== 'over') throw fault;
      await sayHello(wire, deadline);
      return once();
    });
  };
  return { ask, mirrors: false };
}

async function sayHello(wire: ServerWire, signal: AbortSignal): Promise<void> {
  wire.agree(undefined);
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client };
  const said = await wire.request('initialize', hello, signal);
  const version = isMap(said) ? said.protocolVersion : undefined;
  if (typeof version !== 'string') throw new ServerFault('it does not say which version of the protocol it speaks');
  if (!versions.includes(version)) throw otherVersion(version, 'broken');
  wire.agree(version);
  await wire.notify('notifications/initialized');
}

const otherVersion = (version: string, kind: ServerFault['kind']): ServerFault =>
  new ServerFault('it speaks another version of the protocol', cleanLine(hideSecrets(version), 40), kind);

function readResult(said: unknown): Params {
  if (!isMap(said)) throw new ServerFault('it gave no result that can be read');
  // A server that wants to ask a person or a model before it answers: no one is there.
  if (said.resultType === 'input_required') throw new ServerFault('it asks for more than the arguments of the call');
  if (said.resultType === undefined || said.resultType === 'complete') return said;
  throw new ServerFault('it gave no result that can be read');
}

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

/** A server may have more pages of tools than anybody can read. */
const mostPages = 8;

/** The tools of a server, and how many of its pages were read: `more` says that there are others. */
export async function listTools({ ask }: Session, signal: AbortSignal) {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const said = await ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
    if (!Array.isArray(said.tools)) throw new ServerFault('its list of tools cannot be read');
    tools.push(...said.tools.filter(isListed));
    cursor = typeof said.nextCursor === 'string' ? said.nextCursor : undefined;
    if (cursor === undefined) break;
  }
  return { tools, more: cursor !== undefined };
}

const isListed = (tool: unknown): tool is ListedTool => isMap(tool) && typeof tool.name === 'string';
