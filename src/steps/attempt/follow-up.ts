import type { Claimed } from '../claim/claim-commits.ts';
import type { Night } from '../night/night.ts';
import { takeApart } from './ablate.ts';
import { integrate } from './integrate.ts';
import type { Bench } from './prepare-bench.ts';
import { review } from './review.ts';
import type { Recorded } from './run-experiment.ts';

/**
 * What a verdict leads to: what is kept goes to best, and is then taken apart. Gives back how the claim stands, or
 * undefined when it was lost, the run cancelled, or a person has to say something first.
 */
export async function followUp(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  bench: Bench,
  written: Recorded,
): Promise<Claimed | undefined> {
  if (written.experiment.event !== 'keep') return { claim: bench.claim, line: written.line };
  const reviewed = await review(night, bench, written);
  if (reviewed === undefined || reviewed.decision === 'waits') return undefined;
  const { line } = reviewed;
  if (reviewed.decision === 'rejected') return { claim: bench.claim, line };
  const claimed = await integrate(night, bench, { ...written, line });
  // What was reviewed is taken as it was reviewed, whole.
  return line.tip !== written.line.tip ? claimed : claimed && takeApart(night, bench, written, claimed);
}
