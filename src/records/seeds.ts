import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../text/problem.ts';
import type { Org } from './org.ts';

/**
 * The seed of the k-th pair in which a tree is measured by a harness, from 0 to 2^31-1. It follows from a secret that
 * nobody inside can read, so it cannot be predicted; and from nothing else, so a crash gives no new draw.
 */
export function seedFor(org: Org, tree: string, harness: string, k: number): number {
  const digest = createHmac('sha256', secretOf(org)).update(`${tree}:${harness}:${k}`).digest();
  return digest.readUInt32BE(0) >>> 1;
}

const secretBytes = 32;
const secrets = new WeakMap<Org, Buffer>();

function secretOf(org: Org): Buffer {
  const known = secrets.get(org);
  if (known !== undefined) return known;
  const file = path.join(org.repo.gitDir, 'orgrepo', 'secret');
  const secret = readSecret(file) ?? makeSecret(file);
  secrets.set(org, secret);
  return secret;
}

function readSecret(file: string): Buffer | undefined {
  const secret = orElse(() => readFileSync(file), undefined);
  return secret?.length === secretBytes ? secret : undefined;
}

/** A link is made or it is not: of two processes that begin at once, both go on with the secret of one. */
function makeSecret(file: string): Buffer {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, randomBytes(secretBytes), { mode: 0o600, flush: true });
  try {
    for (;;) {
      try {
        linkSync(mine, file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const secret = readSecret(file);
      if (secret !== undefined) return secret;
      rmSync(file, { force: true }); // Damaged, by a power failure or by hand. Seeds of the past are in their commits.
    }
  } finally {
    rmSync(mine, { force: true });
  }
}
