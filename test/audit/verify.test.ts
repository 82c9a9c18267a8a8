import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { bundleVariant } from '../kill/variants.ts';
import { forget, verify } from '../support/forge.ts';
import { bundle, makeOrg, type TestOrg } from '../support/org.ts';

const org = makeOrg();
const ran = await org.orgrepo('run', '--json', '--max', '8');
const elsewhere = mkdtempSync(path.join(tmpdir(), 'orgrepo-verify-'));
after(() => {
  org.remove();
  rmSync(elsewhere, { recursive: true, force: true });
});

const holds = { code: 0, findings: [] };
const verifyIn = (dir: string) => verify({ orgrepo: (...args) => org.orgrepo(...args, '-C', dir) });

test('where nothing has run there is nothing to verify', async () => {
  const fresh = makeOrg();
  const said = await fresh.orgrepo('verify');
  fresh.remove();
  assert.deepEqual(said, {
    code: 0,
    stdout: '0 experiments, 0 keep verdicts, 0 commits, 0 objects: everything holds\n',
    stderr: 'nothing has run here: there is nothing to verify\n',
  });
});

test('what a night wrote holds, and is counted', async () => {
  assert.equal(ran.code, 0, ran.stderr);
  const { code, stdout } = await org.orgrepo('verify');
  assert.equal(code, 0);
  assert.match(stdout, /^8 experiments, \d+ keep verdicts?, \d+ commits, \d+ objects: everything holds\n$/);
  const told = JSON.parse((await org.orgrepo('verify', '--json')).stdout) as Record<string, unknown>;
  assert.deepEqual([told.schema, told.holds, told.experiments], ['orgrepo/verify@1', true, 8]);
});

test('a clone has branches of a remote only, and they hold', async () => {
  const dir = path.join(elsewhere, 'clone');
  org.git('clone', '--quiet', org.dir, dir);
  const { stdout } = await org.orgrepo('verify', '-C', dir);
  assert.match(stdout, /^8 experiments, .*: everything holds\n$/);
  org.git('-C', dir, 'switch', '--quiet', 'orgrepo/best'); // Makes a branch here, and only that.
  assert.deepEqual(await verifyIn(dir), holds);
});

test('a shallow clone is told to fetch the rest', async () => {
  const dir = path.join(elsewhere, 'shallow');
  org.git('clone', '--quiet', '--depth', '1', `file://${org.dir}`, dir);
  const { code, stderr } = await org.orgrepo('verify', '-C', dir);
  assert.equal(code, 5);
  assert.match(stderr, /shallow clone[\s\S]*git fetch --unshallow/);
});

test('people may commit to the queue by hand, and submit', async () => {
  const dir = path.join(elsewhere, 'by-hand');
  org.git('worktree', 'add', '--quiet', dir, 'orgrepo/queue');
  spawnSync('sh', ['-c', 'echo hello > note.md; git add note.md; git commit --quiet -m "a note of mine"'], {
    cwd: dir,
  });
  org.git('worktree', 'remove', dir);
  assert.equal((await org.orgrepo('submit', 'try something else')).code, 0);
  assert.deepEqual(await verify(org), holds);
});

test('a branch that is taken away or moved back is missed, also in a clone that never ran', async () => {
  const tips = new Map(
    ['best', 'queue', 'reports'].map((name) => [name, org.git('rev-parse', `orgrepo/${name}`).trim()]),
  );
  for (const [name, tip] of tips) {
    for (const change of [
      ['update-ref', `refs/heads/orgrepo/${name}`, `${tip}~1`],
      ['update-ref', '-d', `refs/heads/orgrepo/${name}`],
    ]) {
      org.git(...change);
      const { code, findings } = await verify(org);
      org.git('update-ref', `refs/heads/orgrepo/${name}`, tip);
      assert.equal(code, 5, change.join(' '));
      assert.equal(findings.length > 0, true);
    }
  }
  assert.deepEqual(await verify(org), holds);
  forget(org);
  org.git('update-ref', 'refs/heads/orgrepo/best', `${tips.get('best')}~1`);
  const { code } = await verify(org);
  org.git('update-ref', 'refs/heads/orgrepo/best', tips.get('best') ?? '');
  assert.equal(code, 5);
});

test('a history without seals may go on with them, and not the other way about', async () => {
  const before = await bundleVariant(
    { name: 'unsealed', mistake: '', file: 'src/records/entry.ts', replace: 'commit + sealLine(commit)', by: 'commit' },
    path.join(elsewhere, 'unsealed'),
  );
  const old: TestOrg = makeOrg();
  const runWith = (program: string, seed: string): void => {
    const night = spawnSync(process.execPath, [program, 'run', '--json', '--max', '3', '--seed', seed], {
      cwd: old.dir,
    });
    assert.equal(night.status, 0, night.stderr.toString());
  };
  runWith(before, '1');
  assert.equal(old.git('log', '--format=%B', 'orgrepo/best').includes('Org-Seal'), false);
  assert.deepEqual(await verify(old), holds);
  runWith(bundle, '2');
  assert.deepEqual(await verify(old), holds);
  runWith(before, '3');
  const { code, findings } = await verify(old);
  old.remove();
  assert.equal(code, 5);
  assert.equal(findings[0]?.what, 'the commit has no seal, and those before it have');
});
