import { person, postsOf } from '../../domain/staff/staff.ts';
import { type Priority, priorityOf, type Spec } from '../../domain/words/spec.ts';
import { type Opening, openingFor } from '../../org/rules/hours.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { recordClosed } from '../../records/queue/delegations.ts';
import { isNews } from '../night/floor.ts';
import { inTheBackground, type Night } from '../night/night.ts';

/** Whether the org's hours let something of this priority begin now. People work when they like. */
export function openingNow(night: Night, agent: string, priority: Priority): Opening {
  if (agent === person) return { kind: 'open' };
  return openingFor(night.pinned.charter?.charter.policies.hours, nowInSeconds(), priority);
}

/** What a spec counts for: an agent's word makes nothing critical. */
export const priorityIn = (night: Night, spec: Pick<Spec, 'priority' | 'by'>): Priority =>
  priorityOf(spec, (name) => isAgentIn(night, name));

/** Whether a name that a spec was written under is no person's. */
export const isAgentIn = ({ pinned, floor }: Night, name: string): boolean =>
  name === 'chief' || name === 'merge' || floor.agents.has(name) || postsOf(pinned.brief).some(({ id }) => id === name);

/** That nothing is begun, as a commit: once for each closing, or every agent would say so several times a second. */
export function tellClosed(night: Night, agent: string, shut: Opening, spec?: string): void {
  if (shut.kind === 'open') return;
  const until = untilWords(night, shut.opensAt);
  if (isNews(night.floor, `closed ${agent} ${shut.opensAt}`))
    night.say({ kind: 'doing', at: nowInSeconds(), agent, doing: 'idle', detail: until });
  if (!isNews(night.floor, `closed ${shut.opensAt}`)) return;
  night.say({ kind: 'warning', at: nowInSeconds(), message: `${shut.reason}: nothing is begun ${until}` });
  inTheBackground(night, recordClosed(night.org, agent, spec, shut.reason, until));
}

/** `until 08:00` on the org's own clock. */
function untilWords({ pinned }: Night, opensAt: number | undefined): string {
  const zone = pinned.charter?.charter.policies.hours?.zone ?? 'UTC';
  if (opensAt === undefined) return 'for now';
  const clock = { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `until ${new Intl.DateTimeFormat('en-GB', clock).format(opensAt * 1000)}`;
}
