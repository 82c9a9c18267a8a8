import type { Member } from '../../domain/staff/charter.ts';
import type { RouteCandidate } from '../../org/rules/route.ts';
import type { Night } from '../night/night.ts';
import { refusalFor } from '../standing/claim-refusals.ts';
import { trustNow } from '../standing/night-standing.ts';
import { presentAsKnown } from '../standing/present.ts';

/** Somebody of the chart as routing sees them now. */
export function candidateIn(night: Pick<Night, 'inForce' | 'desk' | 'standing'>, member: Member): RouteCandidate {
  const present = presentAsKnown(night, member.id);
  const away = present.kind === 'go' ? undefined : present.reason;
  return { member, open: openOf(night, member.id), trust: trustNow(night.standing, member.id), away };
}

/** What it holds and may go on with, and what was delegated to it. */
function openOf(night: Pick<Night, 'inForce' | 'desk' | 'standing'>, id: string): number {
  const { live, delegated } = night.desk;
  const isHeld = ([spec, { agent }]: readonly [string, { readonly agent: string }]): boolean =>
    agent === id && refusalFor(night, id, spec) === undefined;
  const given = [...delegated].filter(([spec, { to }]) => to === id && !live.has(spec));
  return [...live].filter(isHeld).length + given.length;
}
