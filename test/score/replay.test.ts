import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { noiseWithin } from '../../src/score/measure/measure-again.ts';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';

const agent = scriptAgent([
  say('echo "loss: 8"', 'less'),
  say('exit 1', 'crash'),
  'echo nothing was done',
  say('sleep 20; echo "loss: 1"', 'slow'),
  say('echo "loss: 9$(od -An -N6 -tu2 /dev/urandom | tr -d " ")"', 'whatever comes'),
]);
const org = obedientOrg(agent.brief, {
  budget: '{ experiment: 1s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
});
after(() => org.remove());

/** The experiments that were measured: on a busy machine a timeout is void, and then there is nothing to compare. */
const measured = async (): Promise<readonly number[]> =>
  (await org.orgrepo('log', '--json')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { n: number; event: string })
    .filter(({ event }) => event !== 'unchanged' && event !== 'void')
    .map(({ n }) => n)
    .sort((a, b) => a - b);

test('replay --all measures everything again, counts apart what never was, and fails when one comes out otherwise', async () => {
  assert.equal((await org.orgrepo('run', '--json', '--max', '4')).code, 0);
  const same = await measured();
  assert.deepEqual(same.slice(0, 2), [1, 2]);
  const all = await org.orgrepo('replay', '--all');
  assert.equal(all.code, 0);
  assert.match(
    all.stdout,
    new RegExp(`^${same.length} of ${same.length} reproduced, ${4 - same.length} (was|were) never measured$`, 'm'),
  );
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  const { code, stdout } = await org.orgrepo('replay', '--all');
  assert.equal(code, 1);
  assert.match(stdout, /^#5 {2}measured \d+ {3}recorded \d+ {3}DIFFERS$/m);
  assert.match(stdout, new RegExp(`^${same.length} of ${same.length + 1} reproduced`, 'm'));
  const lines = (await org.orgrepo('replay', '--all', '--json')).stdout.trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    told.map(({ schema, n, reproduced }) => [schema, n, reproduced]),
    [
      ...same.map((n) => ['orgrepo/replay@1', n, true]),
      ['orgrepo/replay@1', 5, false],
      ['orgrepo/replays@1', undefined, same.length],
    ],
  );
});

test('replay takes a number or --all', async () => {
  for (const args of [['replay'], ['replay', '1', '--all']]) {
    const { code, stderr } = await org.orgrepo(...args);
    assert.equal(code, 64);
    assert.match(stderr, /a number or --all/);
  }
});

test('a noisy score is reproduced within the spread of its own samples', () => {
  const samples = [148, 162, 205, 241, 268, 290, 336, 283].map((kilo) => kilo * 1_000);
  const calm = { squares: 15_000 ** 2 * 8, count: 8 };
  assert.ok(noiseWithin(calm, samples) > 278_234 - 241_644, 'though the calibration was calmer');
  assert.equal(noiseWithin(undefined, samples), 0);
  assert.equal(Math.round(noiseWithin(calm, [1, 1, 1, 1])), 22_500, 'three spreads of a mean of four');
});
