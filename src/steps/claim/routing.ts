import { memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { inOrderFor } from '../../domain/staff/trust.ts';
import { isUrgent, type Spec } from '../../domain/words/spec.ts';
import { routeSpec } from '../../org/rules/route.ts';
import { recordUnrouted } from '../../records/queue/spec-events.ts';
import { readAssignments } from '../../records/requests/requests.ts';
import type { Night, StandingParts } from '../night/night.ts';
import { isPerson, warn, worksHere } from '../night/night-basics.ts';
import { answerStuck } from '../people/answer-stuck.ts';
import { needPerson } from '../people/ask-people.ts';
import { type NextStep, nextClaim } from '../standing/next-step.ts';
import { noteExcused, noteNews, trustNow } from '../standing/night-standing.ts';
import { foreseeClaim, isWaitingForMany } from '../standing/refusals.ts';
import {
  hoursNow,
  isAgentIn,
  isRefusedToAll,
  presentAsKnown,
  priorityIn,
  tellClosed,
  whyGone,
} from '../standing/standing-now.ts';
import { claimNext } from './claim.ts';
import type { Claimed } from './claim-commits.ts';
import { candidateIn, delegate, routableIn } from './delegate.ts';
import type { Delegated } from './night-claims.ts';
import { watchPromises } from './promises.ts';
import { openSpecs, refillQueue } from './refill.ts';

/** The next spec for a worker; the chief is woken when the queue runs low. Where there is a chart, that says which are its own. */
export async function takeSpec(night: Night, agent: string): Promise<Claimed | NextStep | undefined> {
  await watchPromises(night, 'now and then');
  if (isPerson(night.inForce, agent)) return undefined;
  const next = await nextClaim(night, agent);
  if (next.kind === 'wait') return next;
  if (next.kind === 'stop' || !worksHere(night.inForce, agent)) return undefined;
  if (isWaitingForMany(night.standing, agent)) return undefined;
  const hours = hoursNow(night.inForce, agent, 'normal');
  tellClosed(night, agent, hours);
  if (hours.kind === 'go') await answerStuck(night); // What an agent is stuck with comes before what is new.
  let free = hours.kind === 'go' ? await refillQueue(night, agent) : await openSpecs(night);
  const charter = night.inForce.pinned.charter?.charter;
  if (charter === undefined) return claimNext(night, agent, free);
  await noteAnswers(night, free);
  await noteExcused(night.run.org, night.standing, night.standing.lastOrders.ledger.acts);
  // A chart with people alone has no agent to warm up and nothing to share out.
  free = (charter.members.length === 0 ? free : inOrder(night, agent, free)).filter(
    (spec) => hoursNow(night.inForce, agent, priorityIn(night.inForce, spec)).kind === 'go',
  );
  for (;;) {
    const next = await firstFor(night, agent, free, charter);
    if (next === undefined) return undefined;
    const claimed = await claimNext(night, agent, [next.spec], next.why);
    if (claimed !== undefined) {
      night.claims.delegated.delete(next.spec.id);
      return claimed;
    }
    free = free.filter(({ id }) => id !== next.spec.id); // Another lane was faster, or a policy is against it.
  }
}

/** A spec that an answer to a stuck agent gave to another one is delegated to that one. */
async function noteAnswers(night: Pick<Night, 'run' | 'claims'>, free: readonly Spec[]): Promise<void> {
  const given = await readAssignments(night.run.org);
  for (const { id } of free) {
    const to = given.get(id)?.to;
    if (to !== undefined && !night.claims.delegated.has(id))
      night.claims.delegated.set(id, { to, why: `given to ${to} by an answer` });
  }
}

/**
 * What people call urgent first, then what was delegated to this agent, then people's, then agents'; of each the most urgent. An
 * agent that warms up takes what is of low priority before what is normal.
 */
function inOrder(
  night: Pick<Night, 'inForce' | 'claims' | 'standing'>,
  agent: string,
  free: readonly Spec[],
): readonly Spec[] {
  const trust = trustNow(night.standing, agent);
  const ordered = (specs: readonly Spec[]): Spec[] =>
    inOrderFor(trust, specs, (spec) => priorityIn(night.inForce, spec));
  const isTheirs = ({ by }: Spec): boolean => !isAgentIn(night.inForce, by);
  const isGiven = ({ id }: Spec): boolean => night.claims.delegated.get(id)?.to === agent;
  const rankOf = (spec: Spec): number => {
    if (isTheirs(spec) && isUrgent(priorityIn(night.inForce, spec))) return 0;
    return isGiven(spec) ? 1 : isTheirs(spec) ? 2 : 3;
  };
  return [0, 1, 2, 3].flatMap((rank) => ordered(free.filter((spec) => rankOf(spec) === rank)));
}

/** The first of these specs that is this agent's. Those before it wait for others, who are known to the night from now on. */
async function firstFor(
  night: Night,
  agent: string,
  free: readonly Spec[],
  charter: Charter,
): Promise<{ readonly spec: Spec; readonly why: string | undefined } | undefined> {
  const [first] = free;
  if (charter.members.length === 0) return first && { spec: first, why: undefined };
  const waiting = new Set<string>();
  for (const spec of free) {
    let routed = await routeNow(night, spec, charter);
    while (routed !== undefined && (await foreseeClaim(night, routed.to, spec)))
      routed = await routeNow(night, spec, charter); // One fewer is able now.
    if (routed?.to === agent) return { spec, why: routed.why };
    if (routed === undefined) continue;
    waiting.add(spec.id);
    tellWaiting(night, spec, routed.to, charter);
  }
  night.claims.waitingSpecs = waiting;
  return undefined;
}

/** Returns the agent that this spec belongs to now; undefined if nobody can take it. A delegation is in git before it counts. */
async function routeNow(night: Night, spec: Spec, charter: Charter): Promise<Delegated | undefined> {
  const workers = charter.members.filter(
    ({ id }) => night.inForce.juniors.includes(id) && !isPerson(night.inForce, id),
  );
  const able = workers.filter(({ id }) => whyGone(night, id, spec.id) === undefined);
  const before = night.claims.delegated.get(spec.id);
  if (before !== undefined && able.some(({ id }) => id === before.to)) return before;
  if (able.length === 0) return tellUnrouted(night, spec, workers);
  const routable = routableIn(night.inForce, spec);
  const route = routeSpec(
    routable,
    able.map((member) => candidateIn(night, member)),
    charter,
  );
  return route.kind === 'work' ? route : delegate(night, spec, routable, charter, able);
}

/** The agent that a spec waits for is paused: only a person can change that. */
function tellWaiting(night: StandingParts, spec: Spec, to: string, charter: Charter): void {
  const present = presentAsKnown(night, to);
  if (present.kind !== 'pause' || !noteNews(night.standing, `waits ${spec.id} ${to}`)) return;
  const what = `${spec.id} "${spec.title}" waits for ${to}: ${present.reason}`;
  warn(night.run, what);
  const department = memberOf(charter, to)?.department;
  needPerson(night.run, {
    ...{ what, command: `orgrepo resume ${to}`, spec: spec.id },
    targets: [
      ...[{ kind: 'org' } as const, { kind: 'agent', id: to } as const],
      ...(department === undefined ? [] : [{ kind: 'department', id: department } as const]),
    ],
  });
}

/** Reports that no agent of the chart can take a spec tonight. */
async function tellUnrouted(night: StandingParts, spec: Spec, workers: readonly Member[]): Promise<undefined> {
  if (!noteNews(night.standing, `unrouted ${spec.id}`)) return undefined;
  const reasons = workers.flatMap(({ id }) => whyGone(night, id, spec.id) ?? []);
  const why = reasons.slice(0, 5).join('; ') || 'the chart has nobody who works';
  warn(night.run, `${spec.id} has nobody who can take it: ${why}`);
  // What policies keep from everybody is reported at the end of the night, with the decision: they may be changed until then.
  if (!isRefusedToAll(night, spec.id))
    needPerson(night.run, {
      ...{ what: `${spec.id} "${spec.title}" has nobody: ${why}`, command: 'orgrepo status', spec: spec.id },
    });
  await recordUnrouted(night.run.org, spec, why);
  return undefined;
}
