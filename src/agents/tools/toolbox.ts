import { anyHost, networkAct, ownServer, toolAct } from '../../domain/rules/act.ts';
import { mapTexts } from '../../domain/rules/plain-arguments.ts';
import type { ToolServer } from '../../domain/staff/staff.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { AgentTask } from '../agent-contract.ts';
import type { Office } from '../model-access.ts';
import type { Tool } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { openServer, type ServerTools } from './mcp-tools.ts';

/** What a model may use besides our own tools, for one attempt. */
export interface Toolbox {
  /** Our own tools and those of the servers. */
  with(own: readonly Tool[]): readonly Tool[];
  /** What is not there, in words for the model. */
  readonly missing: readonly string[];
  /** Ends the servers that were started. */
  close(): Promise<void>;
}

/** Who uses the tools, by whose rules, and how what servers say is told. */
interface ToolUser {
  readonly task: AgentTask;
  readonly office: Office;
  readonly quotation: Quotation;
}

export async function openToolbox(
  servers: readonly ToolServer[],
  user: ToolUser,
  signal: AbortSignal,
): Promise<Toolbox> {
  const { task, office, quotation } = user;
  const opened = await openAll(servers, user, signal);
  const missing = opened.flatMap((server) => server.missing);
  for (const { why, said } of missing) office.onMissing(task.agent, said === '' ? why : `${why}: ${said}`);
  return {
    with: (own) => [...own, ...opened.flatMap(({ tools }) => tools)].map((tool) => governed(tool, task, office)),
    missing: missing.map(({ why, said }) => `Note that ${why}.${said && `\n\n${quotation.quote(said)}`}`),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/** All of them, or none: where one has no key any more, those that were started are ended. */
async function openAll(
  servers: readonly ToolServer[],
  user: ToolUser,
  signal: AbortSignal,
): Promise<readonly ServerTools[]> {
  const tried = await Promise.allSettled(servers.map((server) => openAllowed(server, user, signal)));
  const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = tried.find((one) => one.status === 'rejected');
  if (refused === undefined) return opened;
  await Promise.all(opened.map(({ close }) => close()));
  throw refused.reason;
}

/** A server that needs the network is started or reached only where the policies let the agent have it. */
async function openAllowed(
  server: ToolServer,
  { task, office, quotation }: ToolUser,
  signal: AbortSignal,
): Promise<ServerTools> {
  const { reach, name } = server;
  const host = reach.kind === 'url' ? new URL(reach.url).hostname : reach.network ? anyHost : undefined;
  const purpose = { what: `server ${name}`, spec: task.spec?.id };
  const refusal = host && (await office.refuses?.(task.agent, (who) => networkAct(who, host, purpose)));
  if (!refusal) return openServer(server, task, office.key, quotation, signal);
  const missing = [{ why: `the tools of ${name} are not there: ${refusal.words}`, said: '' }];
  return { tools: [], missing, close: async () => {} };
}

/** Nobody uses a tool that the policies keep from them, or that pays more than there is for tools. */
const governed = (tool: Tool, { agent, spec }: AgentTask, office: Office): Tool => ({
  ...tool,
  use: async (input, signal) => {
    const { server, name } = tool.from ?? { server: ownServer, name: tool.name };
    const refusal = await office.refuses?.(agent, (who) =>
      toolAct(who, { server, name, spec: spec?.id }, mapTexts(input, hideSecrets)),
    );
    const against = refusal?.words ?? (await unpaid(tool, { agent, spec }, office, input));
    return against === undefined ? tool.use(input, signal) : { text: `This was not done: ${against}.`, failed: true };
  },
});

/** Our own tools pay nobody. */
const unpaid = async (
  { from }: Tool,
  { agent, spec }: Pick<AgentTask, 'agent' | 'spec'>,
  office: Office,
  input: Readonly<Record<string, unknown>>,
): Promise<string | undefined> => from && office.pays?.({ agent, spec: spec?.id, ...from }, input);
