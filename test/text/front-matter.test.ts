import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFrontMatter } from '../../src/text/front-matter.ts';
import { refusal } from '../support/refusal.ts';

const read = (text: string) => readFrontMatter(text, 'a.md', 'brief');

test('front matter and body are told apart, with the line that the body begins on', () => {
  const cases: readonly (readonly [string, readonly string[] | undefined, string, number])[] = [
    ['', undefined, '', 1],
    ['hello', undefined, 'hello', 1],
    ['\n\nhello\n\n', undefined, 'hello', 3],
    ['---\na: 1\n---\nhello\n', ['a'], 'hello', 4],
    ['---\na: 1\n---\n\n\n  hello\n\nthere\n\n', ['a'], '  hello\n\nthere', 6],
    ['---yaml\na: 1\n---\nx', ['a'], 'x', 4],
    ['--- yml \na: 1\n---  \nx', ['a'], 'x', 4],
    ['---\r\na: 1\r\nb: 2\r\n---\r\nx\r\ny', ['a', 'b'], 'x\ny', 5],
    ['\ufeff---\na: 1\n---\nx', ['a'], 'x', 4],
    ['\ufeff---\r\na: 1\r\n---\r\n', ['a'], '', 4],
    ['---\n---\nx', [], 'x', 3],
    ['---\n# only a comment\n---\nx', [], 'x', 4],
    ['---\n\n  \n---\nx', [], 'x', 5],
    ['----\na: 1\n----\nx', undefined, '----\na: 1\n----\nx', 1],
    ['---\na: 1\n---\nx\n---\ny\n', ['a'], 'x\n---\ny', 4],
  ];
  for (const [text, keys, body, bodyLine] of cases) {
    const found = read(text);
    const seen = [found.fields && [...found.fields.keys()], found.body, found.bodyLine];
    assert.deepEqual(seen, [keys, body, bodyLine], JSON.stringify(text));
  }
});

test('a scalar stays what was typed, with the place it was typed at', () => {
  const source = `---
a: 12:30:00
b: 017
c: yes
d: "x\\ty"
e: ~
f: [1_000, 0x10]
g:
  h: 'it''s'
---
`;
  const { fields } = read(source);
  const seen = [...(fields ?? [])].map(([key, { value, place }]) => [key, value.kind, place.line, place.column]);
  assert.deepEqual(seen, [
    ['a', 'scalar', 2, 4],
    ['b', 'scalar', 3, 4],
    ['c', 'scalar', 4, 4],
    ['d', 'scalar', 5, 4],
    ['e', 'nothing', 6, 4],
    ['f', 'list', 7, 4],
    ['g', 'map', 9, 3],
  ]);
  assert.deepEqual(fields?.get('a')?.value, { kind: 'scalar', text: '12:30:00', quoted: false });
  assert.deepEqual(fields?.get('b')?.value, { kind: 'scalar', text: '017', quoted: false });
  assert.deepEqual(fields?.get('d')?.value, { kind: 'scalar', text: 'x\ty', quoted: true });
  const inner = fields?.get('g')?.value;
  const place = { file: 'a.md', line: 9 };
  assert.deepEqual(inner?.kind === 'map' ? inner.fields.get('h') : undefined, {
    family: 'brief',
    name: 'g.h',
    keyPlace: { ...place, column: 3 },
    place: { ...place, column: 6 },
    value: { kind: 'scalar', text: "it's", quoted: true },
  });
});

test('front matter that is a program is refused, and never run', () => {
  const program = '\n(globalThis.ran = true, { metric: 1 })\n---\n';
  const languages = [
    'js',
    'javascript',
    'JS',
    ' js',
    'json',
    'coffee',
    'cson',
    'toml',
    'constructor',
    '__proto__',
    '# yaml',
  ];
  for (const language of languages) {
    const found = refusal(() => read(`---${language}${program}`));
    assert.equal(found.code, 'brief/syntax');
    assert.match(found.message, /^a\.md:1:1: the front matter is in .+, only YAML front matter is read$/);
    assert.equal('ran' in globalThis, false, language);
  }
});

test('YAML that grows, builds things or says things twice is refused where it stands', () => {
  const bomb = `a: &a [x]\nb: &b [${'*a,'.repeat(9)}]\nc: [${'*b,'.repeat(9)}]`;
  const cases: readonly (readonly [string, string])[] = [
    [bomb, 'a.md:2:7: &a is an anchor, which is not read here'],
    ['a: [x, *a]', 'a.md:2:8: *a is an alias, which is not read here'],
    ['a: *.js', 'a.md:2:4: *.js is an alias, which is not read here'],
    ['a: 1\na: 2', 'a.md:3:1: a is set twice, first on line 2'],
    ['a: { b: 1, b: 2 }', 'a.md:2:12: a.b is set twice, first on line 2'],
    ['"a": 1\na: 2', 'a.md:3:1: a is set twice, first on line 2'],
    ['__proto__: 1', 'a.md:2:1: __proto__ cannot be a key'],
    ['x: { constructor: 1 }', 'a.md:2:6: constructor cannot be a key'],
    ['x: { "prototype": 1, toString: 2 }', 'a.md:2:22: toString cannot be a key'],
    ['<<: { a: 1 }', 'a.md:2:1: << cannot be a key'],
    ['a: !!js/function "x"', 'a.md:2:18: !!js/function is a tag, which is not read here'],
    ['a: !!str x', 'a.md:2:10: !!str is a tag, which is not read here'],
    ['!!map\na: 1', 'a.md:3:1: !!map is a tag, which is not read here'],
    ['!x a: 1', 'a.md:2:4: !x is a tag, which is not read here'],
    ['a: 1\n...\nb: 2', 'a.md:4:1: a second document begins here, expected one'],
    ['- a', 'a.md:2:1: the front matter is a list, expected keys and values'],
    ['word', 'a.md:2:1: the front matter is text, expected keys and values'],
    ['? [a]\n: 1', 'a.md:2:3: a key is not a word'],
    ['{ [a]: 1 }', 'a.md:2:3: a key is not a word'],
    [': 1', 'a.md:2:1: a key is not a word'],
    ['a: @x', 'a.md:2:4: this is not YAML: Plain value cannot start with reserved character @'],
    ['\ta: 1', 'a.md:2:1: this is not YAML: Tabs are not allowed as indentation'],
    [`a: ${'['.repeat(9000)}`, 'lists are nested too deeply here'],
  ];
  for (const [source, message] of cases) {
    const found = refusal(() => read(`---\n${source}\n---\n`));
    assert.ok(found.message.endsWith(message), `${found.message} for ${source.slice(0, 40)}`);
    assert.equal(typeof found.place?.line, 'number');
  }
});

test('fences that are missing, late or not closed are refused', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['---', 'a.md:1:1: the front matter has no end, expected a second line that is just ---'],
    ['---\na: 1\n', 'a.md:1:1: the front matter has no end, expected a second line that is just ---'],
    ['---\na: 1\n----\nx', 'a.md:3:1: the front matter ends in "----", expected ---'],
    ['---\na: 1\n---js\nx', 'a.md:3:1: the front matter ends in "---js", expected ---'],
    ['\n\n---\na: 1\n---\n', 'a.md:3:1: the front matter begins on line 3, expected line 1'],
    [`---\na: ${'x'.repeat(20_000)}\n---\n`, 'a.md:1:1: the front matter has 20007 characters, expected at most 16384'],
    ['x'.repeat(1024 * 1024 + 1), 'a.md:1:1: the file has 1048577 bytes, expected at most 1048576'],
  ];
  for (const [text, message] of cases) assert.equal(refusal(() => read(text)).message, message);
});

test('reading twice gives equal values that do not share anything', () => {
  const text = '---\na: [1]\n---\nx';
  assert.deepEqual(read(text), read(text));
  assert.notEqual(read(text).fields, read(text).fields);
  const broken = '---\na: [\n---\n';
  assert.equal(refusal(() => read(broken)).message, refusal(() => read(broken)).message);
});
