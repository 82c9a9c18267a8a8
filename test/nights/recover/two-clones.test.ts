import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { after, test } from 'node:test';
import { type Clone, cloneOf, everything, experimentsIn, publish, saidIn, somewhere } from '../../support/clone.ts';
import { verify } from '../../support/forge.ts';
import { makeOrg } from '../../support/org.ts';

const org = makeOrg();
after(() => org.remove());

/** A remote with a trunk and no org. */
function freshRemote(): string {
  const remote = path.join(somewhere(), 'org.git');
  org.git('init', '--quiet', '--bare', '--initial-branch=main', remote);
  org.git('push', '--quiet', remote, 'main');
  return remote;
}

/** Both clones run before either pushes; whether the second push was refused. */
async function bothRun(remote: string, flags: readonly string[], most: readonly string[] = ['8', '8']) {
  const clones = [cloneOf(remote), cloneOf(remote)];
  for (const [index, clone] of clones.entries()) {
    const ran = await clone.orgrepo('run', '--json', '--max', most[index] ?? '', '--seed', String(index + 1));
    assert.equal(ran.code, 0, ran.stderr);
  }
  const pushes = clones.map(
    ({ dir }) => spawnSync('git', ['push', '--quiet', ...flags, 'origin', ...everything], { cwd: dir }).status,
  );
  assert.deepEqual([pushes[0], pushes[1] === 0], [0, false], 'the second push is refused');
}

/** A third clone takes the org up and goes on. Gives what it was told of refs that do not fit. */
async function thirdRuns(remote: string): Promise<{ readonly third: Clone; readonly told: readonly string[] }> {
  const third = cloneOf(remote);
  const ran = await third.orgrepo('run', '--json', '--max', '4', '--seed', '3');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.deepEqual(await verify(third), { code: 0, findings: [] });
  const numbers = (await experimentsIn(third)).map(({ n }) => n).sort((a, b) => a - b);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    'every number is given once',
  );
  return { third, told: saidIn(ran.stdout).filter((one) => one.includes('--atomic')) };
}

test('the documented push is refused whole after another clone has pushed', async () => {
  const remote = freshRemote();
  await bothRun(remote, ['--atomic']);
  assert.deepEqual((await thirdRuns(remote)).told, []);
});

test('a saved candidate of another history is not adopted, and nothing is lost', async () => {
  const remote = freshRemote();
  await bothRun(remote, []);
  const { third, told } = await thirdRuns(remote);
  assert.equal(told.length, 1);
  const [, ref = ''] = /it is kept as (refs\/orgrepo-aside\/\S+)\)/.exec(told[0] ?? '') ?? [];
  assert.match(
    told[0] ?? '',
    /^saved work of another clone is not adopted: refs\/orgrepo\/wip\/0002 \(it was built on [0-9a-f]{7}, which is not in its notebook; /,
  );
  assert.equal(third.git('log', '-1', '--format=%(trailers:key=Org-Event,valueonly,separator=)', ref).trim(), 'try');
  const again = await third.orgrepo('run', '--json', '--max', '1');
  assert.equal(again.stdout.includes('--atomic'), false, 'it is said once');
});

test('a notebook that the queue of the remote does not know stays there', async () => {
  const remote = freshRemote();
  await bothRun(remote, [], ['4', '14']);
  const { third, told } = await thirdRuns(remote);
  assert.match(told[0] ?? '', /^left on origin: orgrepo\/work\/000\d \(its queue has no claim of 000\d\)/);
  assert.equal(third.git('fsck', '--no-dangling'), '');
});

test('two clones that went on from one org give no number twice', async () => {
  const first = makeOrg();
  after(() => first.remove());
  assert.equal((await first.orgrepo('run', '--json', '--max', '5')).code, 0);
  for (const flags of [['--atomic'], []]) {
    const remote = publish(first);
    first.git('remote', 'remove', 'origin');
    await bothRun(remote, flags);
    assert.equal((await thirdRuns(remote)).told.length, flags.length === 0 ? 1 : 0);
  }
});

test('a notebook that was pushed without its queue is adopted as far as the queue knows it', async () => {
  const first = makeOrg();
  after(() => first.remove());
  assert.equal((await first.orgrepo('run', '--json', '--max', '3')).code, 0);
  const remote = publish(first);
  const other = cloneOf(remote);
  assert.equal((await other.orgrepo('run', '--json', '--max', '1')).code, 0);
  other.git('push', '--quiet', 'origin', 'refs/heads/orgrepo/work/*');
  const { told } = await thirdRuns(remote);
  assert.match(told[0] ?? '', /orgrepo\/work\/0001 beyond [0-9a-f]{7} \(where the last run of its queue left it\)/);
});
