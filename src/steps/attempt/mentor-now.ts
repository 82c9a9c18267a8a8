import type { Member } from '../../domain/staff/charter.ts';
import { isWarmingUp } from '../../domain/staff/trust.ts';
import { mentorOf } from '../../org/rules/reviewers.ts';
import { trustNow } from '../night/floor.ts';
import type { Night } from '../night/night.ts';

/** Who looks after an agent of the chart that warms up; undefined for everybody else. */
export function mentorNow({ pinned, floor }: Night, agent: string): Member | undefined {
  const charter = pinned.charter?.charter;
  return charter !== undefined && isWarmingUp(trustNow(floor, agent)) ? mentorOf(charter, agent) : undefined;
}
