import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { AgentTask, AgentWork } from '../../src/agents/agent-contract.ts';
import { commandAgent } from '../../src/agents/programs/command-agent.ts';
import { atIdlePriority } from '../../src/agents/programs/confinement.ts';
import { type JailLevel, whyNot } from '../../src/jail/jail.ts';
import { agentsRunning, stopAgents, watchNeighbours } from '../../src/process/neighbours.ts';
import { readProcessTree } from '../../src/process/process-tree.ts';
import { runCommand } from '../../src/process/run-process.ts';
import { until } from '../support/until.ts';

/** An agent's processes come after what is measured, and the time in which they are stopped is not theirs. */

const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-beside-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** Lets a command do an agent's work, and gives what came of it. */
function work(
  command: string,
  level: JailLevel,
  more: Partial<AgentTask> = {},
  signal = new AbortController().signal,
): Promise<AgentWork> {
  const task = {
    ...{ role: 'junior', agent: 'junior-7', attempt: 1, spec: undefined, notebook: [], brief: { prose: '' } },
    ...{ dir, deadlineMs: 60_000, cell: { level, shown: [], hidden: [] } },
    ...{ plan: '', critiques: [], ...more },
  } as unknown as AgentTask;
  return commandAgent({ kind: 'command', command, network: false })(task, signal);
}

const pidOf = (agent: string): number => [...(agentsRunning().get(agent) ?? [])][0] ?? 0;

const titleOf = (done: AgentWork): string => (done.kind === 'edited' ? done.title : JSON.stringify(done));

async function withPriority<T>(priority: string | undefined, run: () => Promise<T>): Promise<T> {
  const before = process.env.ORGREPO_AGENT_PRIORITY;
  if (priority === undefined) delete process.env.ORGREPO_AGENT_PRIORITY;
  else process.env.ORGREPO_AGENT_PRIORITY = priority;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env.ORGREPO_AGENT_PRIORITY;
    else process.env.ORGREPO_AGENT_PRIORITY = before;
  }
}

/** The policy of the kernel's scheduler (5 is idle), the class of disk access, and whether it can be raised. */
const probe = `set -- $(sed 's/.*) //' /proc/self/stat); policy=\${39}; disk=$(ionice -p $$); chrt --other -p 0 $$ 2> /dev/null && raised=1; echo "policy $policy, disk \${disk%%:*}, raised \${raised:-0}"`;

const jails = ['bubblewrap', 'namespaces'] as const;
const reasons = await Promise.all(jails.map(whyNot)); // Before any test: `after` may come as soon as one of them is done.

for (const [index, level] of [...jails, 'none' as const].entries()) {
  const why = reasons[index];
  const options = why === undefined && process.platform === 'linux' ? {} : { skip: why ?? 'only Linux has it' };

  test(`${level}: an agent runs when nobody else wants the CPU or the disk`, {
    ...options,
    timeout: 280_000,
  }, async () => {
    const said = titleOf(await withPriority(undefined, () => work(probe, level, { deadlineMs: 250_000 })));
    // Without a jail, root can raise itself.
    const raised = level === 'none' && process.getuid?.() === 0 ? 1 : 0;
    assert.equal(said, `policy 5, disk idle, raised ${raised}`);
  });

  test(`${level}: an agent keeps the usual priority where a person wants that`, options, async () => {
    const said = titleOf(await withPriority('normal', () => work(probe, level)));
    assert.match(said, /^policy 0, disk (none|best-effort)/);
  });

  test(`${level}: an agent that is stopped does nothing, and its deadline waits`, options, async () => {
    const goOn = stopAgents(['junior-7']);
    const night = new AbortController();
    const working = work('sleep 600', level, { deadlineMs: 200 }, night.signal);
    let isOver = false;
    void working.then(() => {
      isOver = true;
    });
    const begun = performance.now();
    // A parent may wait, and use nothing, for a child that was stopped before it had begun; or not have heard yet of one that ended.
    const states = (): string => [...readProcessTree(pidOf('junior-7')).values()].map(({ state }) => state).join('');
    try {
      await until('its deadline is past', () => performance.now() - begun > 1_000);
      await until('it is stopped', () => /^[TDZ]*T[TDZ]*$/.test(states()));
      assert.equal(isOver, false);
    } finally {
      night.abort();
      await working;
      goOn();
    }
    assert.equal(agentsRunning().has('junior-7'), false);
  });

  const held = level === 'none' ? undefined : test; // Without a jail a process can leave its parent.
  held?.(`${level}: a daemon of an agent is counted as the agent's`, options, async () => {
    const night = new AbortController();
    const daemon = 'use POSIX; if (!fork) { POSIX::setsid(); if (!fork) { 1 while 1 } exit } sleep 600';
    const working = work(`perl -e '${daemon}'`, level, {}, night.signal);
    const watch = watchNeighbours(10);
    try {
      await until('300 ms are counted', () => (watch.used().agents.get('junior-7') ?? 0) > 300, 50_000);
    } finally {
      watch.end();
      night.abort();
      await working;
    }
  });

  test(`${level}: an agent goes on once it is not stopped any more`, options, async () => {
    const goOn = stopAgents(['junior-7']);
    const working = work('sleep 0.1; echo done', level);
    await until('it is there', () => agentsRunning().has('junior-7'));
    goOn();
    assert.equal(titleOf(await working), 'done');
  });
}

test('neither deadline nor silence count the time in which a command stood still', async () => {
  const command = { file: 'sh', args: ['-c', 'sleep 0.3; echo done'], cwd: dir, env: { PATH: process.env.PATH ?? '' } };
  let stood = 0; // Far more time at each look than a busy machine could take from this test.
  const still = (): number => {
    stood += 1_000_000;
    return stood;
  };
  const ran = await runCommand({ ...command, deadlineMs: 1, silenceMs: 8, still });
  assert.deepEqual([ran.timedOut, ran.silent, ran.stdout.text], [false, false, 'done\n']);
});

test('a command that is not there is named as such, not as one that failed', async () => {
  const done = await withPriority(undefined, () => work('no-such-program-here', 'none'));
  assert.match(done.kind === 'failed' ? done.reason : '', /could not be started: .*no-such-program-here/);
});

const onSessions = readdirSync('/proc/self').includes('autogroup') ? test : undefined; // Not every kernel knows them.
onSessions?.('an agent is put last among sessions, so that its priority counts on every kernel', async () => {
  const said = titleOf(
    await withPriority(undefined, () => work('cat /proc/self/autogroup', 'none', { deadlineMs: 250_000 })),
  );
  assert.match(said, /nice 19$/);
  assert.equal(atIdlePriority(['sh'], dir)[0], 'sh', 'the tests of others are not');
});
