import { aPaidOrg, makeGround, type Round, tamperOnce, tamperWithBooks } from '../test/support/tampering-ground.ts';

/** Of so many random changes of one byte or one field, each on a fresh copy of a small org, those that verify misses. */
export async function measureTampering(
  count: number,
  seed: number,
): Promise<{ found: number; missed: readonly Round[] }> {
  const ground = await makeGround();
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

/** Of the changes that outsiders made in books, with every seal made anew, those that verify misses. */
export async function measureTamperingWithBooks(): Promise<{ count: number; missed: readonly string[] }> {
  const org = aPaidOrg();
  try {
    await org.orgrepo('run', '--json', '--max', '3');
    const said = [...(await tamperWithBooks(org))].filter(([name]) => name !== 'nothing');
    return { count: said.length, missed: said.flatMap(([name, what]) => (what.length === 0 ? [name] : [])) };
  } finally {
    org.remove();
  }
}
