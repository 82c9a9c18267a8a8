import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { longestSilenceMs, withDeadline } from '../../src/agents/deadline.ts';
import { commandAgent } from '../../src/agents/programs/command-agent.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const stopped = (signal: AbortSignal): Promise<string> =>
  new Promise((done) => {
    if (signal.aborted) done('stopped before');
    signal.addEventListener('abort', () => done('stopped'), { once: true });
  });

test('a deadline is kept although nobody else holds on to it while garbage is collected', async () => {
  const began = performance.now();
  const waiting = withDeadline(300, new AbortController().signal, stopped);
  for (let round = 0; round < 5; round++) {
    await wait(10);
    collectGarbage();
  }
  assert.equal(await waiting, 'stopped');
  assert.ok(performance.now() - began < 30_000);
});

test('a signal from outside is passed on, also when it was given before', async () => {
  const outside = new AbortController();
  const waiting = withDeadline(60_000, outside.signal, stopped);
  outside.abort();
  assert.equal(await waiting, 'stopped');
  assert.equal(await withDeadline(60_000, outside.signal, stopped), 'stopped before');
});

test('what is done in time leaves nothing behind, neither a timer nor a listener', async () => {
  const { signal } = new AbortController();
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  let inner: AbortSignal | undefined;
  assert.equal(
    await withDeadline(60_000, signal, async (deadline) => {
      inner = deadline;
      return 7;
    }),
    7,
  );
  await assert.rejects(
    withDeadline(60_000, signal, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(inner?.aborted, false);
  assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, before);
});

test('a command that says nothing for five minutes is ended long before its deadline', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const begun = performance.now();
  const task = {
    ...{ role: 'junior', agent: 'junior-1', attempt: 1, spec: undefined, notebook: [], brief: { prose: '' } },
    ...{ dir: tmpdir(), deadlineMs: 3_600_000, cell: { level: 'none', shown: [], hidden: [] } },
  } as unknown as AgentTask;
  const agent = commandAgent({ kind: 'command', command: 'sleep 600', network: false });
  const working = agent(task, new AbortController().signal);
  t.mock.method(performance, 'now', () => begun + longestSilenceMs + 1_000);
  t.mock.timers.tick(longestSilenceMs);
  const { kind, reason } = (await working) as { readonly kind: string; readonly reason: string };
  assert.deepEqual(
    [kind, reason.replace(/30[01]/, '301')],
    ['failed', 'the agent fell silent, and was stopped after 301 s'],
  );
});
