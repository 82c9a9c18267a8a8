import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { bundleVariant } from '../../kill/variants.ts';
import {
  assertGoesOn,
  cloneOf,
  everything,
  experimentsIn,
  fetched,
  ownRefs,
  publish,
  saidIn,
  somewhere,
} from '../../support/clone.ts';
import { makeOrg } from '../../support/org.ts';

const org = makeOrg();
after(() => org.remove());
assert.equal((await org.orgrepo('run', '--json', '--max', '8')).code, 0);
const remote = publish(org);

for (const [when, at] of [
  ['after the first notebook', "if (ref.startsWith('refs/heads/orgrepo/work/'))"],
  ['just before the queue', "if (ref === 'refs/heads/orgrepo/best')"],
] as const)
  test(`who is killed ${when} has adopted nothing, and the next run adopts all of it`, async () => {
    const variant = {
      ...{ name: 'killed', mistake: 'it is killed', file: 'src/steps/recover/adopt-remote.ts' },
      replace: 'settled.add(ref);',
      by: `settled.add(ref); ${at} process.kill(process.pid, 'SIGKILL');`,
    };
    const program = await bundleVariant(variant, path.join(somewhere(), 'dist'));
    const clone = cloneOf(remote);
    assert.equal(clone.by(program, 'run', '--max', '1').code, null);
    assert.equal(ownRefs(clone).length > 0, true);
    assert.match((await clone.orgrepo('status')).stdout, /as origin had it/);
    assert.match((await clone.orgrepo('verify')).stdout, /^8 experiments, .*: everything holds\n$/);
    await assertGoesOn(clone, org, ownRefs(org));
  });

test('who is killed just after the queue has adopted all of it, and what was fetched beside it is swept away', async () => {
  const program = await bundleVariant(
    {
      ...{ name: 'killed', mistake: 'it is killed', file: 'src/steps/recover/adopt-remote.ts' },
      replace: 'repo.standIn?.end();',
      by: "process.kill(process.pid, 'SIGKILL');",
    },
    path.join(somewhere(), 'dist'),
  );
  const clone = cloneOf(remote);
  assert.equal(clone.by(program, 'run', '--max', '1').code, null);
  assert.deepEqual(ownRefs(clone), ownRefs(org));
  assert.notEqual(fetched(clone), '');
  await assertGoesOn(clone, org, ownRefs(org));
});

test('a killed one, and a remote that has gone on since: the newer commits are taken', async () => {
  const program = await bundleVariant(
    {
      ...{ name: 'killed', mistake: 'it is killed', file: 'src/steps/recover/adopt-remote.ts' },
      replace: 'await checkSettled(org, settled);',
      by: "process.kill(process.pid, 'SIGKILL');",
    },
    path.join(somewhere(), 'dist'),
  );
  const other = makeOrg();
  after(() => other.remove());
  await other.orgrepo('run', '--json', '--max', '3');
  const far = publish(other);
  const clone = cloneOf(far);
  assert.equal(clone.by(program, 'run', '--max', '1').code, null);
  await other.orgrepo('run', '--json', '--max', '5');
  other.git('push', '--quiet', 'origin', ...everything);
  const wip = other.git('rev-parse', 'refs/orgrepo/wip/0001');
  await clone.orgrepo('submit', 'an idea');
  assert.equal(clone.git('rev-parse', 'refs/orgrepo/wip/0001'), wip);
  assert.deepEqual(await experimentsIn(clone), await experimentsIn(other));
  assert.equal((await clone.orgrepo('verify')).code, 0);
});

test('a branch of the same name that somebody made here is never overwritten', async () => {
  const clone = cloneOf(remote);
  clone.git('switch', '--quiet', 'orgrepo/best');
  clone.git('commit', '--quiet', '--allow-empty', '-m', 'mine');
  clone.git('reset', '--quiet', '--hard', 'HEAD~2');
  clone.git('commit', '--quiet', '--allow-empty', '-m', 'mine');
  const mine = clone.git('rev-parse', 'orgrepo/best');
  clone.git('switch', '--quiet', 'main');
  const { code, stderr } = await clone.orgrepo('run', '--max', '1');
  assert.equal(code, 6, stderr);
  assert.match(stderr, /orgrepo\/best is at \w{7} here and at \w{7} on origin, and neither goes on from the other/);
  assert.equal(clone.git('rev-parse', 'orgrepo/best'), mine);
  const [, hint = ''] = /run again: (.*)\n/.exec(stderr) ?? [];
  for (const command of hint.split(' && ')) clone.git(...command.split(' ').slice(1));
  await assertGoesOn(clone, org, ownRefs(org));
});

test('what a hostile remote has besides is left there, and what is no commit is refused', async () => {
  const hostile = path.join(somewhere(), 'hostile.git');
  org.git('clone', '--quiet', '--mirror', remote, hostile);
  const inIt = (...args: string[]): string => org.git('-C', hostile, ...args);
  inIt('update-ref', 'refs/orgrepo/evil/one', 'refs/heads/main');
  inIt('update-ref', 'refs/heads/orgrepo/work/x', 'refs/heads/main');
  const clone = cloneOf(hostile);
  const said = saidIn((await clone.orgrepo('run', '--json', '--max', '1')).stdout);
  assert.equal(
    said.includes(
      'left where they are, because orgrepo makes no such refs: refs/heads/orgrepo/work/x, refs/orgrepo/evil/one',
    ),
    true,
    said.join('\n'),
  );
  assert.deepEqual(
    ownRefs(clone).filter((line) => /evil|work\/x/.test(line)),
    [],
  );
  assert.equal((await clone.orgrepo('verify')).code, 0);

  inIt('update-ref', 'refs/orgrepo/applied', inIt('rev-parse', 'refs/heads/main^{tree}').trim());
  const other = cloneOf(hostile);
  const refused = await other.orgrepo('run', '--max', '1');
  assert.equal(refused.code, 5, refused.stderr);
  assert.match(refused.stderr, /refs\/orgrepo\/applied of origin is at \w{7}, which is not a commit/);
  assert.equal(fetched(other), '');
});

test('objects that git would not take from a stranger are not taken from a remote', async () => {
  const hostile = path.join(somewhere(), 'hostile.git');
  org.git('clone', '--quiet', '--mirror', remote, hostile);
  const blob = org.git('-C', hostile, 'hash-object', '-w', '-t', 'blob', '/dev/null').trim();
  const tree = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  const hash = ['hash-object', '-w', '--literally', '-t', 'tree', '--stdin'];
  const id = spawnSync('git', ['-C', hostile, ...hash], { input: tree, encoding: 'utf8' }).stdout.trim();
  const commit = org
    .git('-C', hostile, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit-tree', id, '-m', 'x')
    .trim();
  org.git('-C', hostile, 'update-ref', 'refs/orgrepo/wip/0009', commit);
  const clone = cloneOf(`file://${hostile}`);
  const [said = ''] = saidIn((await clone.orgrepo('run', '--json', '--max', '1')).stdout);
  assert.match(said, /^origin cannot be asked \(.*hasDotgit.*\): its org is adopted as it was last fetched$/);
  assert.throws(() => clone.git('cat-file', '-e', commit));
});

test("a person's hooks are not run by it", async () => {
  const clone = cloneOf(remote);
  const marker = path.join(somewhere(), 'ran');
  const hook = path.join(clone.dir, '.git/hooks/reference-transaction');
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  await clone.orgrepo('submit', 'an idea');
  assert.equal(ownRefs(clone).length > 0, true);
  assert.equal(existsSync(marker), false);
  clone.git('update-ref', 'refs/heads/other', 'HEAD');
  assert.equal(existsSync(marker), true, 'the hook is one that git would run');
});
