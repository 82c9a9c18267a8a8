import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countedIn, type Sum, totalOf } from '../../src/domain/words/spending.ts';
import { openOrg } from '../../src/records/org.ts';
import { readStanding } from '../../src/spend/books/spend-ledger.ts';
import { randomFrom } from '../../src/text/random.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

const spender = fileURLToPath(new URL('./spender.js', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly ended: Promise<number | null>;
}

function start(made: TestRepo, usd: number, log: string, seed: string, how: 'alone' | 'together'): Running {
  const args = [spender, made.dir, String(usd), log, seed, how === 'alone' ? '100000' : '60', how];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ready = new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
  return { child, ready, ended: new Promise((resolve) => child.on('close', resolve)) };
}

/** When a child has had so many answers to its reservations. */
function answers(child: ChildProcess, count: number): Promise<void> {
  let had = 0;
  return new Promise((resolve) => {
    if (count === 0) resolve();
    child.on('close', () => resolve());
    child.stdout?.on('data', (chunk: Buffer) => {
      had += chunk.length;
      if (had >= count) resolve();
    });
  });
}

interface Used {
  readonly commits: ReadonlySet<string>;
  readonly nanos: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly refused: number;
}

/** What really happened, as those tell who made the calls. */
function usedBy(log: string): Used {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const calls = lines.filter((line) => line.startsWith('used ')).map((line) => line.split(' '));
  const total = (at: number): number => calls.reduce((sum, words) => sum + Number(words[at]), 0);
  return {
    commits: new Set(calls.map((words) => words[1] ?? '')),
    ...{ nanos: total(2), tokensIn: total(3), tokensOut: total(4) },
    refused: lines.filter((line) => line.startsWith('refused')).length,
  };
}

/** Reads the book as the next process would, and holds it against what was used. */
async function check(made: TestRepo, usd: number, used: Used): Promise<Sum> {
  const org = await openOrg(made.dir);
  try {
    const { ledger } = await readStanding(org, 'n1');
    const counted = countedIn(totalOf(ledger, 'night'));
    const found = made.git('log', '--format=%H', '--grep=^reserve: ', '--glob=refs/orgrepo/spend/*');
    const reserved = new Set(found.split('\n'));
    for (const commit of used.commits) assert.equal(reserved.has(commit), true, 'a call went out that is on no book');
    for (const part of ['nanos', 'tokensIn', 'tokensOut'] as const)
      assert.equal(counted[part] >= used[part], true, `${counted[part]} ${part} are counted, ${used[part]} were used`);
    assert.equal(counted.nanos <= usd * 1e9 && counted.tokensIn <= 200_000 && counted.tokensOut <= 50_000, true);
    for (const [key, total] of ledger.totals) {
      if (key.startsWith('agent ')) assert.equal(countedIn(total).nanos <= 15e9, true, key);
      if (key.startsWith('spec ')) assert.equal(countedIn(total).nanos <= 9e9, true, key);
    }
    return counted;
  } finally {
    await org.repo.close();
  }
}

test('killed at any of 50 moments, the book can be read, nothing that was used is missing and no cap is broken', async () => {
  const made = await makeRepo();
  const log = path.join(made.dir, '.git/used.log');
  const random = randomFrom('kill -9');
  try {
    for (let round = 0; round < 50; round++) {
      const { child, ready, ended } = start(made, 6, log, `kill ${round}`, 'alone');
      await ready;
      await answers(child, random.below(12));
      await wait(random.below(4)); // Somewhere on its way to the next one.
      child.kill('SIGKILL');
      await ended;
      await check(made, 6, usedBy(log));
    }
    const { commits, refused } = usedBy(log);
    assert.equal(commits.size > 100, true, `${commits.size} calls`);
    assert.equal(refused > 0, true, 'the caps were reached');
  } finally {
    await made.close();
  }
});

test('three processes of three agents each spend from one book, and what is left of it is exactly what they did not use', async () => {
  const made = await makeRepo();
  const logs = [1, 2, 3].map((at) => path.join(made.dir, `.git/used-${at}.log`));
  try {
    const all = logs.map((log, at) => start(made, 20, log, `race ${at}`, 'together'));
    await Promise.all(all.map(({ ready }) => ready));
    for (const { child } of all) child.stdin?.end('go\n');
    assert.deepEqual(await Promise.all(all.map(({ ended }) => ended)), [0, 0, 0]);
    const used = logs.map(usedBy);
    const sum = (part: 'nanos' | 'tokensIn' | 'tokensOut'): number => used.reduce((total, one) => total + one[part], 0);
    const commits = new Set(used.flatMap((one) => [...one.commits]));
    const figures = { nanos: sum('nanos'), tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut') };
    const counted = await check(made, 20, { ...figures, commits, refused: 0 });
    assert.deepEqual(
      counted,
      { ...figures, unpriced: 0, subscription: 0 },
      'to the token and to the billionth of a dollar',
    );
    assert.equal(commits.size > 200, true, `${commits.size} calls`);
  } finally {
    await made.close();
  }
});
