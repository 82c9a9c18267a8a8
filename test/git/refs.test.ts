import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRepo } from '../../src/git/repo.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

/** A commit of its own for everybody, so that it shows who won. */
function commits(made: TestRepo, count: number): string[] {
  const tree = made.git('rev-parse', 'main^{tree}').trim();
  return Array.from({ length: count }, (_, index) => made.git('commit-tree', tree, '-m', `claim ${index}`).trim());
}

test('of 40 that make the same branch at once, in 10 processes, exactly one wins and the branch is the winner’s', async () => {
  const made = await makeRepo();
  try {
    const ids = commits(made, 40);
    const racer = fileURLToPath(new URL('./racer.js', import.meta.url));
    const ref = 'refs/heads/orgrepo/work/0001';
    const racers = Array.from({ length: 10 }, (_, index) => {
      const own = ids.slice(index * 4, index * 4 + 4);
      const child = spawn(process.execPath, [racer, made.dir, ref, ...own], { stdio: ['pipe', 'pipe', 'inherit'] });
      let said = '';
      const ready = new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('ready\n')) resolve();
        });
        child.on('close', () => resolve()); // One that fails is missed below, and not waited for.
      });
      const ended = new Promise<string>((resolve) => {
        child.on('close', () => resolve(said.trim().split('\n').at(-1) ?? ''));
      });
      return { child, ready, ended };
    });
    await Promise.all(racers.map(({ ready }) => ready));
    for (const { child } of racers) child.stdin.end('go\n');
    const words = (await Promise.all(racers.map(({ ended }) => ended))).flatMap((line) => line.split(' '));
    assert.deepEqual([words.length, words.filter((word) => word !== 'lost')], [40, ['won']]);
    assert.equal(made.git('rev-parse', ref).trim(), ids[words.indexOf('won')]);
  } finally {
    await made.close();
  }
});

test('a mover that lost a race goes on moving: every one of 20 appends is in the branch in the end', async () => {
  const made = await makeRepo();
  const others = await Promise.all(Array.from({ length: 4 }, () => openRepo(made.dir)));
  try {
    const ref = 'refs/heads/orgrepo/queue';
    const tree = made.git('rev-parse', 'main^{tree}').trim();
    let lost = 0;
    const append = async (repo: (typeof others)[number], name: string): Promise<void> => {
      for (;;) {
        const tip = await repo.reader.resolve(ref);
        const parents = tip === undefined ? [] : ['-p', tip];
        const commit = made.git('commit-tree', tree, ...parents, '-m', name).trim();
        await wait(1);
        if (await repo.refs.move(ref, commit, tip)) return;
        lost += 1;
      }
    };
    const names = others.flatMap((_, lane) => Array.from({ length: 5 }, (_, turn) => `${lane}.${turn}`));
    await Promise.all(
      others.map(async (repo, lane) => {
        for (const name of names.filter((one) => one.startsWith(`${lane}.`))) await append(repo, name);
      }),
    );
    assert.deepEqual(made.git('log', '--format=%s', ref).trim().split('\n').sort(), names.sort());
    assert.equal(lost > 0, true, 'the race was real');
  } finally {
    await Promise.all(others.map((repo) => repo.close()));
    await made.close();
  }
});

test('a move from a place where the ref is not changes nothing and breaks nothing', async () => {
  const made = await makeRepo();
  try {
    const [first = '', second = '', third = ''] = commits(made, 3);
    const { refs } = made.repo;
    const ref = 'refs/orgrepo/wip/0001';
    assert.equal(await refs.move(ref, first, second), false);
    assert.equal(await refs.move(ref, first, undefined), true);
    assert.equal(await refs.move(ref, second, undefined), false);
    assert.equal(await refs.move(ref, second, third), false);
    assert.equal(made.git('rev-parse', ref).trim(), first);
    assert.equal(await refs.move(ref, second, first), true);
    assert.equal(made.git('rev-parse', ref).trim(), second);
  } finally {
    await made.close();
  }
});

test('a lost compare inside git does not break the mover', async () => {
  const made = await makeRepo();
  const others = await Promise.all(Array.from({ length: 8 }, () => openRepo(made.dir)));
  try {
    for (let round = 0; round < 5; round++) {
      const ids = commits(made, 8);
      const ref = `refs/heads/orgrepo/work/000${round}`;
      const won = await Promise.all(others.map((repo, index) => repo.refs.move(ref, ids[index] ?? '', undefined)));
      assert.equal(won.filter(Boolean).length, 1, `round ${round}`);
      assert.equal(made.git('rev-parse', ref).trim(), ids[won.indexOf(true)]);
    }
  } finally {
    await Promise.all(others.map((repo) => repo.close()));
    await made.close();
  }
});

test('where refs are kept in one big packed file, they are read and moved all the same', async () => {
  const made = await makeRepo();
  try {
    const [one, two] = ['one', 'two'].map((word) => made.git('commit-tree', 'main^{tree}', '-m', word).trim());
    const lines = Array.from({ length: 3_000 }, (_, n) => `create refs/tags/t${n} ${one}\n`).join('');
    made.gitWith(lines, {}, 'update-ref', '--stdin');
    made.git('update-ref', 'refs/heads/orgrepo/best', one ?? '');
    made.git('pack-refs', '--all', '--prune');
    assert.equal(await made.repo.reader.resolve('refs/heads/orgrepo/best'), one);
    assert.equal(await made.repo.reader.resolve('refs/heads/orgrepo/none'), undefined);
    assert.equal(await made.repo.refs.move('refs/heads/orgrepo/best', two ?? '', one), true);
    assert.equal(await made.repo.refs.move('refs/heads/orgrepo/fresh', two ?? '', undefined), true);
    assert.equal(await made.repo.refs.move('refs/tags/t7', two ?? '', undefined), false);
    assert.equal(made.git('rev-parse', 'orgrepo/best').trim(), two);
  } finally {
    await made.close();
  }
});
