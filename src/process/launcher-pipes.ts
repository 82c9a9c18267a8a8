import { chmodSync, lchownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { openVoice, type Voice } from './captured-output.ts';
import { makeFifos } from './run-process.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const names = ['stdout', 'stderr'];

/**
 * Makes the named pipes of a launcher, in a directory that nobody else on this machine can enter: what is written to them is
 * taken for the word of a harness. Where commands run as somebody else, the pipes are theirs.
 */
export function makePipes(dir: string, owner: Owner | undefined): void {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  makeFifos(dir, names);
  if (owner === undefined) return;
  for (const place of [...names.map((name) => path.join(dir, name)), dir]) lchownSync(place, owner.uid, owner.gid);
}

/** Our ends of the pipes. Opened anew for each command, so that one which is gone has closed them for good. */
export function openPipes(dir: string): [Voice, Voice] | undefined {
  const stdout = openVoice(path.join(dir, 'stdout'));
  const stderr = stdout && openVoice(path.join(dir, 'stderr'));
  if (stderr === undefined) stdout?.cut();
  return stdout && stderr && [stdout, stderr];
}
