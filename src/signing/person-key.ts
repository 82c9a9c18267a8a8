import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { type Foreground, runInForeground } from '../process/foreground.ts';
import { readRegularFile } from '../process/untrusted-files.ts';
import { Problem } from '../text/problem.ts';
import type { Signer } from './allowed-signers.ts';
import { readSshKey, type SshKey } from './ssh-key.ts';
import { checkSignature } from './ssh-signature.ts';
import { readWire } from './ssh-wire.ts';

/** A key that the person at the keyboard can sign with, and where it was named. */
export interface PersonKey {
  /** A file with the private key or the public one; for a key of an agent its public line. */
  readonly named: string;
  readonly from: 'ORGREPO_SIGNING_KEY' | 'user.signingkey' | 'ssh-agent';
  /** Undefined until it has signed, where only the private key is at hand. */
  readonly key: SshKey | undefined;
}

/** What is known of the person's side: their environment, git's `user.signingkey`, and whether they can be asked. */
export interface PersonSide {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configured: string | undefined;
  readonly isAttended: boolean;
}

/** The key that ssh-keygen will sign with: the one that is named, else the agent's key of the first signer who has one there. */
export async function findPersonKey(side: PersonSide, signers: readonly Signer[]): Promise<PersonKey> {
  for (const [from, named] of [
    ['ORGREPO_SIGNING_KEY', side.env.ORGREPO_SIGNING_KEY],
    ['user.signingkey', side.configured],
  ] as const)
    if (named !== undefined && named !== '') return namedKey(from, named.replace(/^key::/, ''), side);
  const listed = await agentKeys(side);
  const [own] = signers.flatMap((signer) => listed.find(({ key }) => signer.key.blob.equals(key.blob)) ?? []);
  if (own !== undefined) return { named: own.line, from: 'ssh-agent', key: own.key };
  throw new Problem(
    'credentials/signing',
    listed.length === 0
      ? 'decisions are signed here, and no key to sign with is at hand'
      : 'decisions are signed here, and allowed_signers names none of the keys of your ssh-agent',
    'Name your key: git config user.signingkey ~/.ssh/id_ed25519.pub, or set ORGREPO_SIGNING_KEY.',
  );
}

/** Signs a text. Agents, passphrases and devices that want to be touched are ssh-keygen's to deal with. */
export async function signAsPerson(text: string, namespace: string, own: PersonKey, side: PersonSide): Promise<string> {
  const dir = temporaryDirectory();
  try {
    const file = own.from === 'ssh-agent' || isPublicLine(own.named) ? path.join(dir, 'key.pub') : own.named;
    if (file !== own.named) writeFileSync(file, `${own.named}\n`, { mode: 0o600 });
    const ran = await runInForeground(keygen(side, ['-Y', 'sign', '-q', '-n', namespace, '-f', file], text));
    if (ran.isMissing) throw noKeygen();
    const signed = ran.code === 0 ? checkSignature(text, ran.stdout, namespace) : undefined;
    if (signed !== undefined && typeof signed !== 'string') return ran.stdout;
    const said = ran.stderr.trim().split('\n').at(-1)?.trim();
    throw new Problem(
      'credentials/signing',
      `ssh-keygen did not sign with ${own.from} (${shown(own.named)})${said ? `: ${said}` : ''}`,
      side.isAttended
        ? 'Try it alone: echo test | ssh-keygen -Y sign -n test -f <your key>'
        : 'A key with a passphrase or a device needs a terminal or an ssh-agent: run this without --no-input.',
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function temporaryDirectory(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'orgrepo-sign-'));
  } catch (error) {
    throw new Problem(
      'disk/write',
      `nothing can be written in ${tmpdir()}: ${error instanceof Error ? error.message : String(error)}`,
      'Name another directory for temporary files: TMPDIR=/tmp',
    );
  }
}

/** What it takes to sign with a key: a touch, an agent, a passphrase, or no more than to read a file. */
export function guardOf({ named, from, key }: PersonKey): 'device' | 'agent' | 'passphrase' | 'file' {
  if (key?.isHardware) return 'device';
  if (from === 'ssh-agent' || isPublicLine(named)) return 'agent';
  const text = readRegularFile(named.replace(/\.pub$/, ''), 64 * 1024);
  if (text === undefined) return 'agent';
  if (!text.includes('BEGIN OPENSSH PRIVATE KEY')) return text.includes('ENCRYPTED') ? 'passphrase' : 'file';
  const body = Buffer.from(text.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64');
  const cipher = readWire(body.subarray('openssh-key-v1\0'.length)).text();
  return cipher === 'none' ? 'file' : 'passphrase';
}

function namedKey(from: PersonKey['from'], named: string, side: PersonSide): PersonKey {
  if (isPublicLine(named)) return { named, from, key: keyOfLine(named) };
  const file = named.startsWith('~/') ? path.join(side.env.HOME ?? homedir(), named.slice(2)) : named;
  if (!existsSync(file))
    throw new Problem(
      'credentials/signing',
      `${from} names ${shown(named)}, and there is no such file`,
      'Name a key that exists, or make one: ssh-keygen -t ed25519',
    );
  const beside = file.endsWith('.pub') ? file : `${file}.pub`;
  return { named: file, from, key: existsSync(beside) ? keyOfLine(readFileSync(beside, 'latin1')) : undefined };
}

async function agentKeys(side: PersonSide): Promise<readonly { readonly line: string; readonly key: SshKey }[]> {
  if (side.env.SSH_AUTH_SOCK === undefined) return [];
  const ran = await runInForeground({ ...keygen(side, ['-L'], ''), file: 'ssh-add' });
  const lines = ran.code === 0 ? ran.stdout.split('\n') : [];
  return lines.flatMap((line) => {
    const key = keyOfLine(line);
    return key === undefined ? [] : [{ line, key }];
  });
}

const isPublicLine = (text: string): boolean => /^(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+=*/.test(text);

function keyOfLine(line: string): SshKey | undefined {
  const key = readSshKey(Buffer.from(line.trim().split(/\s+/)[1] ?? '', 'base64'));
  return typeof key === 'string' ? undefined : key;
}

const shown = (named: string): string => (named.length > 60 ? `${named.slice(0, 60)}…` : named);

/** What ssh-keygen needs to reach agents and devices, and none of the keys of models. */
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|LANG|TERM|DISPLAY|WAYLAND_DISPLAY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSH_ASKPASS|SSH_ASKPASS_REQUIRE|SSH_SK_PROVIDER|SSH_SK_HELPER)$/;

function keygen({ env, isAttended }: PersonSide, args: readonly string[], input: string): Foreground {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && passedOn.test(name) ? [[name, value] as const] : [],
  );
  const asked = isAttended ? {} : { SSH_ASKPASS_REQUIRE: env.SSH_ASKPASS_REQUIRE ?? 'never' };
  return { file: 'ssh-keygen', args, env: { ...Object.fromEntries(kept), ...asked }, input, isAttended };
}

const noKeygen = (): Problem =>
  new Problem(
    'credentials/signing',
    'decisions are signed here, and ssh-keygen is not installed',
    'Install OpenSSH, 8.9 or newer: apt install openssh-client',
  );
