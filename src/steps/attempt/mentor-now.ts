import type { Member } from '../../domain/staff/charter.ts';
import { isWarmingUp } from '../../domain/staff/trust.ts';
import { mentorOf } from '../../org/rules/reviewers.ts';
import type { Night } from '../night/night.ts';
import { trustNow } from '../standing/night-standing.ts';

/** Who looks after an agent of the chart that warms up; undefined for everybody else. */
export function mentorNow(
  { inForce, standing }: Pick<Night, 'inForce' | 'standing'>,
  agent: string,
): Member | undefined {
  const charter = inForce.pinned.charter?.charter;
  return charter !== undefined && isWarmingUp(trustNow(standing, agent)) ? mentorOf(charter, agent) : undefined;
}
