import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, fit, fitRight, widthOf, wrap } from '../../src/terminal/look.ts';
import { formatJson, visible, visibleLines } from '../../src/terminal/visible.ts';

test('whatever an agent writes, a terminal obeys none of it and a reader sees that it was there', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['plain words, ünïcode and 漢字', 'plain words, ünïcode and 漢字'],
    ['\u001b[2Jgone', '\\x1b[2Jgone'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['\u009b2J', '\\x9b2J'],
    ['two\nlines\r\nand\ttabs', 'two lines and tabs'],
    ['abc\u202edef', 'abc\\u202edef'],
    ['zero\u200bwidth\u00adhyphen\ufeff', 'zero\\u200bwidth\\xadhyphen\\ufeff'],
    ['line\u2028separator', 'line\\u2028separator'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['half \ud83d', 'half \\ud83d'],
    ['\u0000\u0008\u007f', '\\x00\\x08\\x7f'],
    ['z\u0301\u0301\u0301\u0301\u0301', 'z\u0301\u0301'],
    ['\u3164', '\\u3164'],
  ];
  for (const [hostile, harmless] of cases) assert.equal(visible(hostile), harmless);
});

test('a diff keeps its lines and its indentation', () => {
  assert.equal(visibleLines('-\ta\r\n+  b\u001b[2K\n c\rd'), '-    a\n+  b\\x1b[2K\n c\\x0dd');
});

test('JSON can be printed on a terminal and reads back as what it was', () => {
  const value = { title: '\u001b[2J \u009b2J \u202e', n: 1 };
  assert.equal(formatJson(value), '{"title":"\\u001b[2J \\u009b2J \\u202e","n":1}');
  assert.deepEqual(JSON.parse(formatJson(value)), value);
});

test('text takes the columns that a terminal gives it', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['', 0],
    ['abc', 3],
    ['漢字', 4],
    ['e\u0301', 1],
    ['🚀 go', 5],
    ['●─╮', 3],
  ];
  for (const [text, width] of cases) assert.equal(widthOf(text), width, text);
  assert.deepEqual(
    [fit('abc', 5), fit('abcdef', 4), fit('漢字漢', 4), fitRight('1', 3), fit('x', -1), cut('abc', 0), cut('abc', 1)],
    ['abc  ', 'abc…', '漢… ', '  1', '', '', '…'],
  );
  assert.deepEqual(wrap('a bb ccc dddddddd', 4), ['a bb', 'ccc', 'dddd', 'dddd']);
  assert.deepEqual(wrap('', 4), ['']);
});
