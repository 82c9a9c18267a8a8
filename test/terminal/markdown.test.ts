import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeSpan, escapeMarkdown } from '../../src/terminal/visible.ts';

test('text in Markdown opens no link, tag, cell, list, mention or formula', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['plain words: 46 -> 128, waste_pct (3)', 'plain words: 46 -> 128, waste_pct (3)'],
    ['| x |', '&#124; x &#124;'],
    ['\\| x', '&#92;&#124; x'],
    ['[a](http://evil.example)', '&#91;a&#93;(http:&#8203;//evil.example)'],
    ['<script>&amp;', '&#60;script>&#38;amp;'],
    ['`code`', '&#96;code&#96;'],
    ['_a_ *b* ~c~ $d$', '&#95;a&#95; &#42;b&#42; &#126;c&#126; &#36;d&#36;'],
    ['ask @torvalds about #12 and GH-7', 'ask @&#8203;torvalds about #&#8203;12 and GH-&#8203;7'],
    ['# heading', '&#35; heading'],
    ['- item', '&#45; item'],
    ['1. item', '1&#8203;. item'],
    ['> quote', '&#62; quote'],
    ['see www.evil.example', 'see www&#8203;.evil.example'],
    ['a :smile: b', 'a :&#8203;smile: b'],
    ['two\n\nlines\u001b[2J', 'two lines\\x1b&#91;2J'.replace('\\', '&#92;')],
  ];
  for (const [text, escaped] of cases) assert.equal(escapeMarkdown(text), escaped);
});

test('text in Markdown has a limit, and a command cannot end its code span', () => {
  assert.equal(escapeMarkdown('abcdef', 4), 'abc…');
  assert.equal(codeSpan('rm `x`\n'), "`rm 'x'`");
});
