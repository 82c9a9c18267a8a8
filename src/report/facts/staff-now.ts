import type { Charter } from '../../domain/staff/charter.ts';
import { mayAct, type Presence } from '../../domain/staff/presence.ts';
import { postsOf } from '../../domain/staff/staff.ts';
import { excuse, isWarmingUp, trustIn, trustOf } from '../../domain/staff/trust.ts';
import { isWin } from '../../domain/words/experiment.ts';
import { pinnedNow } from '../../org/force/in-force.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { mentorOf } from '../../org/rules/roster.ts';
import { taskOf } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readPresence } from '../../records/queue/agent-book.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { readExcused } from '../../records/requests/requests.ts';
import type { Status } from './overview.ts';

/** Those of whom it is not counted yet what they tried. */
export type Agents = readonly Omit<Status['agents'][number], 'tried' | 'kept'>[];

/** The notebooks of late, and the number after which an agent's tries are counted. */
export interface RecentWork {
  readonly notebooks: readonly Notebook[];
  readonly above: number;
}

/** Those who are at work, with how far they are trusted; where there is a chart its others too, and whoever is paused. */
export async function withStanding(
  org: Org,
  queue: Queue | undefined,
  atWork: Agents,
  now: number,
  recent: RecentWork,
): Promise<Pick<Status, 'agents' | 'limits'>> {
  const orders = queue?.ledger.orders ?? [];
  const pinned = await pinnedNow(org);
  const charter = pinned?.charter?.charter;
  const own = ownTries(recent);
  if (charter === undefined && orders.length === 0)
    return { agents: atWork.map((agent) => ({ ...agent, ...own(agent.id) })) };
  const presence = await readPresence(org, orders);
  const agents = [...atWork, ...others(pinned, atWork, presence, now)];
  const trusts =
    charter === undefined || queue === undefined
      ? undefined
      : trustIn(excuse(recent.notebooks.map(taskOf), await readExcused(org, queue.ledger)));
  const limits = [...presence.values()].flatMap(({ target, limit }) =>
    limit === undefined
      ? []
      : [`${target.kind === 'org' ? 'the org' : target.id}: ${limit.perHour} attempts an hour, says ${limit.by}`],
  );
  return {
    agents: agents.map((agent) => {
      const held = heldNow(presence, charter, agent.id, now);
      const known = trusts !== undefined && charter?.members.some(({ id }) => id === agent.id);
      const trust = known ? trustOf(trusts, agent.id) : undefined;
      const mentor = trust && charter && isWarmingUp(trust) ? mentorOf(charter, agent.id)?.id : undefined;
      return {
        ...agent,
        ...own(agent.id),
        ...held,
        ...(trust && { trust: trust.score, rank: trust.rank }),
        ...(mentor && { mentor }),
      };
    }),
    ...(limits.length === 0 ? {} : { limits }),
  };
}

/** What each has tried and what of it won, whoever holds the spec now. */
function ownTries({ notebooks, above }: RecentWork): (id: string) => { readonly tried: number; readonly kept: number } {
  const counts = new Map<string, { tried: number; kept: number }>();
  for (const experiment of notebooks.flatMap(({ experiments }) => experiments)) {
    if (experiment.n <= above) continue;
    const count = counts.get(experiment.agent) ?? { tried: 0, kept: 0 };
    count.tried += 1;
    if (isWin(experiment)) count.kept += 1;
    counts.set(experiment.agent, count);
  }
  return (id) => counts.get(id) ?? { tried: 0, kept: 0 };
}

/** Of a chart everybody who works specs, of any org whoever is paused. */
function others(pinned: PinnedBrief | undefined, atWork: Agents, presence: Presence, now: number): Agents {
  if (pinned === undefined) return [];
  const charter = pinned.charter?.charter;
  return postsOf(pinned.brief)
    .filter(({ id }) => !atWork.some((agent) => agent.id === id))
    .flatMap(({ id, duties }) => {
      const held = heldNow(presence, charter, id, now);
      const works = charter !== undefined && duties.includes('junior');
      return works || held !== undefined ? [{ id, doing: 'idle' }] : [];
    });
}

function heldNow(presence: Presence, charter: Charter | undefined, id: string, now: number) {
  const departmentOf = (agent: string): string | undefined =>
    charter?.members.find((member) => member.id === agent)?.department;
  const present = mayAct(presence, { id, department: departmentOf(id) }, now, [], departmentOf);
  if (present.kind !== 'pause' && present.kind !== 'stop') return undefined; // A limit is told of everybody.
  return { presence: present.kind === 'pause' ? ('paused' as const) : ('stopped' as const), held: present.reason };
}
