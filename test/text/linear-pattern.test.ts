import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern, type LinearPattern } from '../../src/text/linear-pattern.ts';
import { findIn } from '../../src/text/pattern-search.ts';

function compiled(source: string): LinearPattern {
  const pattern = compilePattern(source);
  if ('fault' in pattern) throw new Error(`${source}: ${pattern.fault}`);
  return pattern;
}

const findAll = (source: string, text: string, steps = 1_000_000) => findIn(compiled(source), text, { steps }, 99);

test('a pattern finds what the regular expressions of the language find', () => {
  const patterns = [
    ...['x ([\\d,.]+) ops/sec', '(a)', '(a*)b', 'a*?(b)', '(ab|a)(?:b|)', '(?:a|ab)(b?)', '(a{2,3})', '(a{2})'],
    ...['(a{1,}?)b', '^(\\w+)', '(\\w+)$', '\\b(\\w)\\b', '(\\d+(?:\\.\\d+)?)ms', '([^a]+)', '[\\[](.*?)\\]', '(x+)y'],
    ...['(.)(?:.)', '(a|b|ab)+', '((?:a|b)*)x', 'a(.)?b', '\\Bw(.)', '(\\s+)', '(a?){3}b', '(?:a?){2,4}(b)', '\\$(.)'],
  ];
  const texts = [
    ...['', 'x 100,512 ops/sec', 'slug x 1.5 ops/sec x 2 ops/sec', 'aaaa', 'abab', 'aXbX', 'foo bar  12.5ms', 'ab'],
    ...['aab', 'word w0rd', 'xy xxy', '1,2,3', '[abc]', '((', 'a.b', 'é ü', '$5'],
  ];
  for (const source of patterns)
    for (const text of texts) {
      const expected = [...text.matchAll(new RegExp(source, 'g'))].map((match) => match[1]);
      assert.deepEqual(findAll(source, text), expected, `${source} in ${JSON.stringify(text)}`);
    }
});

test('a pattern that cannot be used says why and at which character', () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ['x (', 'this ( is never closed', 3],
    ['a)', 'this ) closes nothing', 2],
    ['[a', 'this [ is never closed', 1],
    ['*a', '* has nothing to repeat', 1],
    ['a**', '* has nothing to repeat', 3],
    ['^*', '* has nothing to repeat', 2],
    ['(?=a)', 'only ( ) and (?: ) are understood', 1],
    ['(?<n>a)', 'only ( ) and (?: ) are understood', 1],
    ['(a)\\1', '\\1 is not understood', 4],
    ['\\', '\\ is not understood', 1],
    ['[z-a]', '[z-a] is not understood', 1],
    ['a{3,2}', '{3,2} ends before it begins', 2],
    ['a{101}', '{101} repeats more than 100 times', 2],
    ['(a{90}){90}', 'it is too large: repeat less', 11],
    ['a'.repeat(201), 'it has more than 200 characters', 201],
  ];
  for (const [source, fault, at] of cases) assert.deepEqual(compilePattern(source), { fault, at }, source);
});

test('a search takes steps in proportion to the text, also where other engines never end', () => {
  const stepsFor = (length: number): number => {
    const patience = { steps: 100_000_000 };
    assert.deepEqual(findIn(compiled('^(?:a+)+(b)'), 'a'.repeat(length), patience, 1), []);
    return 100_000_000 - patience.steps;
  };
  assert.ok(stepsFor(40_000) < 2.1 * stepsFor(20_000));
});

test('a search stops when its patience is at an end', () => {
  const patience = { steps: 1_000 };
  assert.deepEqual(findIn(compiled('(b)'), `${'a'.repeat(5_000)}b`, patience, 1), []);
  assert.ok(patience.steps <= 0);
});
