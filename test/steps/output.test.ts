import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { takeOutput } from '../../src/steps/output.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** What is said of a directory that `fill` has filled, and what of it arrives. */
function take(fill: (dir: string) => void, mostBytes = 1_000) {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-output-'));
  made.push(dir);
  const [from, to] = [path.join(dir, 'from'), path.join(dir, 'to')];
  mkdirSync(from);
  mkdirSync(to);
  fill(from);
  const inPlace = takeOutput(from, undefined, mostBytes);
  const wrong = takeOutput(from, to, mostBytes);
  assert.equal(inPlace, wrong);
  return { wrong, to };
}

test('files and directories arrive as they were left', () => {
  const { wrong, to } = take((dir) => {
    mkdirSync(path.join(dir, 'a/b'), { recursive: true });
    writeFileSync(path.join(dir, 'a/b/deep'), Buffer.from([0, 255, 10]));
    writeFileSync(path.join(dir, 'empty'), '');
  });
  assert.equal(wrong, undefined);
  assert.deepEqual(readFileSync(path.join(to, 'a/b/deep')), Buffer.from([0, 255, 10]));
  assert.deepEqual(readdirSync(to).sort(), ['a', 'empty']);
});

test('what is no regular file, or too much, is refused by name', () => {
  const cases: readonly (readonly [string, (dir: string) => void])[] = [
    ['left "x" in $ORGREPO_OUT, which is no regular file', (dir) => symlinkSync('/etc/passwd', path.join(dir, 'x'))],
    ['left "d" in $ORGREPO_OUT, which is no regular file', (dir) => symlinkSync('/etc', path.join(dir, 'd'))],
    ['left "p" in $ORGREPO_OUT, which is no regular file', (dir) => void execFileSync('mkfifo', [path.join(dir, 'p')])],
    [
      'left "a" in $ORGREPO_OUT, a file with more than one name',
      (dir) => {
        writeFileSync(path.join(dir, 'a'), 'x');
        linkSync(path.join(dir, 'a'), path.join(dir, 'b'));
      },
    ],
    ['left more than 1000 bytes in $ORGREPO_OUT', (dir) => writeFileSync(path.join(dir, 'big'), 'x'.repeat(1_001))],
    [
      'left directories deeper than 20 in $ORGREPO_OUT',
      (dir) => void mkdirSync(path.join(dir, ...Array.from({ length: 22 }, () => 'd')), { recursive: true }),
    ],
    [
      'left "\ufffd" in $ORGREPO_OUT, a name that is no UTF-8',
      (dir) => writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff])]), 'x'),
    ],
  ];
  for (const [said, fill] of cases) assert.equal(take(fill).wrong, said);
});
