import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Org } from '../records/org.ts';

/** The harness that nothing came through when it was last attacked. A memory for `doctor`, worth nothing once it is gone. */
const memoryOf = (org: Org): string => path.join(org.repo.gitDir, 'orgrepo', 'attacked');

export function rememberAttacked(org: Org, harness: string): void {
  mkdirSync(path.dirname(memoryOf(org)), { recursive: true });
  writeFileSync(memoryOf(org), `${harness}\n`);
}

export function wasAttacked(org: Org, harness: string): boolean {
  try {
    return readFileSync(memoryOf(org), 'utf8').trim() === harness;
  } catch {
    return false;
  }
}
