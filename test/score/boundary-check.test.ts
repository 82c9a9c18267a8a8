import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundaryBreaches, compareTrees } from '../../src/score/arena/boundary-check.ts';
import {
  brief,
  directory,
  file,
  type Line,
  link,
  program,
  rawTree,
  scene,
  sorted,
  submodule,
} from '../support/raw-tree.ts';

test('a candidate that adds, changes and removes files of its sandbox may be measured', async () => {
  for (const format of ['sha1', 'sha256'] as const) {
    const { made, text, other, withSandbox, base, check } = await scene(format);
    try {
      const deep = rawTree(made, [[file, 'b.txt', other]]);
      const sandbox = rawTree(made, [
        [file, 'a.txt', other],
        [directory, 'deep', deep],
        [program, 'tool', text],
      ]);
      assert.deepEqual(await check(withSandbox(sandbox)), []);
      assert.deepEqual(await check(base), []);
      const { differences, faults } = await compareTrees(made.repo, base, withSandbox(sandbox));
      assert.deepEqual(faults, []);
      assert.deepEqual(
        differences.map(({ path, before, after, bytes }) => [path, before, after, bytes]),
        [
          ['sandbox/a.txt', file, file, 6],
          ['sandbox/run', program, undefined, undefined],
          ['sandbox/deep/b.txt', undefined, file, 6],
          ['sandbox/tool', undefined, program, 5],
        ],
      );
    } finally {
      await made.close();
    }
  }
});

test('what people had before may stay as it is, however odd, and nobody is blamed for it', async () => {
  const { made, text, other, withSandbox, check } = await scene();
  try {
    const commit = made.git('rev-parse', 'main').trim();
    const odd: readonly Line[] = [
      ['100664', 'old', text],
      [link, 'link', text],
      [submodule, 'module', commit],
      [file, 'A', text],
      [file, 'a', text],
      [file, '.gitattributes', text],
      [file, 'CLAUDE.md', text],
      [file, Buffer.from([0x61, 0xff]), text],
    ];
    const before = withSandbox(rawTree(made, sorted([...odd, [file, 'x', text]])));
    assert.deepEqual(await check(withSandbox(rawTree(made, sorted([...odd, [file, 'x', other]]))), before), []);
    const more = sorted([...odd, [file, 'x', text], [file, 'new', text]]);
    assert.deepEqual(await check(withSandbox(rawTree(made, more)), before), []);
    const steered = withSandbox(
      rawTree(made, sorted([...odd.filter(([, name]) => name !== 'CLAUDE.md'), [file, 'CLAUDE.md', other]])),
    );
    assert.deepEqual(await check(steered, withSandbox(rawTree(made, sorted(odd)))), [
      'wrote sandbox/CLAUDE.md, which tells other agents what to do; program.md may allow it: allow: [CLAUDE.md]',
    ]);
  } finally {
    await made.close();
  }
});

test('a brief allows by a name, by a directory or by a whole path, and a sandbox that names a file outright allows it too', async () => {
  const { made, text, inSandbox, withSandbox, base } = await scene();
  try {
    const vscode = rawTree(made, [[file, 'settings.json', text]]);
    const candidate = withSandbox(
      rawTree(
        made,
        sorted([...inSandbox, [directory, '.vscode', vscode], [file, 'AGENTS.md', text], [file, '.npmrc', text]]),
      ),
    );
    const found = async (keys: Partial<typeof brief>) =>
      (await boundaryBreaches(made.repo, base, candidate, { ...brief, ...keys })).map((one) => one.split(',')[0]);
    assert.deepEqual(await found({}), [
      'wrote sandbox/.npmrc',
      'wrote sandbox/.vscode/settings.json',
      'wrote sandbox/AGENTS.md',
    ]);
    assert.deepEqual(await found({ allow: ['AGENTS.md', '.vscode/**'] }), ['wrote sandbox/.npmrc']);
    assert.deepEqual(await found({ allow: ['sandbox/.npmrc', 'sandbox/.vscode'] }), ['wrote sandbox/AGENTS.md']);
    assert.deepEqual(await found({ sandbox: ['sandbox/**', 'sandbox/AGENTS.md'], allow: ['.*'] }), []);
    assert.deepEqual(await found({ allow: ['other/AGENTS.md', 'GENTS.md', 'vscode'] }), await found({}));
  } finally {
    await made.close();
  }
});

test('only directories that differ are read: one file among 20,000 costs a handful of objects', async () => {
  const { made, text, other, inSandbox, withSandbox, check } = await scene();
  try {
    const names = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}`);
    const leaf = rawTree(
      made,
      names(100).map((name): Line => [file, name, text]),
    );
    const changed = rawTree(
      made,
      names(100).map((name): Line => [file, name, name === 'n050' ? other : text]),
    );
    const wide = (first: string): string =>
      withSandbox(
        rawTree(
          made,
          sorted([...inSandbox, ...names(200).map((name): Line => [directory, name, name === 'n007' ? first : leaf])]),
        ),
      );
    const [before, after] = [wide(leaf), wide(changed)];
    const asked: string[] = [];
    const { reader } = made.repo;
    const counting = {
      ...reader,
      read: (name: string) => {
        asked.push(name);
        return reader.read(name);
      },
    };
    const found = await boundaryBreaches({ ...made.repo, reader: counting }, before, after, brief);
    assert.deepEqual(found, []);
    assert.equal(asked.length, 6);
    assert.deepEqual(await check(after, before), []);
  } finally {
    await made.close();
  }
});
