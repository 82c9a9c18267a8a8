import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ensureWorktree, gitFileChanged, pointWorktree, repairGitFile } from '../../src/git/worktree.ts';
import { makeRepo } from '../support/repo.ts';

test('twenty benches made at once are all whole, and a person’s git status does not see them', async () => {
  const made = await makeRepo();
  try {
    const tip = made.git('rev-parse', 'main').trim();
    const names = Array.from({ length: 20 }, (_, index) => `junior-${index + 1}`);
    const benches = await Promise.all(names.map((name) => ensureWorktree(made.repo, name, tip)));
    for (const bench of benches)
      assert.equal(readFileSync(path.join(bench.dir, '.git'), 'utf8'), `gitdir: ${bench.adminDir}\n`);
    assert.deepEqual(readdirSync(path.join(made.dir, '.worktrees')).sort(), [...names].sort());
    assert.equal(made.git('worktree', 'list').trim().split('\n').length, 21);
    assert.equal(made.git('status', '--porcelain'), '');
    assert.equal(made.git('fsck', '--no-dangling'), '');
  } finally {
    await made.close();
  }
});

test('a bench that is there and whole is taken as it is; a broken one is made anew', async () => {
  const made = await makeRepo();
  try {
    const tip = made.git('rev-parse', 'main').trim();
    const bench = await ensureWorktree(made.repo, 'junior-1', tip);
    writeFileSync(path.join(bench.dir, 'left'), 'here');
    assert.deepEqual(await ensureWorktree(made.repo, 'junior-1', tip), bench);
    assert.equal(existsSync(path.join(bench.dir, 'left')), true);
    const breakers: readonly (readonly [string, () => void])[] = [
      ['deleted', () => rmSync(bench.dir, { recursive: true })],
      ['its .git points elsewhere', () => writeFileSync(path.join(bench.dir, '.git'), 'gitdir: /tmp/evil\n')],
      ['git forgot it', () => rmSync(path.join(made.repo.gitDir, 'worktrees'), { recursive: true })],
      ['an add that did not finish', () => writeFileSync(path.join(bench.adminDir, 'locked'), 'initializing')],
      ['HEAD was emptied', () => writeFileSync(path.join(bench.adminDir, 'HEAD'), '')],
      [
        'deleted and pruned',
        () => {
          rmSync(bench.dir, { recursive: true });
          made.git('worktree', 'prune');
        },
      ],
    ];
    for (const [name, breakIt] of breakers) {
      breakIt();
      const again = await ensureWorktree(made.repo, 'junior-1', tip);
      assert.equal(gitFileChanged(again), false, name);
      assert.equal(made.git('worktree', 'list').trim().split('\n').length, 2, name);
      await pointWorktree(made.repo, again, tip);
      assert.equal(made.git('-C', again.dir, 'rev-parse', 'HEAD').trim(), tip, name);
    }
  } finally {
    await made.close();
  }
});

test('the .git file of a bench is put right, whatever somebody made of it, without being followed or waited for', async () => {
  const made = await makeRepo();
  try {
    const bench = await ensureWorktree(made.repo, 'junior-1', made.git('rev-parse', 'main').trim());
    const file = path.join(bench.dir, '.git');
    repairGitFile(bench);
    assert.equal(gitFileChanged(bench), false);
    const breakers: readonly (readonly [string, () => void])[] = [
      ['other text', () => writeFileSync(file, 'gitdir: /tmp/evil\n')],
      ['nothing', () => {}],
      ['a pipe', () => execFileSync('mkfifo', [file])],
      ['a link to something endless', () => symlinkSync('/dev/zero', file)],
      ['a link to what it should be', () => symlinkSync(path.join(bench.adminDir, 'gitdir'), file)],
      ['a directory', () => mkdirSync(path.join(file, 'hooks'), { recursive: true })],
    ];
    for (const [name, breakIt] of breakers) {
      rmSync(file, { recursive: true, force: true });
      breakIt();
      assert.equal(gitFileChanged(bench), true, name);
      repairGitFile(bench);
      assert.equal(gitFileChanged(bench), false, name);
    }
    assert.equal(made.git('-C', bench.dir, 'rev-parse', '--git-dir').trim(), bench.adminDir);
  } finally {
    await made.close();
  }
});
