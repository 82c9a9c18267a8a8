import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import type { ModelAccess } from '../../src/agents/model-access.ts';
import type { ToolResult } from '../../src/agents/models/conversation.ts';
import { quotationWith } from '../../src/agents/prompts.ts';
import { openToolbox } from '../../src/agents/tools/toolbox.ts';
import { type ServerReach, serverDefaults, type ToolServer } from '../../src/domain/staff/staff.ts';
import { machineFor } from '../../src/jail/cell.ts';
import type { JailLevel } from '../../src/jail/jail.ts';

interface Options {
  readonly level?: JailLevel;
  readonly server?: Partial<ToolServer>;
  /** Files of the bench. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One server of tools as an agent has it for an attempt, without an org around it. `docs` is its name. */
export async function openTools(reach: ServerReach, { level = 'none', server, files = {} }: Options = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-tools-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  const cell = { level, shown: machineFor(dir), hidden: [] };
  const task = { dir, agent: 'junior-1', attempt: 1, mark: 'x', cell } as unknown as AgentTask;
  const warnings: string[] = [];
  const models = { onMissing: (_agent: string, why: string) => warnings.push(why) } as unknown as ModelAccess;
  const { signal } = new AbortController();
  const docs: ToolServer = { name: 'docs', reach, key: undefined, tools: undefined, ...serverDefaults, ...server };
  const box = await openToolbox([docs], { task, models, quotation: quotationWith('0123456789abcdef') }, signal);
  const tools = new Map(box.with([]).map((tool) => [tool.name.replace('docs__', ''), tool]));
  return {
    dir,
    warnings,
    /** What the model is told of what is missing. */
    missing: box.missing,
    tools,
    use: (name: string, input: Readonly<Record<string, unknown>> = {}): Promise<ToolResult> => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`there is no tool ${name} among ${[...tools.keys()].join(', ')}`);
      return tool.use(input, signal);
    },
    close: async (): Promise<void> => {
      await box.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export type OpenTools = Awaited<ReturnType<typeof openTools>>;

export const command = (line: string): ServerReach => ({ kind: 'command', command: line, network: false });
export const address = (url: string): ServerReach => ({ kind: 'url', url });
