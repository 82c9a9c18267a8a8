import { makeGround, type Round, tamperOnce } from '../test/support/tampering-ground.ts';

/** Of so many random changes of one byte or one field, each on a fresh copy of a small org, those that verify misses. */
export async function measureTampering(
  count: number,
  seed: number,
): Promise<{ found: number; missed: readonly Round[] }> {
  const ground = makeGround();
  const missed: Round[] = [];
  try {
    for (let at = 0; at < count; at++) {
      const round = await tamperOnce(ground, seed * 1_000_000 + at);
      if (!round.found) missed.push(round);
    }
  } finally {
    ground.remove();
  }
  return { found: count - missed.length, missed };
}
