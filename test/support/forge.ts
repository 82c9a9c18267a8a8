import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { sealLine } from '../../src/records/entry.ts';
import type { TestOrg } from './org.ts';

/** Somebody who knows what a seal is: rewrites the commit a ref names, seals it anew and moves the ref there. */
export function forge(org: TestOrg, ref: string, edit: (text: string) => string): string {
  const before = org.git('cat-file', 'commit', ref);
  const unsealed = edit(before.replace(/Org-Seal: [0-9a-f]{16}\n$/, ''));
  const id = writeCommit(org, unsealed + sealLine(Buffer.from(unsealed)));
  org.git('update-ref', ref, id);
  forget(org);
  return id;
}

export function writeCommit(org: TestOrg, content: string): string {
  const args = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
  const ran = spawnSync('git', args, { cwd: org.dir, input: content, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
}

/** The clone forgets where it left its refs, as one does that was copied from elsewhere. */
export const forget = (org: TestOrg): void => rmSync(path.join(org.dir, '.git/orgrepo/left'), { force: true });

export interface Found {
  readonly where: string;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

export async function verify(org: Pick<TestOrg, 'orgrepo'>): Promise<{
  readonly code: number | null;
  readonly findings: readonly Found[];
}> {
  const ran = await org.orgrepo('verify', '--json');
  return { code: ran.code, findings: (JSON.parse(ran.stdout) as { findings: Found[] }).findings };
}
