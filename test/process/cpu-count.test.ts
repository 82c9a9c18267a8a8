import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import {
  type CountedProcess,
  enterNeighbour,
  startCount,
  stopAgents,
  stoppedMs,
  watchNeighbours,
} from '../../src/process/neighbours.ts';
import { parseStat, readProcessTree } from '../../src/process/process-tree.ts';
import { until } from '../support/until.ts';

const begun = 1_000;

/** A process that has used so much, itself and by its children. */
const proc = (pid: number, ownMs: number, reapedMs = 0, more: Partial<CountedProcess> = {}): CountedProcess => ({
  ...{ pid, parent: 1, session: 1, start: 500, state: 'S', ownMs, reapedMs, atWork: 0, owner: 'junior-1' },
  ...more,
});
const usedBy = (...looks: readonly (readonly CountedProcess[])[]): number => {
  const [first = [], ...others] = looks;
  const count = startCount(first, begun);
  for (const look of others) count.look(look);
  return count.used(1_000).get('junior-1') ?? 0;
};

test('a process counts with what it has used since the first look', () => {
  assert.equal(usedBy([proc(10, 400)], [proc(10, 450)], [proc(10, 700)]), 300);
});

test('a child that has ended is counted once, by its parent', () => {
  const child = proc(11, 90, 0, { parent: 10, start: begun + 1 });
  assert.equal(usedBy([proc(10, 0)], [proc(10, 0), child], [proc(10, 0, 200)]), 200);
});

test('a child that nobody ever saw is counted by whoever waited for it', () => {
  assert.equal(usedBy([proc(10, 0)], [proc(10, 0, 300)]), 300);
});

test('a child whose parent ignores its end counts as far as it was seen', () => {
  const child = (ownMs: number): CountedProcess => proc(11, ownMs, 0, { parent: 10, start: begun + 1 });
  assert.equal(usedBy([proc(10, 0)], [proc(10, 0), child(50)], [proc(10, 0), child(120)], [proc(10, 0)]), 120);
});

test('children that are new and at work at every look count as one that always works', () => {
  const worker = (at: number): CountedProcess => proc(20 + at, 0, 0, { parent: 10, start: begun + 1 + at, atWork: 1 });
  const looks = (times: number): CountedProcess[][] =>
    Array.from({ length: times }, (_, at) => [proc(10, 0), worker(at)]);
  assert.equal(usedBy([proc(10, 0)], ...looks(4), [proc(10, 0)]), 800);
  assert.equal(usedBy([proc(10, 0)], ...looks(2), [proc(10, 0)], [proc(10, 0)]), 0, 'twice may be chance');
});

test('a process that was overlooked at first is not charged for its past', () => {
  assert.equal(usedBy([], [proc(10, 5_000)], [proc(10, 5_100)]), 100);
});

test('a process that one look has missed is not charged twice', () => {
  assert.equal(usedBy([proc(10, 0), proc(11, 500)], [proc(10, 0)], [proc(10, 0), proc(11, 560)]), 60);
});

test('the name of a program cannot change what is read of it', () => {
  const fields = [
    'R',
    '7',
    '8',
    '9',
    ...Array.from({ length: 7 }, () => '0'),
    '3',
    '4',
    '5',
    '6',
    '20',
    '0',
    '1',
    '0',
    '777',
  ];
  const read = parseStat(42, `42 (a) S 1 (x) ${fields.join(' ')} 0`);
  assert.deepEqual(read, {
    ...{ pid: 42, parent: 7, session: 9, start: 777, state: 'R', ownMs: 70, reapedMs: 110, atWork: 0 },
  });
});

/** A shell of our own, with what it starts. */
function start(script: string): { readonly pid: number; readonly end: () => void } {
  const child = spawn('perl', ['-e', script], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? assert.fail('it did not start');
  return { pid, end: () => void process.kill(-pid, 'SIGKILL') };
}

const burnFor = (ms: number): string => `use Time::HiRes "time"; my $e = time + ${ms / 1000}; 1 while time < $e;`;

for (const [what, script] of [
  ['that forks, waits and forks again', `for (;;) { my $p = fork; if (!$p) { ${burnFor(5)} exit } waitpid $p, 0 }`],
  [
    'whose children end unheard',
    `$SIG{CHLD} = "IGNORE"; for (;;) { my $p = fork; if (!$p) { ${burnFor(5)} exit } select undef, undef, undef, 0.004 }`,
  ],
] as const)
  test(`an agent ${what} is counted`, async () => {
    const agent = start(script);
    const leave = enterNeighbour({ kind: 'agent', name: 'junior-1', pid: agent.pid });
    const watch = watchNeighbours(10);
    try {
      await until('200 ms are counted', () => (watch.used().agents.get('junior-1') ?? 0) > 200, 60_000);
    } finally {
      watch.end();
      leave();
      agent.end();
    }
  });

test('an agent that is stopped does nothing, with all that it started, and goes on afterwards', async () => {
  const agent = start(`my $p = fork; if (!$p) { setpgrp; fork; } ${burnFor(60_000)}`);
  const leave = enterNeighbour({ kind: 'agent', name: 'junior-9', pid: agent.pid });
  const states = (): string =>
    [...readProcessTree(agent.pid).values()]
      .map(({ state }) => state)
      .sort()
      .join('');
  try {
    await until('three processes run', () => readProcessTree(agent.pid).size === 3);
    const [first, second] = [stopAgents(['junior-9']), stopAgents(['junior-9'])];
    await until('all are stopped', () => states() === 'TTT');
    first();
    assert.ok(stoppedMs('junior-9') > 0);
    second();
    await until('all go on', () => !states().includes('T'));
    const stood = stoppedMs('junior-9');
    assert.equal(stoppedMs('junior-9'), stood, 'its clock goes on too');
  } finally {
    for (const pid of readProcessTree(agent.pid).keys()) process.kill(pid, 'SIGKILL');
    leave();
  }
});
