import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  editTree,
  entryAt,
  filesOf,
  newObject,
  readTree,
  storeObject,
  type TreeEntry,
} from '../../src/git/objects/tree.ts';
import { randomFrom } from '../../src/text/random.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

type Files = ReadonlyMap<string, TreeEntry>;

/** The tree that git makes of these files, through an index of its own. */
function treeOfGit(made: TestRepo, files: Files): string {
  const index = path.join(made.repo.gitDir, 'index.of-the-test');
  rmSync(index, { force: true });
  const lines = [...files].map(([name, { mode, oid }]) => `${mode} ${oid}\t${name}\0`).join('');
  made.gitWith(lines, { GIT_INDEX_FILE: index }, 'update-index', '-z', '--index-info');
  return made.gitWith('', { GIT_INDEX_FILE: index }, 'write-tree').trim();
}

async function edited(
  made: TestRepo,
  tree: string,
  changes: ReadonlyMap<string, TreeEntry | undefined>,
): Promise<string> {
  const built = await editTree(made.repo, tree, changes);
  for (const object of built.objects) storeObject(made.repo, object);
  await made.repo.store.flush();
  return built.oid;
}

test('400 random edits give the trees that git itself makes', async () => {
  const made = await makeRepo();
  try {
    const random = randomFrom('trees');
    const blobs = ['one', 'two', 'three'].map((text) => storeObject(made.repo, newObject('sha1', 'blob', text)));
    await made.repo.store.flush();
    const names = ['a', 'b', 'a.b', 'a-b', 'ab', 'a b', 'z', 'ü', '.hidden', '-x', 'A'];
    const randomPath = (): string => Array.from({ length: 1 + random.below(3) }, () => random.pick(names)).join('/');
    let files = new Map<string, TreeEntry>();
    let tree = treeOfGit(made, files);
    for (let round = 0; round < 80; round++) {
      const next = new Map(files);
      const changes = new Map<string, TreeEntry | undefined>();
      for (let edit = 0; edit < 5; edit++) {
        const taken = [...next.keys()];
        if (taken.length > 0 && random.next() < 0.3) {
          const gone = random.pick(taken);
          next.delete(gone);
          changes.set(gone, undefined);
          continue;
        }
        const file = randomPath();
        // A path is a file or a directory: what stands in the way goes with it, as it would in a work tree.
        for (const other of taken.filter((one) => one.startsWith(`${file}/`) || file.startsWith(`${one}/`))) {
          next.delete(other);
          changes.set(other, undefined);
        }
        const entry = { mode: random.pick(['100644', '100755', '120000']), oid: random.pick(blobs) };
        next.set(file, entry);
        changes.set(file, entry);
      }
      const before = tree;
      tree = await edited(made, before, changes);
      const told = [...changes].map(([name, entry]) => `${entry === undefined ? '-' : '+'}${name}`).join(' ');
      assert.equal(tree, treeOfGit(made, next), `round ${round}: ${told}`);
      files = next;
    }
    const listed = await filesOf(
      made.repo,
      tree,
      () => true,
      () => true,
    );
    assert.deepEqual(new Map([...listed].sort()), new Map([...files].sort()));
  } finally {
    await made.close();
  }
});

test('a file that takes the place of a directory is in the tree, and so is a directory in the place of a file', async () => {
  const made = await makeRepo();
  try {
    const oid = storeObject(made.repo, newObject('sha1', 'blob', 'text'));
    await made.repo.store.flush();
    const file = { mode: '100644', oid };
    const directory = treeOfGit(made, new Map([['sandbox/part/one', file]]));
    const plain = treeOfGit(made, new Map([['sandbox/part', file]]));
    const flattened = new Map([
      ['sandbox/part/one', undefined],
      ['sandbox/part', file],
    ]);
    const grown = new Map([
      ['sandbox/part', undefined],
      ['sandbox/part/one', file],
    ]);
    assert.equal(await edited(made, plain, grown), directory);
    assert.equal(await edited(made, plain, new Map([...grown].reverse())), directory);
    assert.equal(await edited(made, directory, flattened), plain);
    assert.equal(await edited(made, directory, new Map([...flattened].reverse())), plain);
  } finally {
    await made.close();
  }
});

test('names that are no UTF-8, links and submodules of people survive an edit beside them, byte for byte', async () => {
  const made = await makeRepo();
  try {
    const oid = storeObject(made.repo, newObject('sha1', 'blob', 'text'));
    await made.repo.store.flush();
    const commit = made.git('rev-parse', 'main').trim();
    const line = (mode: string, type: string, id: string, name: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${type} ${id}\t`), name, Buffer.from([0])]);
    const listing = Buffer.concat([
      line('100644', 'blob', oid, Buffer.from([0x61, 0xff])),
      line('100644', 'blob', oid, Buffer.from([0x61, 0xfe])),
      line('100755', 'blob', oid, Buffer.from('two words\tand a tab')),
      line('120000', 'blob', oid, Buffer.from('link')),
      line('160000', 'commit', commit, Buffer.from('module')),
      line('100644', 'blob', oid, Buffer.from('new\nline')),
    ]);
    const tree = made.gitWith(listing, {}, 'mktree', '-z').trim();
    const withNew = await edited(made, tree, new Map([['added/x', { mode: '100644', oid }]]));
    assert.equal(made.git('fsck', '--no-dangling'), '');
    assert.equal(made.git('diff-tree', '-r', '--name-only', tree, withNew), 'added/x\n');
    assert.equal(await edited(made, withNew, new Map([['added/x', undefined]])), tree);
    assert.equal((await readTree(made.repo, tree)).size, 6);
  } finally {
    await made.close();
  }
});

test('a tree that loses its last file is the empty tree', async () => {
  const made = await makeRepo();
  try {
    const oid = storeObject(made.repo, newObject('sha1', 'blob', 'text'));
    await made.repo.store.flush();
    const tree = treeOfGit(made, new Map([['a/b/c', { mode: '100644', oid }]]));
    const empty = await edited(made, tree, new Map([['a/b/c', undefined]]));
    assert.equal(empty, made.gitWith('', {}, 'hash-object', '-t', 'tree', '--stdin').trim());
  } finally {
    await made.close();
  }
});

test('a path is looked up through directories and nothing else', async () => {
  const made = await makeRepo('sha256');
  try {
    const oid = storeObject(made.repo, newObject('sha256', 'blob', 'text'));
    await made.repo.store.flush();
    const tree = treeOfGit(made, new Map([['a/b', { mode: '100644', oid }]]));
    assert.deepEqual(await entryAt(made.repo, tree, 'a/b'), { mode: '100644', oid });
    assert.equal((await entryAt(made.repo, tree, 'a'))?.mode, '40000');
    for (const missing of ['b', 'a/b/c', 'a/..', 'a/', '/a', '']) {
      assert.equal(await entryAt(made.repo, tree, missing), undefined, JSON.stringify(missing));
    }
    assert.deepEqual(await readTree(made.repo, '0'.repeat(64)), new Map());
  } finally {
    await made.close();
  }
});
