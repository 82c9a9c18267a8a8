import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { descendsFrom, diffText, mergeTrees } from '../../src/git/merge.ts';
import { newCommit } from '../../src/git/objects/commit.ts';
import { storeObject } from '../../src/git/objects/tree.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Three branches from one base, by id: two that change different lines, and one that changes the same line as the first. */
function branchOff(made: TestRepo): Readonly<Record<'base' | 'first' | 'last' | 'rival', string>> {
  const commit = (branch: string, line: number): void => {
    made.git('checkout', '--quiet', '-B', branch, 'base');
    const text = lines.map((word, index) => (index === line ? `${word} by ${branch}` : word)).join('\n');
    writeFileSync(path.join(made.dir, 'sandbox/a b.txt'), `${text}\n`);
    made.git('commit', '--quiet', '-a', '-m', branch);
  };
  mkdirSync(path.join(made.dir, 'sandbox'));
  writeFileSync(path.join(made.dir, 'sandbox/a b.txt'), `${lines.join('\n')}\n`);
  made.git('add', '-A');
  made.git('commit', '--quiet', '-m', 'base');
  made.git('branch', 'base');
  commit('first', 1);
  commit('last', 7);
  commit('rival', 1);
  made.git('checkout', '--quiet', 'main');
  const id = (name: string): string => made.git('rev-parse', name).trim();
  return { base: id('base'), first: id('first'), last: id('last'), rival: id('rival') };
}

test('changes to different lines merge in memory into the tree that git merge makes, and no file moves', async () => {
  const made = await makeRepo();
  try {
    const { first, last } = branchOff(made);
    const merged = await mergeTrees(made.repo, first, last);
    assert.equal(made.git('status', '--porcelain'), '');
    assert.equal(readFileSync(path.join(made.dir, 'sandbox/a b.txt'), 'utf8'), `${lines.join('\n')}\n`);
    made.git('checkout', '--quiet', 'first');
    made.git('merge', '--quiet', '-m', 'merged', 'last');
    assert.deepEqual(merged, { kind: 'clean', tree: made.git('rev-parse', 'HEAD^{tree}').trim() });
  } finally {
    await made.close();
  }
});

test('what a gc has taken for garbage before a ref named it is written again, and merged', async () => {
  const made = await makeRepo();
  try {
    const { base, first, last } = branchOff(made);
    const somebody = { name: 'somebody', email: 'somebody@example.invalid', at: 0 };
    const tree = made.git('rev-parse', `${last}^{tree}`).trim();
    const commit = { tree, parents: [base], author: somebody, committer: somebody, message: 'a try\n' };
    const tried = storeObject(made.repo, newCommit(made.repo.hash, commit));
    await made.repo.store.flush();
    rmSync(path.join(made.dir, '.git/objects', tried.slice(0, 2), tried.slice(2)));
    assert.deepEqual(await mergeTrees(made.repo, first, tried), await mergeTrees(made.repo, first, last));
    await assert.rejects(mergeTrees(made.repo, first, '1'.repeat(40)), { code: 'git/failed' });
  } finally {
    await made.close();
  }
});

test('changes to the same line are a conflict that names the file', async () => {
  const made = await makeRepo();
  try {
    const { first, rival } = branchOff(made);
    assert.deepEqual(await mergeTrees(made.repo, first, rival), { kind: 'conflict', paths: ['sandbox/a b.txt'] });
  } finally {
    await made.close();
  }
});

test('who is whose ancestor is answered, and a name that is none is a problem', async () => {
  const made = await makeRepo();
  try {
    const { base, first, last } = branchOff(made);
    assert.deepEqual(
      [await descendsFrom(made.repo, first, base), await descendsFrom(made.repo, last, first)],
      [true, false],
    );
    await assert.rejects(descendsFrom(made.repo, first, '0'.repeat(40)), { code: 'git/failed' });
  } finally {
    await made.close();
  }
});

test("a diff is git's own text, and runs no program that the repository names", async () => {
  const made = await makeRepo();
  try {
    const { base, first } = branchOff(made);
    const marker = path.join(made.dir, 'ran');
    made.git('config', 'diff.external', `touch ${marker};`);
    made.git('config', 'diff.evil.textconv', `touch ${marker};cat`);
    writeFileSync(path.join(made.repo.gitDir, 'info/attributes'), '* diff=evil filter=evil\n');
    made.git('config', 'filter.evil.smudge', `touch ${marker};cat`);
    const text = await diffText(made.repo, base, first);
    assert.equal(text.includes('-two\n+two by first\n'), true, text);
    assert.throws(() => readFileSync(marker), { code: 'ENOENT' });
  } finally {
    await made.close();
  }
});
