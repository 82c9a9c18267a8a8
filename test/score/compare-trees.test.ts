import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject, storeObject } from '../../src/git/objects/tree.ts';
import { compareTrees } from '../../src/score/arena/boundary-check.ts';
import { directory, file, type Line, link, program, rawTree, scene, sorted, submodule } from '../support/raw-tree.ts';
import type { TestRepo } from '../support/repo.ts';

test('a file in the place of a directory and a directory in the place of a file are told path by path', async () => {
  const { made, text, other, inSandbox, withSandbox, check } = await scene();
  try {
    const part = rawTree(made, [[file, 'one', text]]);
    const flat = withSandbox(rawTree(made, [...inSandbox.slice(0, 1), [file, 'part', other]]));
    const grown = withSandbox(rawTree(made, [...inSandbox.slice(0, 1), [directory, 'part', part]]));
    const told = async (from: string, to: string) =>
      (await compareTrees(made.repo, from, to)).differences.map(({ path, before, after }) => [path, before, after]);
    assert.deepEqual(await told(flat, grown), [
      ['sandbox/part', file, undefined],
      ['sandbox/part/one', undefined, file],
    ]);
    assert.deepEqual(await told(grown, flat), [
      ['sandbox/part', undefined, file],
      ['sandbox/part/one', file, undefined],
    ]);
    assert.deepEqual(await check(grown, flat), []);
  } finally {
    await made.close();
  }
});

test('whatever a hostile tree holds is found, in trees that git itself would never write', async () => {
  const { made, text, other, harness, inSandbox, withSandbox, check } = await scene();
  try {
    const commit = made.git('rev-parse', 'main').trim();
    const sandboxOf = (...more: readonly Line[]): string => withSandbox(rawTree(made, sorted([...inSandbox, ...more])));
    const empty = rawTree(made, []);
    const big = made.gitWith(Buffer.alloc(10_000_001, 97), {}, 'hash-object', '-w', '--stdin').trim();
    const nameOf = (name: string | Buffer): string => sandboxOf([file, name, text]);
    const cases: readonly [string, string, string | RegExp][] = [
      [
        'the harness',
        withHarness(rawTree(made, [[file, 'score.sh', other]])),
        'changed harness/score.sh, which is outside the sandbox',
      ],
      [
        'a file beside',
        withSandbox(rawTree(made, inSandbox), [[file, 'z', text]]),
        'added z, which is outside the sandbox',
      ],
      [
        'the brief',
        rawTree(made, [
          [directory, 'harness', harness],
          [file, 'program.md', other],
          [directory, 'sandbox', rawTree(made, inSandbox)],
        ]),
        'changed program.md, which is outside the sandbox',
      ],
      ['a link', sandboxOf([link, 'x', text]), 'made sandbox/x something other than a regular file'],
      ['a submodule', sandboxOf([submodule, 'x', commit]), 'made sandbox/x something other than a regular file'],
      ['a writable mode', sandboxOf(['100664', 'x', text]), 'made sandbox/x something other than a regular file'],
      ['a set-uid mode', sandboxOf(['104755', 'x', text]), 'made sandbox/x something other than a regular file'],
      ['a padded mode', sandboxOf(['040000', 'x', harness]), 'made sandbox/x something other than a regular file'],
      ['no mode', sandboxOf(['', 'x', text]), 'made sandbox/x something other than a regular file'],
      [
        'another mode',
        withSandbox(
          rawTree(made, [
            [program, 'a.txt', text],
            [program, 'run', text],
          ]),
        ),
        'changed the mode of sandbox/a.txt',
      ],
      [
        'a file that is a directory',
        sandboxOf([file, 'x', harness]),
        "made sandbox/x something that is no file of git's",
      ],
      ['a file that is a commit', sandboxOf([file, 'x', commit]), "made sandbox/x something that is no file of git's"],
      [
        'a file that is not there',
        sandboxOf([file, 'x', '1'.repeat(40)]),
        "made sandbox/x something that is no file of git's",
      ],
      [
        'a directory that is a file',
        sandboxOf([directory, 'x', text]),
        "made sandbox/x/ something that is no directory of git's",
      ],
      [
        'a directory that is not there',
        sandboxOf([directory, 'x', '1'.repeat(40)]),
        "made sandbox/x/ something that is no directory of git's",
      ],
      ['an empty directory', sandboxOf([directory, 'x', empty]), 'made sandbox/x/ a directory without files'],
      ['a slash in a name', nameOf('deep/er'), 'made sandbox/ a directory with the name "deep/er"'],
      ['a way out', nameOf('../harness/score.sh'), 'made sandbox/ a directory with the name "../harness/score.sh"'],
      [
        'a slash at the root',
        withSandbox(rawTree(made, inSandbox), [[file, 'sandbox/x', text]]),
        'made the tree a directory with the name "sandbox/x"',
      ],
      ['a dot', nameOf('.'), 'made sandbox/ a directory with the name "."'],
      ['two dots', sandboxOf([directory, '..', harness]), 'made sandbox/ a directory with the name ".."'],
      ['no name', nameOf(''), 'made sandbox/ a directory with the name ""'],
      ['a name twice', sandboxOf([file, 'a.txt', other]), 'made sandbox/ a directory with two entries named a.txt'],
      [
        'a name twice, once as a directory',
        sandboxOf([directory, 'a.txt', harness]),
        'made sandbox/ a directory with two entries named a.txt',
      ],
      [
        'a wrong order',
        withSandbox(rawTree(made, [...inSandbox].reverse())),
        'made sandbox/ a directory whose entries are out of order at a.txt',
      ],
      ['another case', nameOf('A.txt'), 'added sandbox/A.txt, which some file systems take for sandbox/a.txt'],
      [
        'a directory in another case',
        sandboxOf([directory, 'Run', harness]),
        'added sandbox/Run, which some file systems take for sandbox/run',
      ],
      ['a dot behind', nameOf('a.txt.'), 'added sandbox/a.txt., which some file systems take for sandbox/a.txt'],
      [
        'two new names that fold',
        sandboxOf([file, 'STRASSE', text], [file, 'straße', text]),
        'added sandbox/straße, which some file systems take for sandbox/STRASSE',
      ],
      [
        'composed and decomposed',
        sandboxOf([file, 'e\u0301', text], [file, '\u00e9', text]),
        'added sandbox/é, which some file systems take for sandbox/é'
          .normalize('NFC')
          .replace(/sandbox\/é$/, 'sandbox/e\u0301'),
      ],
      [
        'bytes that are no text',
        nameOf(Buffer.from([0x61, 0xff])),
        'added sandbox/a\ufffd, a name with invisible characters',
      ],
      [
        'a tail that turns around',
        nameOf('a\u202etxt.sh'),
        'added sandbox/a\\u{202e}txt.sh, a name with invisible characters',
      ],
      ['git', sandboxOf([directory, '.GIT', harness]), 'added sandbox/.GIT/score.sh, a name that git reads'],
      [
        'git on Windows',
        nameOf('.git::$INDEX_ALLOCATION'),
        'added sandbox/.git::$INDEX_ALLOCATION, a name that git reads',
      ],
      ['modules', nameOf('.gitmodules'), 'added sandbox/.gitmodules, a name that git reads'],
      [
        'orders',
        nameOf('CLAUDE.md'),
        'wrote sandbox/CLAUDE.md, which tells other agents what to do; program.md may allow it: allow: [CLAUDE.md]',
      ],
      ['a large file', sandboxOf([file, 'x', big]), 'added sandbox/x, 10000001 bytes, more than 10000000'],
      ['no tree at all', text, "made the tree something that is no directory of git's"],
      ['a tree that is not there', '2'.repeat(40), "made the tree something that is no directory of git's"],
      [
        'half a tree',
        made.gitWith(Buffer.from('100644 a'), {}, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin').trim(),
        "made the tree something that is no directory of git's",
      ],
      ['an empty tree', empty, 'made the tree a directory without files'],
    ];
    function withHarness(tree: string): string {
      return rawTree(made, [
        [directory, 'harness', tree],
        [file, 'program.md', text],
        [directory, 'sandbox', rawTree(made, inSandbox)],
      ]);
    }
    for (const [name, candidate, expected] of cases) {
      const found = await check(candidate);
      assert.equal(
        found.some((one) => (typeof expected === 'string' ? one === expected : expected.test(one))),
        true,
        `${name}: ${JSON.stringify(found)}`,
      );
    }
  } finally {
    await made.close();
  }
});

test('a tree that names one directory a billion times is left after a few thousand, and a deep one at its thousandth character', async () => {
  const { made, text, inSandbox, withSandbox, check } = await scene();
  try {
    const bomb = (leaf: string, mode: string): string => {
      let tree = rawTree(made, [[mode, 'leaf', leaf]]);
      for (let level = 0; level < 9; level++)
        tree = rawTree(
          made,
          Array.from({ length: 10 }, (_, index): Line => [directory, `d${index}`, tree]),
        );
      return withSandbox(rawTree(made, sorted([...inSandbox, [directory, 'bomb', tree]])));
    };
    const files = await check(bomb(text, file));
    assert.equal(
      files.some((one) => /^changed more than 2000 (files|directories)$/.test(one)),
      true,
      String(files.slice(0, 3)),
    );
    const directories = await check(bomb(rawTree(made, []), directory));
    assert.equal(directories.includes('changed more than 2000 directories'), true);
    let deep = rawTree(made, [[file, 'leaf', text]]);
    for (let level = 0; level < 3_000; level++) deep = rawTreeQuick(made, deep);
    const found = await check(withSandbox(rawTree(made, sorted([...inSandbox, [directory, 'deep', deep]]))));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^made sandbox\/deep\/d\/d\/.*, a path longer than 1000 characters$/);
  } finally {
    await made.close();
  }
});

/** One directory around another, through our own store: 3,000 git processes would take a minute. */
function rawTreeQuick(made: TestRepo, inner: string): string {
  const content = Buffer.concat([Buffer.from('40000 d\0'), Buffer.from(inner, 'hex')]);
  const object = newObject(made.repo.hash, 'tree', content);
  return storeObject(made.repo, object);
}
