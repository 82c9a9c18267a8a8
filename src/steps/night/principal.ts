import { agentPrincipal, type Principal } from '../../domain/rules/act.ts';
import { memberOf } from '../../domain/staff/chart.ts';
import { trustNow } from '../standing/night-standing.ts';
import type { Night } from './night.ts';
import { chartNow } from './night-in-force.ts';

/** Who wants to do something, as policies see them: by the chart that is in force, and by what they have earned. */
export function principalIn(night: Pick<Night, 'inForce' | 'standing'>, agent: string): Principal {
  const chart = chartNow(night.inForce);
  return agentPrincipal(agent, chart && memberOf(chart, agent), trustNow(night.standing, agent).score);
}
