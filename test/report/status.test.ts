import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obedientOrg, runNight, say, scriptAgent } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

/** An agent that says these, two attempts a spec. */
function twoEach(...losses: readonly number[]): TestOrg {
  const agent = scriptAgent(losses.map((loss) => say(`echo "loss: ${loss}"`))).brief;
  const org = obedientOrg(agent, { budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }' });
  for (const id of [2, 3]) org.write(`specs/000${id}-more.md`, `# more of it, part ${id}\n`);
  org.commit('more specs');
  return org;
}

const agentsOf = async (org: TestOrg): Promise<unknown[]> =>
  JSON.parse((await org.orgrepo('status', '--json')).stdout).agents.map(
    ({ id, spec, tried, kept }: Record<string, unknown>) => ({ id, spec, tried, kept }),
  );

test('an agent is told with all that it tried itself, on whatever spec, and also when it holds none', async () => {
  const org = twoEach(9, 12, 8, 11);
  assert.equal((await runNight(org, '--max', '3')).code, 0);
  assert.deepEqual(await agentsOf(org), [{ id: 'junior-1', spec: '0002', tried: 3, kept: 2 }]);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  assert.equal((await org.orgrepo('pause', 'junior-1')).code, 0);
  assert.deepEqual(await agentsOf(org), [{ id: 'junior-1', spec: undefined, tried: 4, kept: 2 }]);
});

const statusOf = async (org: TestOrg): Promise<Record<string, unknown>> =>
  JSON.parse((await org.orgrepo('status', '--json')).stdout);

test('a new commit on the trunk leaves best the experiment that it came from, and the last keep where it was', async () => {
  const org = twoEach(9, 12, 13, 14, 15, 16);
  assert.equal((await runNight(org, '--max', '3')).code, 0);
  org.write('notes.txt', 'nothing to do with it\n');
  org.commit('notes');
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const { best, last_keep_ago } = await statusOf(org);
  assert.deepEqual(best, { score: 9, n: 1, commit: org.git('rev-parse', 'orgrepo/best').trim(), remeasured: true });
  assert.equal(last_keep_ago, 3);
  const { stdout } = await org.orgrepo('status');
  assert.match(stdout, /best {5}9 loss, lower is better {2}\(#1, measured again, [0-9a-f]{7}\) {3}baseline 10 /);
  assert.match(stdout, /last taken 3 tries ago, 1 of them in the last run \(stops at 1000\)/);
  assert.equal((await runNight(org, '--from-trunk', '--max', '1')).code, 0);
  assert.equal(((await statusOf(org)).best as { n: number }).n, 0, 'the trunk alone came from no experiment');
  assert.equal((await statusOf(org)).last_keep_ago, 4);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('best is the trunk as people have it once they have taken back what they landed', async () => {
  const org = twoEach(9, 12, 13);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  org.git('merge', '--quiet', 'orgrepo/best');
  org.write('notes.txt', 'nothing to do with it\n');
  org.commit('notes');
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  assert.equal(((await statusOf(org)).best as { n: number }).n, 1, 'it is on the trunk now');
  org.write('sandbox/program', 'echo "loss: 10"\n');
  org.commit('as it was');
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const { best } = (await statusOf(org)) as { best: { n: number; score: number } };
  assert.deepEqual([best.n, best.score], [0, 10]);
});

test('where nothing was ever kept no last keep is told, but how many tries were in vain', async () => {
  const org = twoEach(12, 13, 14);
  assert.equal((await runNight(org, '--max', '3')).code, 0);
  assert.equal('last_keep_ago' in (await statusOf(org)), false);
  assert.match((await org.orgrepo('status')).stdout, /3 discarded\n {11}nothing taken in 3 tries \(stops at 1000\)\n/);
});

test('what is merged with a best that was measured again names the experiment that it came from', async () => {
  const org = twoEach(9, 8);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  org.write('notes.txt', 'nothing to do with it\n');
  org.commit('notes');
  const ran = await runNight(org, '--max', '1');
  assert.deepEqual(
    ran.experiments.map(({ n, event, title }) => `#${n} ${event} ${title}`),
    ['#2 keep say it', '#3 keep #2 merged with best #1'],
  );
});
