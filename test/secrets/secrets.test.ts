import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Scanner, scannerFor } from '../../src/secrets/secret-scanner.ts';
import { encodings, madeSecrets } from '../support/secrets.ts';

const key = 'sk-ant-api03-R2-D2/x+y_z=="Beep\\Boop"&<%41>';
const odd = [
  'correct horse battery',
  'line one\nline two\r\nline three',
  'Zürich-日本語-🔑-key',
  'C:\\new\\u0041\\%41',
  '01234567',
];

const scanner = (...values: string[]): Scanner => {
  const made = scannerFor(values.map((value, index) => ({ name: `KEY_${index + 1}`, value })));
  if (made === undefined) throw new Error('no scanner');
  return made;
};

const wrapped = (text: string, columns: number, end = '\n'): string =>
  text.replace(new RegExp(`(.{${columns}})`, 'g'), `$1${end}`);

const base64In = (value: string, before: number, coding: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(`${'abcdefgh'.slice(0, before)}${value}${'tail'.slice(0, before % 4)}`).toString(coding);

test('a secret is found however it is usually written, with anything before and after it', () => {
  for (const value of [key, ...odd]) {
    const { find } = scanner(value);
    const hex = Buffer.from(value).toString('hex');
    const bytes = [...Buffer.from(value)].map((byte) => byte.toString(16).padStart(2, '0'));
    const json = JSON.stringify(value).slice(1, -1);
    const spelled: Record<string, string | Buffer> = {
      ...Object.fromEntries(Object.entries(encodings).map(([name, encode]) => [name, encode(value)])),
      HEX: hex.toUpperCase(),
      'hex in lines': wrapped(hex, 60),
      'hex as a dump': bytes.join(' '),
      'hex escapes': bytes.map((pair) => `\\x${pair}`).join(''),
      PERCENT: bytes.map((pair) => `%${pair.toUpperCase()}`).join(''),
      encodeURIComponent: encodeURIComponent(value),
      encodeURI: encodeURI(value),
      form: new URLSearchParams({ value }).toString(),
      JSON: json,
      'JSON within JSON': JSON.stringify(JSON.stringify({ value })),
      'JSON with slashes': json.replaceAll('/', '\\/'),
      'JSON in ASCII': json.replace(
        /[^\x20-\x7e]/g,
        (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      'JSON in capitals': [...value]
        .map((each) =>
          /[a-z/]/.test(each)
            ? `\\u00${each.charCodeAt(0).toString(16).toUpperCase()}`
            : JSON.stringify(each).slice(1, -1),
        )
        .join(''),
      HTML: value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
      'UTF-16LE': Buffer.from(value, 'utf16le'),
      'UTF-16BE': Buffer.from(value, 'utf16le').swap16(),
    };
    for (const before of [0, 1, 2, 3, 4, 5]) {
      const base64 = base64In(value, before);
      spelled[`base64 after ${before}`] = base64;
      spelled[`base64 after ${before}, no padding`] = base64.replaceAll('=', '');
      spelled[`base64url after ${before}`] = base64In(value, before, 'base64url');
      for (const columns of [64, 76, 7])
        for (const end of ['\n', '\r\n', '\\n', '\n    '])
          spelled[`base64 after ${before} at ${columns} ${JSON.stringify(end)}`] = wrapped(
            base64In('x'.repeat(50) + value, before),
            columns,
            end,
          );
    }
    for (const [name, text] of Object.entries(spelled)) {
      const around = Buffer.concat([Buffer.from('const a = "'), Buffer.from(text), Buffer.from('"; // b\n')]);
      assert.equal(find(around), 'KEY_1', `${JSON.stringify(value)} as ${name}: ${text}`);
      if (typeof text === 'string') assert.equal(find(text), 'KEY_1', `${name} as text`);
    }
  }
});

test('a hundred secrets in six encodings: each is found by its own name, and hidden whole', () => {
  const secrets = madeSecrets(100);
  const all = scannerFor(secrets);
  for (const { name, value } of secrets)
    for (const [how, encode] of Object.entries(encodings)) {
      assert.equal(all?.find(Buffer.from(`before ${encode(value)} after`)), name, how);
      const hidden = all?.hide(`before ${encode(value)} after`) ?? '';
      assert.match(hidden, new RegExp(`^before \\S{0,2}\\[secret ${name}\\]\\S{0,3} after$`), how);
      assert.equal(all?.find(hidden), undefined, how);
    }
});

test('what is hidden is named, every time it stands there, and the rest stays as it was', () => {
  const { hide } = scanner('first-secret-1', 'second-secret-2');
  assert.equal(
    hide('a first-secret-1, first-secret-1 and second-secret-2é'),
    'a [secret KEY_1], [secret KEY_1] and [secret KEY_2]é',
  );
  assert.equal(hide('a first-sec\n  ret-1 b'), 'a [secret KEY_1] b', 'over two lines');
  const text = '\ufeffnothing to hide: first-secret-2';
  assert.equal(hide(text), text);
  assert.deepEqual(JSON.parse(hide(JSON.stringify({ said: '"first-secret-1"\n', next: 1 }))), {
    said: '"[secret KEY_1]"\n',
    next: 1,
  });
});

test('of secrets that hold one another, as much is hidden as any of them takes', () => {
  const { hide } = scanner('inner-secret', 'outer-inner-secret-outer', 'secret-outer-more');
  assert.equal(hide('<outer-inner-secret-outer-more>'), '<[secret KEY_2]>');
});

test('what is too short to be a secret is none, and without secrets there is no scanner', () => {
  assert.equal(scannerFor([]), undefined);
  assert.equal(scannerFor([{ name: 'SHORT', value: '1234567' }]), undefined);
  assert.equal(scanner('1234567', 'long-enough').find('1234567'), undefined);
  assert.equal(scanner('a b c d e').find('abcde'), undefined, 'nor what is left of one without its blanks');
});

test('nothing is found where there is nothing: ten megabytes of chance, of base64 and of source', () => {
  const { find } = scanner(...madeSecrets(100).map(({ value }) => value), 'abcdefgh', 'ABCD1234');
  const chance = randomBytes(5_000_000);
  assert.equal(find(chance), undefined);
  assert.equal(find(wrapped(chance.toString('base64'), 76)), undefined);
  assert.equal(find(JSON.stringify(chance.subarray(0, 500_000).toString('latin1'))), undefined);
});

test('a secret far into a large file is found, wherever the pieces meet in which it is read', () => {
  const { find } = scanner('needle-in-a-haystack');
  for (const before of [32_700, 32_760, 32_768, 32_787, 65_530, 1_000_000])
    for (const how of ['needle-in-a-haystack', 'needle-in\n-a-haystack', encodings.json?.('needle-in-a-haystack')])
      assert.equal(find(`${'.'.repeat(before)}${how}${'.'.repeat(100)}`), 'KEY_1', `${before} ${how}`);
});
