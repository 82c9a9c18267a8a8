import { createHash, type KeyObject, sign } from 'node:crypto';
import { readSshKey, type SshKey } from './ssh-key.ts';
import { readWire, wireString } from './ssh-wire.ts';

/** The key that made a signature. */
export interface Signed {
  readonly key: SshKey;
}

/**
 * Checks a signature as `ssh-keygen -Y verify` does, but for who may sign. The namespace says what a signature is for, so that one
 * that was made for something else does not count. The text says what is wrong.
 */
export function checkSignature(text: Buffer | string, armored: string, namespace: string): Signed | string {
  const content = unarmor(armored);
  if (content === undefined) return 'it is not a signature of OpenSSH, or it is cut off';
  const reader = readWire(content);
  if (reader.bytes(magic.length)?.equals(magic) !== true || reader.bytes(4)?.readUInt32BE() !== 1)
    return 'it is not a signature of OpenSSH in its first version';
  const [blob, named, reserved, hash, signature] = [
    reader.string(),
    reader.text(),
    reader.string(),
    reader.text(),
    reader.string(),
  ];
  if (blob === undefined || reserved === undefined || hash === undefined || signature === undefined || !reader.isDone())
    return 'the signature is cut off or damaged';
  if (named !== namespace) return `it was signed for ${JSON.stringify(named)}, expected ${JSON.stringify(namespace)}`;
  if (hash !== 'sha256' && hash !== 'sha512') return `it is signed over a digest of ${hash}, expected sha512 or sha256`;
  const key = readSshKey(blob);
  if (typeof key === 'string') return key;
  const wrong = key.refuse(signedContent(text, namespace, reserved, hash), signature);
  return wrong ?? { key };
}

/** Signs with an Ed25519 key of this machine. People sign with ssh-keygen, which knows their agents and devices. */
export function signText(text: Buffer | string, namespace: string, key: KeyObject, publicBlob: Buffer): string {
  const nothing = Buffer.alloc(0);
  const bytes = sign(null, signedContent(text, namespace, nothing, 'sha512'), key);
  const signature = Buffer.concat([wireString('ssh-ed25519'), wireString(bytes)]);
  const strings = [publicBlob, namespace, nothing, 'sha512', signature].map(wireString);
  return armor(Buffer.concat([magic, Buffer.from([0, 0, 0, 1]), ...strings]));
}

const magic = Buffer.from('SSHSIG');

function signedContent(text: Buffer | string, namespace: string, reserved: Buffer, hash: string): Buffer {
  const digest = createHash(hash).update(text).digest();
  return Buffer.concat([magic, ...[namespace, reserved, hash, digest].map(wireString)]);
}

const [begin, end] = ['-----BEGIN SSH SIGNATURE-----', '-----END SSH SIGNATURE-----'];

function armor(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,70}/g) ?? [];
  return `${[begin, ...lines, end].join('\n')}\n`;
}

function unarmor(armored: string): Buffer | undefined {
  const lines = armored.trim().split(/\r?\n/);
  const base64 = lines.slice(1, -1).join('');
  if (lines[0] !== begin || lines.at(-1) !== end || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64');
}
