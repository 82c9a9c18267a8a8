import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs, { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import isomorphic from 'isomorphic-git';
import { newCommit, readCommit } from '../../src/git/objects/commit.ts';
import { editTree, newObject, storeObject } from '../../src/git/objects/tree.ts';
import { makeRepo } from '../support/repo.ts';

const signature = { name: 'junior-1', email: 'junior-1@agents.invalid', at: 1_763_251_200 };

for (const format of ['sha1', 'sha256'] as const) {
  test(`what is written in this process is what git itself reads, in a ${format} repository`, async () => {
    const { repo, git, close } = await makeRepo(format);
    try {
      const contents = [Buffer.alloc(0), Buffer.from('text\n'), Buffer.from([0, 255, 10, 13]), randomBytes(300_000)];
      const blobs = contents.map((content) => newObject(repo.hash, 'blob', content));
      for (const blob of blobs) storeObject(repo, blob);
      const changes = new Map(blobs.map(({ oid }, index) => [`dir/${index}/file`, { mode: '100644', oid }] as const));
      const tree = await editTree(repo, undefined, changes);
      for (const object of tree.objects) storeObject(repo, object);
      const commit = newCommit(repo.hash, {
        tree: tree.oid,
        parents: [git('rev-parse', 'main').trim()],
        author: signature,
        committer: { name: 'Test Person', email: 'person@example.invalid', at: signature.at },
        message: 'try: größer\n\nOrg-Event: try\n',
      });
      storeObject(repo, commit);
      await repo.store.flush();
      git('update-ref', 'refs/heads/made', commit.oid);

      assert.equal(git('fsck', '--strict', '--full', '--no-dangling'), '');
      contents.forEach((content, index) => {
        assert.equal(Number(git('cat-file', '-s', `made:dir/${index}/file`)), content.length);
      });
      assert.equal(git('show', 'made:dir/1/file'), 'text\n');
      assert.equal(
        git('log', '-1', '--format=%an <%ae> %at|%cn|%s|%(trailers:key=Org-Event,valueonly)', 'made').trim(),
        'junior-1 <junior-1@agents.invalid> 1763251200|Test Person|try: größer|try',
      );
      assert.deepEqual(await readCommit(repo, 'refs/heads/made'), {
        oid: commit.oid,
        tree: tree.oid,
        parents: [git('rev-parse', 'main').trim()],
        author: signature,
        committer: { name: 'Test Person', email: 'person@example.invalid', at: signature.at },
        message: 'try: größer\n\nOrg-Event: try\n',
      });
    } finally {
      await close();
    }
  });
}

test('a second reader that shares no code with git or with orgrepo reads the same', async () => {
  const { dir, repo, git, close } = await makeRepo();
  try {
    const blob = newObject(repo.hash, 'blob', 'hello\n');
    const tree = await editTree(repo, undefined, new Map([['a/b.txt', { mode: '100755', oid: blob.oid }]]));
    const commit = newCommit(repo.hash, {
      tree: tree.oid,
      parents: [],
      author: signature,
      committer: signature,
      message: 'one\n',
    });
    for (const object of [blob, ...tree.objects, commit]) storeObject(repo, object);
    await repo.store.flush();
    git('update-ref', 'refs/heads/made', commit.oid);
    const [read] = await isomorphic.log({ fs, dir, ref: 'made' });
    assert.deepEqual(
      { oid: read?.oid, tree: read?.commit.tree, author: read?.commit.author, message: read?.commit.message },
      {
        oid: commit.oid,
        tree: tree.oid,
        author: { name: signature.name, email: signature.email, timestamp: signature.at, timezoneOffset: 0 },
        message: 'one\n',
      },
    );
    const found = await isomorphic.readBlob({ fs, dir, oid: commit.oid, filepath: 'a/b.txt' });
    assert.equal(Buffer.from(found.blob).toString(), 'hello\n');
  } finally {
    await close();
  }
});

test('storing the same object twice leaves one file, which a gc will not take for old, and no litter', async () => {
  const { repo, close } = await makeRepo();
  try {
    const blob = newObject(repo.hash, 'blob', 'again\n');
    storeObject(repo, blob);
    await repo.store.flush();
    const dir = path.join(repo.objectsDir, blob.oid.slice(0, 2));
    const file = path.join(dir, blob.oid.slice(2));
    utimesSync(file, 1_000, 1_000);
    assert.equal(storeObject(repo, blob), blob.oid);
    await repo.store.flush();
    assert.equal(Date.now() - statSync(file).mtimeMs < 60_000, true);
    assert.deepEqual(readdirSync(dir), [blob.oid.slice(2)]);
    assert.equal(statSync(file).mode & 0o777, 0o444);
  } finally {
    await close();
  }
});

test('an object can be read at once, and is on disk before a ref names it', async () => {
  const { repo, git, close } = await makeRepo();
  try {
    const blob = newObject(repo.hash, 'blob', 'soon\n');
    const tree = await editTree(repo, undefined, new Map([['a/b.txt', { mode: '100644', oid: blob.oid }]]));
    const commit = newCommit(repo.hash, {
      tree: tree.oid,
      parents: [],
      author: signature,
      committer: signature,
      message: 'm\n',
    });
    for (const object of [blob, ...tree.objects, commit]) storeObject(repo, object);
    assert.equal((await repo.reader.read(blob.oid))?.content.toString(), 'soon\n');
    assert.equal(await repo.reader.has(tree.oid), true);
    assert.equal((await readCommit(repo, commit.oid))?.tree, tree.oid);
    assert.equal(await repo.refs.move('refs/heads/made', commit.oid, undefined), true);
    assert.equal(git('show', 'made:a/b.txt'), 'soon\n');
    assert.equal(git('fsck', '--strict', '--no-dangling'), '');
  } finally {
    await close();
  }
});

test('a store that cannot be written is a problem that a person can put right, and what was owed is written then', async () => {
  const { repo, git, close } = await makeRepo();
  try {
    const blob = newObject(repo.hash, 'blob', 'owed\n');
    const dir = path.join(repo.objectsDir, blob.oid.slice(0, 2));
    writeFileSync(dir, ''); // Where git wants a directory: the same for root as for anybody.
    storeObject(repo, blob);
    await assert.rejects(repo.store.flush(), { code: 'disk/write' });
    rmSync(dir);
    await repo.store.flush();
    assert.equal(git('cat-file', '-p', blob.oid), 'owed\n');
  } finally {
    await close();
  }
});

test('an identity that would break the commit format is cleaned, not written', async () => {
  const { repo, git, close } = await makeRepo();
  try {
    const commit = newCommit(repo.hash, {
      tree: git('rev-parse', 'main^{tree}').trim(),
      parents: [],
      author: { name: 'A <b>\ncommitter x', email: 'a>\nparent 0', at: 12.9 },
      committer: { name: ' ', email: '', at: 0 },
      message: 'm\n',
    });
    storeObject(repo, commit);
    await repo.store.flush();
    git('update-ref', 'refs/heads/made', commit.oid);
    assert.equal(git('fsck', '--strict', '--no-dangling'), '');
    assert.equal(
      git('log', '-1', '--format=%an|%ae|%at|%cn|%P', 'made').trim(),
      'A bcommitter x|aparent 0|12|unknown|',
    );
  } finally {
    await close();
  }
});

test('an object whose file a power failure has emptied is written again', async () => {
  const made = await makeRepo();
  try {
    const object = newObject('sha1', 'blob', 'what was lost\n');
    const file = path.join(made.repo.objectsDir, object.oid.slice(0, 2), object.oid.slice(2));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    storeObject(made.repo, object);
    await made.repo.store.flush();
    assert.equal(made.git('cat-file', 'blob', object.oid), 'what was lost\n');
  } finally {
    await made.close();
  }
});
