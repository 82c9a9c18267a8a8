import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { cloneOf, publish } from '../support/clone.ts';
import { verify } from '../support/forge.ts';
import { factsIn, spawnNight } from '../support/night.ts';

const org = anOrg();
after(() => org.remove());
const holds = { code: 0, findings: [] };

test('no run begins while the org is frozen, here and in a clone', async () => {
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  const frozen = await org.orgrepo('freeze', '--reason', 'the numbers look wrong');
  assert.deepEqual(
    [frozen.code, /has frozen the org since .*: the numbers look wrong\. Lift it/.test(frozen.stdout)],
    [0, true],
  );
  const before = org.git('rev-parse', 'orgrepo/queue');
  const refused = await org.orgrepo('run', '--max', '1');
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /has frozen the org since .* UTC: the numbers look wrong[\s\S]*orgrepo thaw/);
  assert.equal(org.git('rev-parse', 'orgrepo/queue'), before, 'nothing is written');
  const clone = cloneOf(publish(org));
  assert.equal((await clone.orgrepo('run', '--max', '1')).code, 3);
  org.git('remote', 'remove', 'origin');
});

test('status says who froze the org and why, and how to lift it', async () => {
  const { needs_you } = JSON.parse((await org.orgrepo('status', '--json')).stdout) as {
    needs_you: { what: string; command: string }[];
  };
  assert.deepEqual(
    needs_you
      .filter(({ command }) => command === 'orgrepo thaw')
      .map(({ what }) => /frozen the org.*the numbers look wrong/.test(what)),
    [true],
  );
  assert.match((await org.orgrepo('log', '--format', 'tsv')).stdout, /./, 'reading goes on');
});

test('a second freeze changes nothing, and a freeze without a reason is refused', async () => {
  const tip = org.git('rev-parse', 'orgrepo/queue');
  assert.equal((await org.orgrepo('freeze', '--reason', 'again')).code, 0);
  assert.equal(org.git('rev-parse', 'orgrepo/queue'), tip);
  const unexplained = await org.orgrepo('freeze');
  assert.equal(unexplained.code, 64);
  assert.match(unexplained.stderr, /freeze --reason "/);
});

test('a thaw lets runs begin again, and verify accepts the history', async () => {
  assert.equal((await org.orgrepo('thaw', '--reason', 'it was the disk')).code, 0);
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  assert.deepEqual(await verify(org), holds);
  const again = await org.orgrepo('thaw');
  assert.deepEqual([again.code, /the org is not frozen/.test(again.stderr)], [64, true]);
});

test('a run that goes on ends when the org is frozen', async () => {
  const running = anOrg();
  const run = spawnNight(running, 'run', '--json', '--max', '400');
  let frozen: Promise<unknown> | undefined;
  run.child.stdout?.on('data', () => {
    if (factsIn(run.said()).some(({ fact }) => fact === 'experiment'))
      frozen ??= running.orgrepo('freeze', '--reason', 'stop it all');
  });
  await run.ended;
  await frozen;
  assert.ok(factsIn(run.said()).filter(({ fact }) => fact === 'experiment').length < 400);
  assert.equal((await running.orgrepo('run', '--max', '1')).code, 3);
  assert.deepEqual(await verify(running), holds);
  running.remove();
});

test('a pause before a run holds for the run, and resume lifts it', async () => {
  const paused = await org.orgrepo('pause', '--reason', 'let me look first');
  assert.deepEqual([paused.code, /the next run waits until you type: .*orgrepo resume/.test(paused.stdout)], [0, true]);
  const { needs_you } = JSON.parse((await org.orgrepo('status', '--json')).stdout) as { needs_you: { what: string }[] };
  assert.ok(
    needs_you.some(({ what }) => /paused the org: let me look first/.test(what)),
    JSON.stringify(needs_you),
  );
  assert.equal((await org.orgrepo('resume')).code, 0);
  const [tried] = factsIn((await org.orgrepo('run', '--json', '--max', '1')).stdout).filter(
    ({ fact }) => fact === 'experiment',
  );
  assert.ok(tried);
  const nothing = await org.orgrepo('resume');
  assert.deepEqual([nothing.code, /nothing runs here, and nothing is paused/.test(nothing.stderr)], [64, true]);
});
