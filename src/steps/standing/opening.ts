import { person, postsOf } from '../../domain/staff/staff.ts';
import { type Priority, priorityOf, type Spec } from '../../domain/words/spec.ts';
import { type Opening, openingFor } from '../../org/rules/hours.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { recordClosed } from '../../records/queue/spec-events.ts';
import type { Night } from '../night/night.ts';
import type { NightInForce } from '../night/night-in-force.ts';
import { inTheBackground } from '../night/run-constants.ts';
import { noteNews } from './night-standing.ts';

/** Whether the org's hours let something of this priority begin now. People work when they like. */
export function openingNow(inForce: NightInForce, agent: string, priority: Priority): Opening {
  if (agent === person) return { kind: 'open' };
  return openingFor(inForce.pinned.charter?.charter.policies.hours, nowInSeconds(), priority);
}

/** What a spec counts for: an agent's word makes nothing critical. */
export const priorityIn = (inForce: NightInForce, spec: Pick<Spec, 'priority' | 'by'>): Priority =>
  priorityOf(spec, (name) => isAgentIn(inForce, name));

/** Whether a name that a spec was written under is no person's. */
export const isAgentIn = ({ pinned, agents }: NightInForce, name: string): boolean =>
  name === 'chief' || name === 'merge' || agents.has(name) || postsOf(pinned.brief).some(({ id }) => id === name);

/** That nothing is begun, as a commit: once for each closing, or every agent would say so several times a second. */
export function tellClosed(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  agent: string,
  shut: Opening,
  spec?: string,
): void {
  if (shut.kind === 'open') return;
  const until = untilWords(night.inForce, shut.opensAt);
  if (noteNews(night.standing, `closed ${agent} ${shut.opensAt}`))
    night.run.say({ kind: 'doing', at: nowInSeconds(), agent, doing: 'idle', detail: until });
  if (!noteNews(night.standing, `closed ${shut.opensAt}`)) return;
  night.run.say({ kind: 'warning', at: nowInSeconds(), message: `${shut.reason}: nothing is begun ${until}` });
  inTheBackground(night.run, recordClosed(night.run.org, agent, spec, shut.reason, until));
}

/** `until 08:00` on the org's own clock. */
function untilWords({ pinned }: NightInForce, opensAt: number | undefined): string {
  const zone = pinned.charter?.charter.policies.hours?.zone ?? 'UTC';
  if (opensAt === undefined) return 'for now';
  const clock = { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `until ${new Intl.DateTimeFormat('en-GB', clock).format(opensAt * 1000)}`;
}
