import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '../../src/text/decode.ts';
import { refusal } from '../support/refusal.ts';

const told = (bytes: Buffer): string => refusal(() => decodeText(bytes, 'ORG.md', 'org/syntax')).message;

test('what is UTF-8 is read as it stands', () => {
  for (const text of ['', 'a', '# Café 🚀\r\n', '\ufeffmarked', 'a real \ufffd stays', 'xy\0'])
    assert.equal(decodeText(Buffer.from(text), 'ORG.md', 'org/syntax'), text);
});

test('the first byte that is none is named with its place', () => {
  const cases: readonly [string, Buffer, string][] = [
    ['Latin-1', Buffer.from('# A\n### L\xe9ad Lead\n', 'latin1'), 'ORG.md:2:6: the byte 0xe9 is not UTF-8'],
    ['old line ends', Buffer.from('a\rb\r\n\xe9', 'latin1'), 'ORG.md:3:1: the byte 0xe9 is not UTF-8'],
    ['cut off', Buffer.from('ok \u20ac').subarray(0, -1), 'ORG.md:1:4: the byte 0xe2 is not UTF-8'],
    ['half of our own sign', Buffer.from([0x61, 0xef, 0xbf]), 'ORG.md:1:2: the byte 0xef is not UTF-8'],
    [
      'after a real sign and a mark',
      Buffer.concat([Buffer.from('\ufeff\ufffd'), Buffer.from([0x80])]),
      'ORG.md:1:2: the byte 0x80 is not UTF-8',
    ],
  ];
  for (const [name, bytes, words] of cases) assert.equal(told(bytes), words, name);
});

test('UTF-16 is known with its mark and without', () => {
  const little = Buffer.from('# Café\n', 'utf16le');
  const big = Buffer.from(little).swap16();
  const marks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
  for (const bytes of [
    little,
    big,
    Buffer.concat([marks[0] as Buffer, little]),
    Buffer.concat([marks[1] as Buffer, big]),
  ])
    assert.equal(told(bytes), 'ORG.md:1:1: this looks like UTF-16, expected UTF-8');
});
