import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

export const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

/** Debian's openssh-tests carries a library that stands in for a device of FIDO's. */
const provider = '/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so';
export const deviceProvider = existsSync(provider) ? provider : undefined;

export interface KeyPair {
  readonly file: string;
  /** As it stands in the .pub file. */
  readonly line: string;
  readonly fingerprint: string;
}

/** A new key of ssh-keygen's without a passphrase, in this directory. */
export function makeKeyPair(dir: string, kind: string, bits = '', device = ''): KeyPair {
  const file = path.join(dir, `id_${kind}${bits}_${made++}`);
  const [size, by] = [bits === '' ? [] : ['-b', bits], device === '' ? [] : ['-w', device]];
  execFileSync('ssh-keygen', ['-q', '-t', kind, ...size, ...by, '-N', '', '-C', '', '-f', file], { stdio: 'ignore' });
  const shown = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' });
  const line = execFileSync('cat', [`${file}.pub`], { encoding: 'utf8' }).trim();
  return { file, line, fingerprint: shown.split(' ')[1] ?? '' };
}

let made = 0;
