import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openMachineKey } from '../../src/signing/machine-key.ts';
import { checkSignature, signText } from '../../src/signing/ssh-signature.ts';
import { deviceProvider, hasKeygen, makeKeyPair } from '../support/ssh.ts';

/** Signatures of the real ssh-keygen, checked in this process, and the other way round. */

const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-signing-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const skip = hasKeygen ? false : 'ssh-keygen is not installed';
const text = 'orgrepo-statement 1\norg 123\n';

function signWith(file: string, namespace = 'test@1', provider = ''): string {
  const env = { ...process.env, ...(provider === '' ? {} : { SSH_SK_PROVIDER: provider }) };
  return execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', namespace, '-f', file], {
    ...{ input: text, encoding: 'utf8', env, stdio: ['pipe', 'pipe', 'ignore'] },
  });
}

const kinds: readonly (readonly [string, string, string])[] = [
  ['ed25519', '', 'ssh-ed25519'],
  ['ecdsa', '256', 'ecdsa-sha2-nistp256'],
  ['ecdsa', '384', 'ecdsa-sha2-nistp384'],
  ['ecdsa', '521', 'ecdsa-sha2-nistp521'],
  ['rsa', '2048', 'ssh-rsa'],
];

for (const [kind, bits, type] of kinds)
  test(`a signature by a key of type ${type} holds for its text alone`, { skip }, () => {
    const { file, fingerprint } = makeKeyPair(dir, kind, bits);
    // A number with a leading zero is shorter in OpenSSH's form, so one signature in 128 of ECDSA is a case of its own.
    for (let round = 0; round < (kind === 'ecdsa' ? 8 : 1); round++) {
      const signature = signWith(file);
      const signed = checkSignature(text, signature, 'test@1');
      assert.ok(typeof signed !== 'string', `${signed}`);
      assert.deepEqual([signed.key.type, signed.key.fingerprint], [type, fingerprint]);
      assert.match(`${checkSignature(`${text} `, signature, 'test@1')}`, /not a signature of this text/);
      assert.match(`${checkSignature(text, signature, 'other@1')}`, /signed for "test@1", expected "other@1"/);
    }
  });

for (const kind of ['ed25519-sk', 'ecdsa-sk'])
  test(`a signature by a device of type ${kind} holds, and says that it is one`, {
    skip: skip || (deviceProvider === undefined ? 'no stand-in for a device is installed' : false),
  }, () => {
    const { file, fingerprint } = makeKeyPair(dir, kind, '', deviceProvider);
    const signature = signWith(file, 'test@1', deviceProvider);
    const signed = checkSignature(text, signature, 'test@1');
    assert.ok(typeof signed !== 'string', `${signed}`);
    assert.deepEqual([signed.key.isHardware, signed.key.fingerprint], [true, fingerprint]);
    assert.match(`${checkSignature('another text', signature, 'test@1')}`, /not a signature of this text/);
  });

test('a signature that is cut off or changed anywhere is refused', { skip }, () => {
  const { file } = makeKeyPair(dir, 'ed25519', '');
  const lines = signWith(file).trim().split('\n');
  const bytes = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  const rearmored = (content: Buffer): string =>
    [lines[0], ...(content.toString('base64').match(/.{1,70}/g) ?? []), lines.at(-1), ''].join('\n');
  assert.equal(typeof checkSignature(text, rearmored(bytes), 'test@1'), 'object');
  for (let length = 0; length < bytes.length; length++)
    assert.equal(typeof checkSignature(text, rearmored(bytes.subarray(0, length)), 'test@1'), 'string', `${length}`);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(typeof checkSignature(text, rearmored(changed), 'test@1'), 'string', `byte ${at}`);
  }
  for (const wrong of ['', 'no signature', lines.slice(0, -1).join('\n'), lines.join('\n').replace('SSH', 'PGP')])
    assert.match(`${checkSignature(text, wrong, 'test@1')}`, /not a signature of OpenSSH/);
});

test('a short RSA key is refused with its size', { skip }, () => {
  const { file } = makeKeyPair(dir, 'rsa', '1024');
  assert.match(`${checkSignature(text, signWith(file), 'test@1')}`, /RSA key of 1024 bits, expected 2048/);
});

test('what this machine signs is checked by ssh-keygen without orgrepo', { skip }, () => {
  const own = openMachineKey(path.join(dir, 'machine'));
  const signature = signText(text, 'orgrepo-checkpoint@1', own.private, own.key.blob);
  const checked = checkSignature(text, signature, 'orgrepo-checkpoint@1');
  assert.ok(typeof checked !== 'string', `${checked}`);
  const [signers, sig] = [path.join(dir, 'signers'), path.join(dir, 'text.sig')];
  writeFileSync(signers, `host ssh-ed25519 ${own.key.blob.toString('base64')}\n`);
  writeFileSync(sig, signature);
  const args = ['-Y', 'verify', '-n', 'orgrepo-checkpoint@1', '-I', 'host', '-f', signers, '-s', sig];
  assert.match(execFileSync('ssh-keygen', args, { input: text, encoding: 'utf8' }), /^Good "orgrepo-checkpoint@1"/);
});

test('the key of a machine is made once, and nobody else can read it', () => {
  const place = path.join(dir, 'once');
  const [first, second] = [openMachineKey(place), openMachineKey(place)];
  assert.equal(first.key.fingerprint, second.key.fingerprint);
  assert.equal(statSync(path.join(place, 'host_key')).mode & 0o777, 0o600);
  assert.match(readFileSync(path.join(place, 'host_key'), 'utf8'), /^-----BEGIN PRIVATE KEY-----/);
  writeFileSync(path.join(place, 'host_key'), 'nonsense');
  assert.throws(() => openMachineKey(place), { code: 'integrity/history' });
  assert.ok(existsSync(path.join(place, 'host_key')), 'it is left for a person to look at');
});
