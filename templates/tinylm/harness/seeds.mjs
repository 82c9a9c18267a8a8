import { pbkdf2Sync } from 'node:crypto';

/**
 * A seed of its own for each purpose, from the one that orgrepo draws for a measurement. Whoever has one of them cannot get at
 * the others: there are two thousand million seeds that it may have come from, and each of them is slow to try on purpose.
 */
export function seedFor(purpose) {
  return pbkdf2Sync(process.env.ORGREPO_SEED ?? '0', purpose, 1000, 4, 'sha256').readInt32LE();
}
