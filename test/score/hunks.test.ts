import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hunkLines, hunksBetween, withoutHunk } from '../../src/score/judge/hunks.ts';
import { randomFrom } from '../../src/text/random.ts';

const between = (before: string, after: string) => hunksBetween(hunkLines(before), hunkLines(after));

test('each unbroken run of changed lines is a hunk', () => {
  assert.deepEqual(between('a\nb\nc\nd\n', 'a\nB\nc\nD\n'), [
    { before: { from: 1, to: 2 }, after: { from: 1, to: 2 } },
    { before: { from: 3, to: 4 }, after: { from: 3, to: 4 } },
  ]);
  assert.deepEqual(between('a\nb\n', 'a\nb\n'), []);
  assert.deepEqual(between('', 'a\n'), [{ before: { from: 0, to: 0 }, after: { from: 0, to: 1 } }]);
  assert.deepEqual(between('a\nb\nc\n', 'a\nc\n'), [{ before: { from: 1, to: 2 }, after: { from: 1, to: 1 } }]);
  assert.equal(between('a', 'a\n').length, 1);
});

test('a hunk left out leaves everything else as it was offered', () => {
  const [before, after] = [hunkLines('a\nb\nc\nd\n'), hunkLines('x\na\nB\nc\n')];
  const hunks = hunksBetween(before, after);
  assert.deepEqual(
    hunks.map((hunk) => withoutHunk(before, after, hunk)),
    ['a\nB\nc\n', 'x\na\nb\nc\n', 'x\na\nB\nc\nd\n'],
  );
});

test('any two texts: the hunks put back one by one, last first, give the first text', () => {
  const random = randomFrom('hunks');
  const text = (): string =>
    Array.from({ length: random.below(12) }, () => `${random.pick(['a', 'b', 'c'])}\n`).join('');
  for (let round = 0; round < 500; round++) {
    const [before, after] = [hunkLines(text()), hunkLines(text())];
    let now = after;
    for (const hunk of [...hunksBetween(before, after)].reverse()) now = hunkLines(withoutHunk(before, now, hunk));
    assert.equal(now.join(''), before.join(''));
  }
});

test('two long texts with nothing in common are one change, and take no time', () => {
  const [before, after] = ['a', 'b'].map((word) => Array.from({ length: 20_000 }, (_, line) => `${word}${line}\n`));
  assert.equal(hunksBetween(before as string[], after as string[]).length, 1);
});
