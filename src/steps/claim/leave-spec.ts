import type { Bench } from '../attempt/prepare-bench.ts';
import type { Night } from '../night/night.ts';
import { finishClaim } from './claim.ts';

/**
 * Ends the work of an agent on a spec: for good where there is a reason. Without one the claim stays as it is; when it is not the
 * night that ends, another agent goes on with it, or this one later: a stop is of one agent, and working hours come again.
 */
export async function leaveSpec(night: Night, { claim: { spec, agent }, line }: Bench, why: string): Promise<void> {
  if (why !== '') await finishClaim(night, spec, agent, line, why);
  else if (night.standing.leaving.delete(spec.id) && night.standing.ending === undefined)
    night.standing.handedBack.add(spec.id);
}
