import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { lookUpRef, moveLooseRef } from '../../src/git/refs/ref-files.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

const ref = 'refs/heads/orgrepo/best';

async function withRefs(use: (made: TestRepo, gitDir: string, commits: readonly string[]) => void): Promise<void> {
  const made = await makeRepo();
  const commits = ['one', 'two', 'three'].map((word) =>
    made.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', word).trim(),
  );
  try {
    mkdirSync(path.join(made.repo.gitDir, 'refs/heads/orgrepo'), { recursive: true });
    use(made, made.repo.gitDir, commits);
    assert.equal(existsSync(path.join(made.repo.gitDir, `${ref}.lock`)), false, 'no lock is left');
  } finally {
    await made.close();
  }
}

test('a ref is made and moved as git does it, and git sees each step', () =>
  withRefs((made, gitDir, [one = '', two = '']) => {
    assert.equal(lookUpRef(gitDir, ref), 'absent');
    assert.equal(moveLooseRef(gitDir, ref, one, undefined), true);
    assert.equal(made.git('rev-parse', ref).trim(), one);
    assert.equal(moveLooseRef(gitDir, ref, two, one), true);
    assert.deepEqual([made.git('rev-parse', ref).trim(), lookUpRef(gitDir, ref)], [two, two]);
    made.git('update-ref', ref, one, two);
    assert.equal(lookUpRef(gitDir, ref), one);
  }));

test('a ref that is not where it was thought to be stays where it is', () =>
  withRefs((made, gitDir, [one = '', two = '', three = '']) => {
    made.git('update-ref', ref, one);
    assert.equal(moveLooseRef(gitDir, ref, three, two), false);
    assert.equal(moveLooseRef(gitDir, ref, three, undefined), false);
    assert.equal(made.git('rev-parse', ref).trim(), one);
  }));

test('a packed ref is read here and moved by git', () =>
  withRefs((made, gitDir, [one = '', two = '']) => {
    made.git('update-ref', ref, one);
    made.git('pack-refs', '--all', '--prune');
    mkdirSync(path.join(gitDir, 'refs/heads/orgrepo'), { recursive: true });
    assert.equal(lookUpRef(gitDir, ref), one);
    assert.equal(moveLooseRef(gitDir, ref, two, one), false);
    assert.equal(moveLooseRef(gitDir, ref, two, undefined), false, 'a packed ref is not made a second time');
    assert.equal(moveLooseRef(gitDir, `${ref}/below`, two, undefined), false, 'nor is one made below it');
    assert.equal(made.git('rev-parse', ref).trim(), one);
  }));

test('a lock of somebody else is respected and left alone', () =>
  withRefs((made, gitDir, [one = '', two = '']) => {
    made.git('update-ref', ref, one);
    const other = 'refs/heads/orgrepo/other';
    made.git('update-ref', other, one);
    writeFileSync(path.join(gitDir, `${other}.lock`), 'mine');
    assert.equal(moveLooseRef(gitDir, other, two, one), false);
    assert.equal(readFileSync(path.join(gitDir, `${other}.lock`), 'utf8'), 'mine');
  }));

test('what is no plain id is left to git: a symbolic ref, an emptied file, a ref with a log', () =>
  withRefs((made, gitDir, [one = '', two = '']) => {
    made.git('symbolic-ref', ref, 'refs/heads/main');
    assert.equal(lookUpRef(gitDir, ref), undefined);
    assert.equal(moveLooseRef(gitDir, ref, two, made.git('rev-parse', 'main').trim()), false);
    writeFileSync(path.join(gitDir, ref), '');
    assert.equal(lookUpRef(gitDir, ref), undefined);
    const logged = 'refs/heads/orgrepo/logged';
    made.git('update-ref', '--create-reflog', logged, one);
    assert.equal(moveLooseRef(gitDir, logged, two, one), false);
    writeFileSync(path.join(gitDir, ref), `${one}\n`);
  }));
