import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { JailChoice } from '../../src/jail/jail.ts';
import { anOrg } from '../support/builders.ts';
import { factsIn, runNight, scriptAgent, spawnNight, startNight, type Told } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

/** What a person or an accident does to a run that goes on: again and again, so that every moment is met. */

const juniors = ['junior-1', 'junior-2'];

function busyOrg(keys: Readonly<Record<string, string>> = {}, jail: JailChoice = 'none'): TestOrg {
  const org = anOrg({ brief: { juniors: '2', slots: '2', ...keys }, jail });
  return org;
}

async function disturb(
  org: TestOrg,
  max: number,
  once: (progress: () => Promise<void>) => Promise<void>,
): Promise<readonly Told[]> {
  const run = startNight(org, 'run', '--json', '--max', String(max));
  let over = false;
  void run.ended.then(() => {
    over = true;
  });
  await until('the run has begun', () => factsIn(run.said()).some(({ fact }) => fact === 'experiment') || over);
  const recorded = (agent: string): number =>
    factsIn(run.said()).filter(({ experiment }) => experiment?.agent === agent).length;
  const progress = async (): Promise<void> => {
    const before = juniors.map(recorded);
    const isFurther = (agent: string, lane: number): boolean => recorded(agent) > (before[lane] as number);
    await until('everybody has another experiment', () => juniors.every(isFurther) || over);
  };
  while (!over) await once(progress);
  const ended = await run.ended;
  assert.equal(ended.code, 0, `${run.said().slice(-600)} ${run.complained()}`);
  return factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
}

test('deleting .worktrees again and again costs no candidate its verdict', async () => {
  const org = busyOrg();
  let moment = 0;
  const experiments = await disturb(org, 60, async (progress) => {
    spawnSync('rm', ['-rf', path.join(org.dir, '.worktrees')]); // It may fail: somebody is making new files there.
    await progress(); // Of everybody: whoever is disturbed more often than he can measure is not believed for ever.
    await wait(10 * (moment++ % 8));
  });
  const crashed = experiments.filter(({ event }) => event === 'crash');
  assert.deepEqual(crashed, []);
});

test('nor in a jail, where the walls stand on what is deleted', async () => {
  const org = busyOrg({}, 'auto');
  let moment = 0;
  const experiments = await disturb(org, 10, async (progress) => {
    spawnSync('rm', ['-rf', path.join(org.dir, '.worktrees')]);
    await progress(); // New walls take their time on a busy machine, and there must be some to be torn down.
    await wait(25 * (moment++ % 8));
  });
  assert.deepEqual(
    experiments.filter(({ event }) => event === 'crash'),
    [],
  );
});

test('gc --prune=now again and again takes nothing that is wanted', async () => {
  const org = busyOrg();
  const experiments = await disturb(org, 40, async () => {
    spawnSync('git', ['gc', '--quiet', '--prune=now'], { cwd: org.dir });
    await wait(150);
  });
  assert.deepEqual(
    experiments.filter(({ event }) => event === 'tampered'),
    [],
    'nobody is blamed for what a gc takes',
  );
  const checked = spawnSync('git', ['fsck', '--connectivity-only'], { cwd: org.dir, encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  const numbers = (await org.orgrepo('log', '--all', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n as number);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(Math.max(...numbers), numbers.length);
});

test('an agent that outlives its run is ended before its bench is used again', async () => {
  const agent = scriptAgent([
    'touch $HERE/begun; sleep 3; echo "first 3" > sandbox/numbers.txt; touch $HERE/written; echo late',
    'sleep 4; echo nothing',
  ]);
  const org = busyOrg({ agent: agent.brief, juniors: '1', slots: '1' });
  const run = spawnNight(org, 'run', '--json');
  await until('the agent works', () => existsSync(path.join(agent.dir, 'begun')));
  process.kill(-(run.child.pid as number), 'SIGKILL');
  await run.ended;
  const [experiment] = (await runNight(org, '--max', '1')).experiments;
  assert.equal(experiment?.event, 'unchanged', JSON.stringify(experiment));
  assert.equal(existsSync(path.join(agent.dir, 'written')), false);
});

test('a queue that somebody deleted is found again, and no number is given twice', async () => {
  const org = busyOrg();
  assert.equal((await runNight(org, '--max', '8')).code, 0);
  org.git('branch', '-D', 'orgrepo/queue');
  const again = await runNight(org, '--max', '3');
  assert.equal(again.code, 0, again.stderr);
  const numbers = (await org.orgrepo('log', '--all', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n);
  assert.equal(new Set(numbers).size, numbers.length, numbers.join(' '));
  assert.equal(numbers.length >= 11, true, numbers.join(' '));
});
