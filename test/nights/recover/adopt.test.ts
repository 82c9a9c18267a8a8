import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  assertGoesOn,
  bestOf,
  cloneOf,
  everything,
  experimentsIn,
  ownRefs,
  publish,
  saidIn,
  somewhere,
} from '../../support/clone.ts';
import { makeOrg, root } from '../../support/org.ts';

const org = makeOrg();
after(() => org.remove());
assert.equal((await org.orgrepo('run', '--json', '--max', '8')).code, 0);
const remote = publish(org);

test('a run in a clone goes on with the org of its remote, and says what it took up', async () => {
  const clone = cloneOf(remote);
  const pushed = org.git('-C', remote, 'for-each-ref');
  const { score } = await bestOf(org);
  const [told] = await assertGoesOn(clone, org, ownRefs(org));
  assert.equal(told, `adopted from origin: 8 experiments, 2 notebooks, best ${score} (#7)`);
  assert.equal(org.git('-C', remote, 'for-each-ref'), pushed, 'nothing was pushed');
});

test('a plain clone shows what its remote had, says so, and writes nothing', async () => {
  const clone = cloneOf(remote);
  const note =
    'this clone has not adopted the org that origin has: shown as it was last fetched. Adopt it and go on: orgrepo run\n';
  for (const [args, shows] of [
    [
      ['status'],
      /as origin had it when it was last fetched: stopped .*[\s\S]*take it up and go on from the best: orgrepo run[\s\S]*tried {4}8: /,
    ],
    [['log', '--all'], /#8 [\s\S]*#1 /],
    [['report'], /RESULT {3}loss 126 -> /],
    [['show', '3'], /^#3 /],
    [['replay', '3'], /REPRODUCED/],
    [['verify'], /^8 experiments, .*: everything holds\n$/],
    [['plan'], /loss/],
    [['doctor'], /ok /],
  ] as const) {
    const { code, stdout, stderr } = await clone.orgrepo(...args);
    assert.equal(code, 0, args.join(' ') + stderr);
    assert.match(stdout, shows, args.join(' '));
    assert.equal(stderr.startsWith(note), true, `${args.join(' ')}: ${stderr}`);
  }
  const told = JSON.parse((await clone.orgrepo('status', '--json')).stdout) as Record<string, unknown>;
  assert.deepEqual([told.remote, told.state, told.tried], ['origin', 'stopped', 8]);
  assert.deepEqual(ownRefs(clone), []);
});

test('whatever writes the queue takes the org up first', async () => {
  const submitting = cloneOf(remote);
  const submitted = await submitting.orgrepo('submit', 'one more idea', '--json');
  assert.equal(submitted.code, 0, submitted.stderr);
  assert.match(submitted.stderr, /^adopted from origin: 8 experiments/);
  const last = Math.max(
    ...org.git('log', '--format=%(trailers:key=Org-Spec,valueonly)', 'orgrepo/queue').split('\n').map(Number),
  );
  assert.equal(Number((JSON.parse(submitted.stdout) as { id: string }).id) > last, true, 'its number is a new one');
  assert.equal((await submitting.orgrepo('status')).stderr, '');
  const pausing = cloneOf(remote);
  const paused = await pausing.orgrepo('pause', 'junior-1');
  assert.equal(paused.code, 0, paused.stderr);
  assert.match(paused.stderr, /^adopted from origin/);
  assert.equal((await pausing.orgrepo('verify')).code, 0);
});

test('a remote that has the branches alone is adopted, and what it has not got is said', async () => {
  const bare = path.join(somewhere(), 'branches.git');
  org.git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  org.git('push', '--quiet', bare, 'main', 'refs/heads/orgrepo/*');
  const clone = cloneOf(bare);
  const [, missing] = await assertGoesOn(
    clone,
    org,
    ownRefs(org).filter((line) => line.includes(' refs/heads/')),
  );
  const words = 'origin has none of refs/orgrepo/{wip}: what there was of it is not known here';
  assert.equal(missing, words);
});

test('a clone of one branch asks its remote, although it does not follow the branches of orgrepo', async () => {
  const clone = cloneOf(remote, '--single-branch');
  const { stdout, stderr } = await clone.orgrepo('status');
  assert.match(stdout, /never started/);
  assert.match(stderr, /does not follow the branches orgrepo\/\* of origin, so whether it has an org is not known/);
  await assertGoesOn(clone, org, ownRefs(org));
});

test('a shallow clone goes on too', async () => {
  const clone = cloneOf(`file://${remote}`, '--depth', '1');
  const ran = await clone.orgrepo('run', '--json', '--max', '3');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(Math.max(...(await experimentsIn(clone)).map(({ n }) => n)), 11);
  clone.git('fetch', '--quiet', '--unshallow');
  assert.match((await clone.orgrepo('verify')).stdout, /^11 experiments, .*: everything holds\n$/);
});

test('a remote that is gone: what was fetched before is adopted, and it is said', async () => {
  const gone = path.join(somewhere(), 'gone.git');
  org.git('clone', '--quiet', '--mirror', remote, gone);
  const [clone, narrow] = [cloneOf(gone), cloneOf(gone, '--single-branch')];
  rmSync(gone, { recursive: true });
  const [warning = ''] = await assertGoesOn(
    clone,
    org,
    ownRefs(org).filter((line) => line.includes(' refs/heads/')),
  );
  assert.match(warning, /^origin cannot be asked \(fatal: .*\): its org is adopted as it was last fetched$/);

  const anew = await narrow.orgrepo('run', '--json', '--max', '1');
  assert.equal(anew.code, 0, anew.stdout + anew.stderr);
  assert.match(saidIn(anew.stdout)[0] ?? '', /^origin cannot be asked whether it has an org .*: this one begins anew$/);
});

test('a remote without an org keeps nobody from a first night, and is not even asked where it had none', async () => {
  const fresh = path.join(somewhere(), 'fresh.git');
  org.git('init', '--quiet', '--bare', '--initial-branch=main', fresh);
  org.git('push', '--quiet', fresh, 'main');
  const [clone, offline, half] = [cloneOf(fresh), cloneOf(fresh), cloneOf(fresh, '--single-branch')];
  const ran = await clone.orgrepo('run', '--json', '--max', '1');
  assert.deepEqual([ran.code, saidIn(ran.stdout)], [0, []]);
  org.git('push', '--quiet', fresh, 'orgrepo/best');
  assert.match(
    saidIn((await half.orgrepo('run', '--json', '--max', '1')).stdout)[0] ?? '',
    /^origin has orgrepo\/best and no orgrepo\/queue/,
  );
  rmSync(fresh, { recursive: true });
  const alone = await offline.orgrepo('run', '--json', '--max', '1');
  assert.deepEqual([alone.code, saidIn(alone.stdout)], [0, []], alone.stderr);
});

test('an org goes to another machine and comes back, and each goes on from the other', async () => {
  const first = makeOrg();
  after(() => first.remove());
  assert.equal((await first.orgrepo('run', '--json', '--max', '3')).code, 0);
  const second = cloneOf(publish(first));
  assert.equal((await second.orgrepo('run', '--json', '--max', '3')).code, 0);
  second.git('push', '--quiet', '--atomic', 'origin', ...everything);
  assert.equal((await first.orgrepo('status')).stderr, '', 'nothing is asked over the network');
  first.git('fetch', '--quiet', 'origin');
  const { stdout, stderr } = await first.orgrepo('log');
  assert.equal(stderr, 'origin has gone on from what is here. Take that up and go on: orgrepo run\n');
  assert.match(stdout, /#3 /);
  const back = await first.orgrepo('run', '--json', '--max', '2');
  assert.equal(back.code, 0, back.stdout + back.stderr);
  assert.match(saidIn(back.stdout)[0] ?? '', /^adopted from origin: 6 experiments, \d+ notebooks?, best/);
  assert.deepEqual(
    (await experimentsIn(first)).map(({ n }) => n),
    [8, 7, 6, 5, 4, 3, 2, 1],
  );
  assert.deepEqual((await experimentsIn(first)).slice(2), await experimentsIn(second));
  assert.match((await first.orgrepo('verify')).stdout, /^8 experiments, .*: everything holds\n$/);
  first.git('push', '--quiet', '--atomic', 'origin', ...everything);
  const typed = `git push --atomic origin ${everything.map((spec) => `'${spec}'`).join(' ')}\n`;
  assert.equal(readFileSync(path.join(root, 'docs/git.md'), 'utf8').includes(typed), true, 'as people are told');
});

test('a run that had not ended elsewhere is told of with its host', async () => {
  const other = makeOrg();
  await other.orgrepo('run', '--json', '--max', '2');
  other.git('update-ref', 'refs/heads/orgrepo/queue', 'orgrepo/queue~1'); // As it is pushed while a run goes on.
  const clone = cloneOf(publish(other));
  other.remove();
  assert.match((await clone.orgrepo('status')).stdout, /running: it had not ended, and may run elsewhere/);
  const told = saidIn((await clone.orgrepo('run', '--json', '--max', '1')).stdout).join('\n');
  assert.match(told, /run \S+ on \S+ had not ended\. Should it still run there, stop it/);
});
