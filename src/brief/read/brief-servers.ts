import { type AgentChoice, serverDefaults, type ToolServer } from '../../domain/staff/staff.ts';
import {
  type Field,
  type Fields,
  readAddress,
  readCount,
  readDuration,
  readerOf,
  readLine,
  readList,
  readMap,
  readYes,
  wrongKey,
  wrongValue,
} from '../../text/field.ts';
import { didYouMean, problemAt, shown } from '../../text/problem.ts';
import { formatCount, formatDuration } from '../../text/quantity.ts';

export type Servers = ReadonlyMap<string, ToolServer>;

const example = 'mcp: { docs: { command: "node harness/mcp.mjs" } }';

/** `mcp`: servers of tools by name. */
export function readServers(field: Field | undefined): Servers {
  if (field === undefined) return new Map();
  const fields = readMap(field, 'a map of names and servers', `Write ${example}.`);
  return new Map([...fields].map(([name, server]) => [name, readServer(name, server)]));
}

const addressHint = 'Write url: http://127.0.0.1:9000/mcp, and key: with the name of a variable where it wants one.';

const keys = ['command', 'network', 'url', 'key', 'tools', 'deadline', 'most'];

function readServer(name: string, field: Field): ToolServer {
  if (!/^[a-z][a-z0-9-]{0,23}$/.test(name)) {
    const what = `a server of tools is named ${shown(name)}, expected a name such as docs`;
    const hint = 'Small letters, digits and -, at most 24 of them: models see it before the name of each tool.';
    throw wrongKey(field, what, hint);
  }
  const fields = readMap(field, 'a map with command or url', `Write ${example}.`, keys);
  const read = readerOf(fields);
  return {
    name,
    reach: readReach(field, fields),
    key: read('key', readVariable, undefined),
    tools: read('tools', readTools, undefined),
    deadlineMs: read('deadline', (value) => readDuration(value, 10, 3_600_000), serverDefaults.deadlineMs),
    mostBytes: read('most', (value) => readCount(value, 1e6), serverDefaults.mostBytes),
  };
}

function readReach(field: Field, fields: Fields): ToolServer['reach'] {
  const hint = `Write ${example}, or url: http://127.0.0.1:9000/mcp.`;
  const [command, url, network] = ['command', 'url', 'network'].map((key) => fields.get(key));
  const line = command && readLine(command, 'a command such as node harness/mcp.mjs', hint);
  const address = url && readAddress(url, addressHint);
  const isOpen = network !== undefined && readYes(network);
  if ((command === undefined) === (url === undefined)) throw wrongValue(field, 'one of command and url', hint);
  if (line !== undefined) return { kind: 'command', command: line, network: isOpen };
  if (network !== undefined)
    throw wrongValue(field, 'no network beside a url', 'network is for a command in its jail.');
  return { kind: 'url', url: address ?? '' };
}

/** What stands there may be the key itself, so it is not said again. */
function readVariable(field: Field): string {
  const hint = `Write ${field.name}: DOCS_TOKEN, and give the variable its value in the environment or in .orgrepo/keys.`;
  const text = readLine(field, 'the name of a variable', hint);
  if (/^[A-Z][A-Z0-9_]{0,63}$/.test(text)) return text;
  throw problemAt('brief/value', field.place, `${shown(field.name)} is not the name of a variable in capitals`, hint);
}

function readTools(field: Field): readonly string[] {
  const hint = `Write ${field.name}: [search, read].`;
  return readList(field, 'a list of tools', hint).map((item) => {
    const name = readLine(item, 'the name of a tool', hint);
    if (!/^[\w.-]{1,128}$/.test(name)) throw wrongValue(item, 'the name of a tool', hint);
    return name;
  });
}

/** The same choice with the servers that a list names. Only a model is given tools: the others have their own, or none. */
export function giveServers<Choice extends AgentChoice | undefined>(
  choice: Choice,
  field: Field | undefined,
  servers: Servers,
): Choice | AgentChoice {
  if (field === undefined) return choice;
  if (choice?.kind !== 'api') {
    const what = `${shown(field.name)} is set, and there is no model beside it that could use them`;
    throw wrongKey(field, what, 'Take it out, or write it beside a model.', 'value');
  }
  const hint = `Write ${field.name}: [${[...servers.keys()][0] ?? 'docs'}].`;
  const named = readList(field, 'a list of servers', hint).map((item) => {
    const name = readLine(item, 'the name of a server', hint);
    const server = servers.get(name);
    if (server !== undefined) return server;
    const otherwise = servers.size === 0 ? `Add ${example}.` : `There are ${[...servers.keys()].join(', ')}.`;
    throw wrongValue(item, 'a server that mcp names', didYouMean(name, [...servers.keys()], otherwise));
  });
  return named.length === 0 ? choice : { ...choice, servers: [...new Set(named)] };
}

/** A server that nobody is given would silently do nothing. */
export function refuseIdleServers(field: Field | undefined, everybody: readonly AgentChoice[]): void {
  const used = serversOf(everybody);
  for (const [name, server] of field?.value.kind === 'map' ? field.value.fields : [])
    if (!used.has(name)) {
      const hint = `Write tools_from: [${name}] beside model, or junior: { model: …, mcp: [${name}] }.`;
      throw wrongKey(server, `${shown(server.name)} is given to nobody`, hint, 'value');
    }
}

export const serversOf = (everybody: readonly AgentChoice[]): Servers =>
  new Map(
    everybody.flatMap((choice) =>
      choice.kind === 'api' ? (choice.servers ?? []).map((one) => [one.name, one] as const) : [],
    ),
  );

/** The key that readServers would read these from again. */
export function formatServers(servers: Servers): Readonly<Record<string, unknown>> | undefined {
  if (servers.size === 0) return undefined;
  return Object.fromEntries(
    [...servers].map(([name, { reach, key, tools, deadlineMs, mostBytes }]) => [
      name,
      {
        ...(reach.kind === 'url'
          ? { url: reach.url }
          : { command: reach.command, network: reach.network || undefined }),
        ...{ key, tools },
        deadline: formatDuration(deadlineMs),
        most: formatCount(mostBytes),
      },
    ]),
  );
}
