import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { obedientOrg, say, scriptAgent, trailers } from '../support/night.ts';

const agent = scriptAgent([
  say('sleep 20; echo "loss: 1"', 'slow'),
  say('echo "loss: $(cat data/seven.txt)"', 'seven'),
]);
const org = obedientOrg(agent.brief, {
  budget: '{ experiment: 10x, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
  include: '["data/*.txt"]',
});
after(() => org.remove());

test('a candidate may take ten times what the start takes, and a pattern of include is there to be read', async () => {
  org.write('data/seven.txt', '7\n');
  org.commit('data');
  const began = performance.now();
  assert.equal((await org.orgrepo('run', '--json', '--max', '2')).code, 0);
  assert.ok(performance.now() - began < 150_000, 'and not the five minutes that the start may take');
  const tried = (await org.orgrepo('log', '--json')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { n: number; event: string; score?: number })
    .sort((a, b) => a.n - b.n);
  // On a busy machine a timeout is void.
  assert.match(tried[0]?.event ?? '', /^(?:timeout|void)$/);
  assert.deepEqual([tried[1]?.event, tried[1]?.score], ['keep', 7]);
  const limits = trailers(org, 'Limit', '--first-parent', '--merges', 'orgrepo/work/0001', '^main').map(Number);
  assert.ok(limits.length === 2 && limits.every((ms) => ms >= 1_000 && ms < 60_000), `${limits} ms`);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('replay gives a candidate the time that it had', async () => {
  const began = performance.now();
  const { stdout } = await org.orgrepo('replay', '2');
  assert.match(stdout, /^#2 {2}measured 7 {3}recorded 7 {3}REPRODUCED$/m);
  assert.doesNotMatch((await org.orgrepo('replay', '1')).stdout, /measured 1 /);
  assert.ok(performance.now() - began < 150_000);
});

test('plan and doctor say what a time limit is measured by', async () => {
  assert.match((await org.orgrepo('plan')).stdout, /10 times what the start takes, at most 5m, per\s+experiment/);
  const doctor = (await org.orgrepo('doctor')).stdout;
  assert.doesNotMatch(doctor, /that hangs/);
  assert.match(doctor, /of 300 s; candidates may take 10 times as long\)/);
  const { budget } = JSON.parse((await org.orgrepo('plan', '--json')).stdout).org;
  assert.deepEqual([budget.experiment_seconds, budget.experiment_times], [300, 10]);
  org.write('program.md', org.git('show', 'main:program.md').replace('10x', '5m'));
  org.commit('a usual limit');
  assert.match(
    (await org.orgrepo('doctor')).stdout,
    /a candidate that hangs costs 5m, as much as \d+ others\n {10}fix: .* 10x/,
  );
});
