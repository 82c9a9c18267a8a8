import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Room } from '../../src/score/arena/measuring-room.ts';
import { handOver, takeOutput } from '../../src/score/arena/trial-files.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** What is said of a directory that `fill` has filled, and what of it arrives. */
async function take(fill: (dir: string) => void, mostBytes = 1_000, isOver = () => false) {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-output-'));
  made.push(dir);
  const [from, to] = [path.join(dir, 'from'), path.join(dir, 'to')];
  mkdirSync(from);
  mkdirSync(to);
  fill(from);
  const inPlace = await takeOutput(from, undefined, { mostBytes, isOver });
  const wrong = await takeOutput(from, to, { mostBytes, isOver });
  assert.equal(inPlace, wrong);
  return { wrong, to };
}

test('files and directories arrive as they were left', async () => {
  const { wrong, to } = await take((dir) => {
    mkdirSync(path.join(dir, 'a/b'), { recursive: true });
    writeFileSync(path.join(dir, 'a/b/deep'), Buffer.from([0, 255, 10]));
    writeFileSync(path.join(dir, 'empty'), '');
  });
  assert.equal(wrong, undefined);
  assert.deepEqual(readFileSync(path.join(to, 'a/b/deep')), Buffer.from([0, 255, 10]));
  assert.deepEqual(readdirSync(to).sort(), ['a', 'empty']);
});

test('what is no regular file, or too much, is refused by name', async () => {
  const cases: readonly (readonly [string, (dir: string) => void])[] = [
    ['left "x" in $ORGREPO_OUT, which is no regular file', (dir) => symlinkSync('/etc/passwd', path.join(dir, 'x'))],
    ['left "d" in $ORGREPO_OUT, which is no regular file', (dir) => symlinkSync('/etc', path.join(dir, 'd'))],
    ['left "p" in $ORGREPO_OUT, which is no regular file', (dir) => void execFileSync('mkfifo', [path.join(dir, 'p')])],
    [
      'left "a" in $ORGREPO_OUT, a file with more than one name',
      (dir) => {
        writeFileSync(path.join(dir, 'a'), 'x');
        linkSync(path.join(dir, 'a'), path.join(dir, '../b'));
      },
    ],
    ['left more than 1000 bytes in $ORGREPO_OUT', (dir) => writeFileSync(path.join(dir, 'big'), 'x'.repeat(1_001))],
    [
      'left more than 10000 files and directories in $ORGREPO_OUT',
      (dir) => {
        for (let n = 0; n <= 10_000; n++) mkdirSync(path.join(dir, String(n)));
      },
    ],
    [
      'left directories deeper than 20 in $ORGREPO_OUT',
      (dir) => void mkdirSync(path.join(dir, ...Array.from({ length: 22 }, () => 'd')), { recursive: true }),
    ],
    [
      'left "\ufffd" in $ORGREPO_OUT, a name that is not UTF-8',
      (dir) => writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff])]), 'x'),
    ],
  ];
  for (const [said, fill] of cases) assert.equal((await take(fill)).wrong, said);
});

test('a large file arrives whole, and its holes stay holes', async () => {
  const [words, size] = [Buffer.alloc(3_000_000, 'some words '), 64 * 1024 * 1024];
  const { wrong, to } = await take((dir) => {
    writeFileSync(path.join(dir, 'large'), words);
    writeFileSync(path.join(dir, 'sparse'), words);
    truncateSync(path.join(dir, 'sparse'), size);
  }, 2 * size);
  assert.equal(wrong, undefined);
  assert.ok(readFileSync(path.join(to, 'large')).equals(words));
  assert.ok(readFileSync(path.join(to, 'sparse')).equals(Buffer.concat([words, Buffer.alloc(size - words.length)])));
  assert.ok(statSync(path.join(to, 'sparse')).blocks * 512 < 8 * 1024 * 1024);
});

test('a hole in a file counts against the limit', async () => {
  const sparse = (dir: string): void => {
    writeFileSync(path.join(dir, 'x'), '');
    truncateSync(path.join(dir, 'x'), 2_000);
  };
  assert.equal((await take(sparse)).wrong, 'left more than 1000 bytes in $ORGREPO_OUT');
});

test('copying stops when the time is over', async () => {
  let looks = 0;
  const fill = (dir: string): void => {
    for (let n = 0; n < 10; n++) writeFileSync(path.join(dir, String(n)), 'x');
  };
  const { to } = await take(fill, 1_000, () => ++looks > 15); // Ten looks in place, then five.
  assert.equal(readdirSync(to).length, 5);
});

test('an output that takes longer than the candidate has left is late', async () => {
  const out = mkdtempSync(path.join(tmpdir(), 'orgrepo-output-'));
  made.push(out);
  writeFileSync(path.join(out, 'x'), 'x');
  const room: Pick<Room, 'out' | 'arena' | 'launchers'> = { out, arena: '', launchers: new Map() };
  const isLate = async (mostMs: number): Promise<boolean> =>
    (await handOver(room, mostMs, new AbortController().signal)).isLate;
  assert.deepEqual([await isLate(60_000), await isLate(0)], [false, true]);
});
