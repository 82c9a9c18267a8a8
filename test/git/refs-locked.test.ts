import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isProblem } from '../../src/text/problem.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

const someCommit = (made: TestRepo): string => made.git('commit-tree', 'main^{tree}', '-m', 'some').trim();

test('a lock that somebody holds is waited for', async () => {
  const made = await makeRepo();
  try {
    const first = someCommit(made);
    const lock = path.join(made.repo.gitDir, 'refs/heads/orgrepo/best.lock');
    mkdirSync(path.dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    const moving = made.repo.refs.move('refs/heads/orgrepo/best', first, undefined);
    await wait(400);
    assert.equal(made.git('for-each-ref', 'refs/heads/orgrepo'), '');
    rmSync(lock);
    assert.equal(await moving, true);
    assert.equal(made.git('rev-parse', 'orgrepo/best').trim(), first);
  } finally {
    await made.close();
  }
});

test('a lock that does not go away is a problem that names the file and says what to do', async () => {
  const made = await makeRepo();
  try {
    const first = someCommit(made);
    const lock = path.join(made.repo.gitDir, 'refs/heads/orgrepo/best.lock');
    mkdirSync(path.dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    await assert.rejects(made.repo.refs.move('refs/heads/orgrepo/best', first, undefined), (error) => {
      assert.equal(isProblem(error), true);
      if (!isProblem(error)) return false;
      assert.deepEqual(
        { code: error.code, message: error.message, hint: error.hint },
        {
          code: 'busy/lock',
          message: `git is locked: ${lock} is held by another git process`,
          hint: `Wait for it to end; if none is running, remove the file: rm ${lock}`,
        },
      );
      return true;
    });
    rmSync(lock);
    assert.equal(await made.repo.refs.move('refs/heads/orgrepo/best', first, undefined), true);
  } finally {
    await made.close();
  }
});

test('a branch of a person that stands where orgrepo keeps its own is named', async () => {
  const made = await makeRepo();
  try {
    made.git('branch', 'orgrepo');
    const first = someCommit(made);
    await assert.rejects(made.repo.refs.move('refs/heads/orgrepo/best', first, undefined), (error) => {
      assert.equal(isProblem(error) && error.code, 'repo/ours');
      assert.equal(isProblem(error) && error.message.includes('refs/heads/orgrepo '), true);
      return true;
    });
  } finally {
    await made.close();
  }
});
