import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../text/problem.ts';
import type { Org } from './org.ts';

/**
 * The newest checkpoint that this clone has made or verified. Refs that are put back together with their checkpoints look whole;
 * only a clone that saw a later number can tell.
 */
export interface SeenCheckpoint {
  readonly number: number;
  readonly commit: string;
}

const seenIn = (org: Org): string => path.join(org.repo.gitDir, 'orgrepo', 'seen');

export function readSeen(org: Org): SeenCheckpoint | undefined {
  const text = orElse(() => readFileSync(seenIn(org), 'utf8'), '');
  const [, number, commit] = /^([1-9][0-9]{0,8}) ([0-9a-f]{40,64})\n$/.exec(text) ?? [];
  return commit === undefined ? undefined : { number: Number(number), commit };
}

export function rememberSeen(org: Org, number: number, commit: string): void {
  if (number <= (readSeen(org)?.number ?? 0)) return;
  const mine = `${seenIn(org)}.${process.pid}`;
  try {
    mkdirSync(path.dirname(mine), { recursive: true });
    writeFileSync(mine, `${number} ${commit}\n`);
    renameSync(mine, seenIn(org));
  } catch {
    // A memory that cannot be written is worth no failure.
  }
}
