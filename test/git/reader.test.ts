import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newObject, storeObject } from '../../src/git/objects/tree.ts';
import { makeRepo } from '../support/repo.ts';

test('many questions at once are answered in order, large objects whole', async () => {
  const { repo, close } = await makeRepo();
  try {
    const contents = Array.from({ length: 60 }, (_, index) =>
      index % 20 === 7 ? randomBytes(5_000_000) : Buffer.from(`${index}\n${'\n'.repeat(index)}`),
    );
    const oids = contents.map((content) => storeObject(repo, newObject('sha1', 'blob', content)));
    await repo.store.flush();
    const found = await Promise.all(oids.map((oid) => repo.reader.read(oid)));
    found.forEach((object, index) => {
      assert.equal(object?.oid, oids[index]);
      assert.equal(object?.content.equals(contents[index] as Buffer), true, `object ${index}`);
    });
  } finally {
    await close();
  }
});

test('what is not there is undefined, and the next question is answered all the same', async () => {
  const { repo, git, close } = await makeRepo();
  try {
    const main = git('rev-parse', 'main').trim();
    const answers = await Promise.all([
      repo.reader.resolve('refs/heads/none'),
      repo.reader.read('0'.repeat(40)),
      repo.reader.has('f'.repeat(40)),
      repo.reader.resolve('refs/heads/main'),
      repo.reader.read('HEAD:no/such/file'),
      repo.reader.has(main),
    ]);
    assert.deepEqual(answers, [undefined, undefined, false, main, undefined, true]);
  } finally {
    await close();
  }
});

test('a ref is seen as it is now, also when git packed it meanwhile', async () => {
  const { repo, git, close } = await makeRepo();
  try {
    const first = await repo.reader.resolve('refs/heads/main');
    git('commit', '--quiet', '--allow-empty', '-m', 'second');
    const second = await repo.reader.resolve('refs/heads/main');
    assert.notEqual(second, first);
    git('pack-refs', '--all', '--prune');
    git('gc', '--quiet', '--prune=now');
    assert.equal(await repo.reader.resolve('refs/heads/main'), second);
    git('commit', '--quiet', '--allow-empty', '-m', 'third');
    assert.equal(await repo.reader.resolve('refs/heads/main'), git('rev-parse', 'main').trim());
    assert.equal((await repo.reader.read('refs/heads/main'))?.type, 'commit');
  } finally {
    await close();
  }
});
