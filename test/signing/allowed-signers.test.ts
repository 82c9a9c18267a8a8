import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSigners, refuseSigner } from '../../src/signing/allowed-signers.ts';

const ada = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUlVfWUB4qDUqd4zCa8ksBIbDnKf1Z3q9lWZyBBDnZL';
const bob = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPm0aVpvnH+CyzxzkN0+jlqG2QSm4V9yOZpCCu8XNJ2u';

test('a file of signers is read with names, options and comments', () => {
  const signers = parseSigners(
    [
      '# people of the board',
      '',
      `ada,ada@example.org ${ada} ada at home`,
      `"bob" namespaces="orgrepo-approval@1,git",valid-after="20260101",valid-before="202612312359Z" ${bob}`,
    ].join('\n'),
  );
  assert.deepEqual(
    signers.map(({ names, namespaces, after, before, place }) => ({
      names,
      namespaces,
      after,
      before,
      line: place.line,
    })),
    [
      { names: ['ada', 'ada@example.org'], namespaces: undefined, after: undefined, before: undefined, line: 3 },
      {
        ...{ names: ['bob'], namespaces: ['orgrepo-approval@1', 'git'], line: 4 },
        ...{ after: Date.UTC(2026, 0, 1) / 1000, before: Date.UTC(2026, 11, 31, 23, 59) / 1000 },
      },
    ],
  );
});

test('lines that end as on Windows are read as others are', () => {
  const [first, second] = parseSigners(`ada ${ada}\r\n\r\nbob ${bob} bob at home\r\n`);
  assert.deepEqual([first?.names, second?.names, second?.place.line], [['ada'], ['bob'], 3]);
});

test('a key signs in its namespaces and between its times alone', () => {
  const [signer] = parseSigners(`bob namespaces="git",valid-after="20260101",valid-before="20270101" ${bob}`);
  assert.ok(signer);
  const at = (year: number, month: number): number => Date.UTC(year, month - 1, 1) / 1000;
  assert.equal(refuseSigner(signer, 'git', at(2026, 6)), undefined);
  assert.equal(refuseSigner(signer, 'other', at(2026, 6)), 'this key may sign git, and not other');
  assert.equal(refuseSigner(signer, 'git', at(2025, 6)), 'this key is valid from 2026-01-01 00:00 UTC on');
  assert.equal(refuseSigner(signer, 'git', at(2027, 1)), 'this key was valid until 2027-01-01 00:00 UTC');
});

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['a line without a key', 'ada', /allowed_signers:1:1: expected a name, a type of key and a key/],
  ['a line without a name', ada, /:1:1: expected a name/],
  ['a key that is cut off', `ada ${ada.slice(0, -9)}`, /:1:1: found a ssh-ed25519 key that is cut off or damaged/],
  ['a key that is not base64', 'ada ssh-ed25519 AAAA$$$', /:1:1: found a key that is not base64/],
  [
    'a key of another type than the line says',
    `ada ${ada.replace('ssh-ed25519', 'ssh-rsa')}`,
    /says ssh-rsa, the key is a ssh-ed25519/,
  ],
  ['an old type of key', 'ada ssh-dss AAAAB3NzaC1kc3MAAAAB', /found a key of type ssh-dss/],
  ['a pattern in place of a name', `* ${ada}`, /"\*" does not name one person/],
  ['an empty name', `ada, ${ada}`, /"" does not name one person/],
  ['two people on a line', `ada,bob ${ada}`, /:1:1: ada and bob have one key/],
  ['a path in place of a name', `../ada ${ada}`, /"\.\.\/ada" does not name one person/],
  ['a byte order mark', `\ufeffada ${ada}`, /:1:1: it begins with a byte order mark/],
  ['the same key twice', `ada ${ada}\nbob ${ada}`, /:2:1: this key is already in line 1/],
  ['an open quote', `ada namespaces="git ${ada}`, /:1:1: a quote is not closed/],
  ['an unknown option', `ada verify-required ${ada}`, /unknown option "verify-required"/],
  ['an authority of certificates', `ada cert-authority ${ada}`, /cert-authority is not supported/],
  ['a day that does not exist', `ada valid-before="20260231" ${ada}`, /"20260231" is not a time/],
  ['an hour that does not exist', `ada valid-before="202601012500" ${ada}`, /is not a time/],
  ['a file without a key', '# nobody yet\n', /allowed_signers: it names no key/],
];

for (const [what, text, message] of refused)
  test(`a file of signers with ${what} is refused with its line`, () => {
    assert.throws(
      () => parseSigners(text),
      (error: { code?: string; message?: string; hint?: string }) => {
        assert.equal(error.code, 'signers/syntax');
        assert.match(error.message ?? '', message);
        assert.ok((error.hint ?? '').length > 10);
        return true;
      },
    );
  });
