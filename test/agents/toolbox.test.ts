import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import type { ModelAccess } from '../../src/agents/model-access.ts';
import { openToolbox } from '../../src/agents/tools/toolbox.ts';
import type { ToolServer } from '../../src/domain/staff/staff.ts';
import { startOf } from '../../src/process/run-process.ts';
import '../support/built-in.ts';
import { quotationWith } from '../../src/agents/prompts.ts';
import { stdioServer } from '../support/tool-server.ts';
import { until } from '../support/until.ts';

const server = (name: string, key?: string): ToolServer => ({
  name,
  reach: { kind: 'command', command: 'node mcp.mjs', network: false },
  key,
  tools: undefined,
  deadlineMs: 20_000,
  mostBytes: 1_000,
});

test('where one server has no key any more, those that were started are ended', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-toolbox-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const log = path.join(dir, 'log');
  writeFileSync(path.join(dir, 'mcp.mjs'), stdioServer(log));
  const task = {
    dir,
    agent: 'junior-1',
    attempt: 1,
    mark: 'x',
    cell: { level: 'none', shown: [], hidden: [] },
  } as unknown as AgentTask;
  const key = async (): Promise<string> => {
    await until('the other one has started', () => existsSync(log));
    throw new Error('the key is gone');
  };
  const models = { key, onMissing: () => {}, onTool: () => {} } as unknown as ModelAccess;
  const opened = openToolbox(
    [server('docs'), server('web', 'GONE')],
    { task, models, quotation: quotationWith('0123456789abcdef') },
    new AbortController().signal,
  );
  await assert.rejects(opened, /the key is gone/);
  assert.equal(startOf(Number(readFileSync(log, 'utf8').split(/\s/)[1])), '');
});
