import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkpointsRef } from '../git/refs/ref-names.ts';
import { orElse } from '../text/problem.ts';
import { readEntry } from './entry.ts';
import type { Org } from './org.ts';

/** A checkpoint as people compare it. */
export interface CheckpointId {
  readonly number: number;
  readonly id: string;
}

/** The newest checkpoint here, as it says of itself. */
export async function newestCheckpointId(org: Org): Promise<CheckpointId | undefined> {
  const tip = await readEntry(org, checkpointsRef);
  return tip && { number: tip.number('Number') ?? 0, id: tip.commit.oid };
}

/**
 * The newest checkpoint that this clone has made or verified. Refs that are put back together with their checkpoints look whole;
 * only a clone that saw a later number can tell.
 */

const seenIn = (org: Org): string => path.join(org.repo.gitDir, 'orgrepo', 'seen');

export function readSeen(org: Org): CheckpointId | undefined {
  const text = orElse(() => readFileSync(seenIn(org), 'utf8'), '');
  const [, number, id] = /^([1-9][0-9]{0,8}) ([0-9a-f]{40,64})\n$/.exec(text) ?? [];
  return id === undefined ? undefined : { number: Number(number), id };
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
