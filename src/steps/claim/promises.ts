import type { Charter } from '../../domain/staff/charter.ts';
import { riskOf, type Spec } from '../../domain/words/spec.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { routeSpec } from '../../org/rules/route.ts';
import { brokenFor, mustTell, type OpenSpec, type Promised, promiseInWords, promisesIn } from '../../org/rules/sla.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { noteQueued } from '../../records/queue/queued.ts';
import { writeRaised } from '../../records/requests/escalations.ts';
import { isNews, trustNow } from '../night/floor.ts';
import type { Night } from '../night/night.ts';
import { raisedInWords } from '../people/raise-stuck.ts';
import { priorityIn } from '../standing/opening.ts';
import { waitingState } from './claim.ts';

/** Looks that often at the most, since lanes that wait ask several times a second. */
const lookEverySeconds = 1;

/**
 * Looks whether a promise of the policies (an SLA) is broken, and says so up the chart: once for a spec and a promise, as an
 * escalation for want of time. Time counts from when a spec came on the queue, or from the start of this run where that is later.
 */
export async function watchPromises(night: Night, how: 'now' | 'now and then'): Promise<void> {
  const charter = night.pinned.charter?.charter;
  const promises = charter === undefined ? [] : promisesIn(charter.policies);
  const now = nowInSeconds();
  if (charter === undefined || promises.length === 0 || night.ending !== undefined) return;
  if (how === 'now and then' && now - night.floor.promises.lookedAt < lookEverySeconds) return;
  night.floor.promises.lookedAt = now;
  await noteQueued(night.org, night.floor.promises.queued, night.startedAt / 1000);
  for (const spec of (await readQueue(night.org))?.specs ?? []) {
    if (spec.role === 'human') continue; // Nobody hurries people.
    const open = await openSpec(night, spec, now);
    for (const { promise, cycles } of brokenFor(promises, open, cycleOf(night), now))
      await tellBroken(night, charter, spec, promise, cycles);
  }
}

/** Whether a promise wants to hear of the attempt that a spec has just had. */
export function isProgressDue(night: Night, spec: Spec): boolean {
  const promises = promisesOf(night);
  if (promises.length === 0) return false;
  const { at, attempts } = toldOf(night, spec.id);
  const since = { seconds: nowInSeconds() - at, attempts: attempts + 1 };
  night.floor.promises.told.set(spec.id, { at, attempts: attempts + 1 });
  return mustTell(promises, priorityIn(night, spec), since, cycleOf(night));
}

/** Somebody has told how a spec gets on. */
export function noteTold(night: Night, spec: string): void {
  night.floor.promises.told.set(spec, { at: nowInSeconds(), attempts: 0 });
}

const promisesOf = (night: Night): readonly Promised[] => {
  const policies = night.pinned.charter?.charter.policies;
  return policies === undefined ? [] : promisesIn(policies);
};

/** One attempt's budget, as health counts it. */
const cycleOf = ({ pinned: { brief } }: Night): number => (brief.budget.agentMs + brief.budget.experimentMs) / 1000;

/** One that an earlier run had left claimed is told of from the start of this one on. */
const toldOf = ({ floor, startedAt }: Night, spec: string) =>
  floor.promises.told.get(spec) ?? { at: startedAt / 1000, attempts: 0 };

function queuedAt({ floor: { promises } }: Night, { id }: Spec, now: number): number {
  const at = promises.queued.at.get(id) ?? now;
  promises.queued.at.set(id, at);
  return at;
}

async function openSpec(night: Night, spec: Spec, now: number): Promise<OpenSpec> {
  const live = night.live.get(spec.id);
  const isClaimed = live !== undefined || (await night.org.repo.reader.resolve(workRef(spec.id))) !== undefined;
  const waitsForPerson = live?.state === waitingState;
  return {
    ...{ priority: priorityIn(night, spec), queuedAt: queuedAt(night, spec, now) },
    claimed: isClaimed ? { toldAt: toldOf(night, spec.id).at, waitsForPerson } : undefined,
  };
}

async function tellBroken(
  night: Night,
  charter: Charter,
  spec: Spec,
  promise: Promised,
  cycles: number,
): Promise<void> {
  const rule = promiseInWords(promise);
  if (!isNews(night.floor, `broken ${spec.id} ${rule}`)) return;
  const been = `${cycles.toFixed(1)} cycles (${Math.round(cycles * cycleOf(night))} s)`;
  const what = {
    response: 'nobody has claimed it for',
    completion: 'it is open for',
    progress: 'nothing was told of it for',
  };
  const text = `${rule} (${promise.place.file}:${promise.place.line}): ${what[promise.what]} ${been}`;
  const by = await whoseIs(night, charter, spec);
  const stuck = { at: nowInSeconds(), spec: spec.id, by, reason: 'TIMEOUT', text, rule } as const;
  const raised = await writeRaised(night.org, stuck, charter);
  if (raised !== undefined) night.say({ kind: 'warning', at: nowInSeconds(), message: raisedInWords(raised) });
}

/** Its holder, or whoever it waits for by the chart. */
async function whoseIs(night: Night, charter: Charter, spec: Spec): Promise<string> {
  const holder = night.live.get(spec.id)?.agent ?? (await readNotebook(night.org, spec.id))?.agent;
  const given = holder ?? night.floor.delegated.get(spec.id)?.to;
  if (given !== undefined) return given;
  const routable = { ...spec, priority: priorityIn(night, spec), risk: riskOf(spec, night.pinned.brief) };
  const workers = charter.members.filter(({ id }) => night.juniors.includes(id));
  const candidates = workers.map((member) => ({ member, open: 0, trust: trustNow(night.floor, member.id) }));
  const route = routeSpec(routable, candidates, charter);
  return route.kind === 'nobody' ? 'orgrepo' : route.to;
}
