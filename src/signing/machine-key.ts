import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../process/untrusted-files.ts';
import { Problem } from '../text/problem.ts';
import { readSshKey, type SshKey } from './ssh-key.ts';
import { wireString } from './ssh-wire.ts';

/** The key with which orgrepo signs on this machine, in this clone. A new clone has a new one. */
export interface MachineKey {
  readonly private: KeyObject;
  readonly key: SshKey;
}

/** Reads the key of this clone, and makes it where there is none. Only its owner can read the file. */
export function openMachineKey(dir: string): MachineKey {
  const file = path.join(dir, 'host_key');
  const text = readRegularFile(file, 4096) ?? makeKey(dir, file);
  try {
    const key = createPrivateKey(text);
    const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(pointOf(key))]);
    const read = readSshKey(blob);
    if (typeof read !== 'string') return { private: key, key: read };
  } catch {
    // Not a key: said below.
  }
  throw new Problem(
    'integrity/history',
    `${file} is not a key that orgrepo made`,
    `Take it away, and the next run makes another one: rm ${file}`,
  );
}

/** The file appears whole or not at all; of two processes that make it, both use the first. */
function makeKey(dir: string, file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dir, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
  } catch {
    // Another process was faster.
  } finally {
    rmSync(draft, { force: true });
  }
  return readRegularFile(file, 4096) ?? '';
}

const pointOf = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
