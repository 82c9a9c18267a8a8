import type { Claimed } from '../records/claims.ts';
import type { Recorded } from './experiment.ts';
import { integrate } from './integrate.ts';
import type { Night } from './night.ts';
import type { Bench } from './prepare.ts';
import { takeApart } from './take-apart.ts';

/**
 * What a verdict leads to: what is kept goes to best, and is then taken apart. Gives back how the claim stands, or
 * undefined when it was lost or the run cancelled.
 */
export async function followUp(night: Night, bench: Bench, written: Recorded): Promise<Claimed | undefined> {
  if (written.experiment.event !== 'keep') return { claim: bench.claim, line: written.line };
  const claimed = await integrate(night, bench, written);
  return claimed && takeApart(night, bench, written, claimed);
}
