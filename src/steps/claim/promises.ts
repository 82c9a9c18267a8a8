import type { Charter } from '../../domain/staff/charter.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { routeSpec } from '../../org/rules/route.ts';
import { brokenFor, mustTell, type OpenSpec, type Promised, promiseInWords, promisesIn } from '../../org/rules/sla.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { noteQueued, recordProgress } from '../../records/queue/spec-events.ts';
import { writeRaised } from '../../records/requests/requests.ts';
import type { Bench } from '../attempt/bench.ts';
import type { ClaimParts, KnownParts, Night, NightInForce } from '../night/night.ts';
import { inTheBackground, warn } from '../night/night-basics.ts';
import { raisedInWords } from '../people/ask-people.ts';
import { noteNews, trustNow } from '../standing/night-standing.ts';
import { priorityIn } from '../standing/standing-now.ts';
import { routableIn } from './delegate.ts';
import { waitingState } from './night-claims.ts';

/** Looks that often at the most, since lanes that wait ask several times a second. */
const lookEverySeconds = 1;

/**
 * Looks whether a promise of the policies (an SLA) is broken, and says so up the chart: once for a spec and a promise, as an
 * escalation for want of time. Time counts from when a spec came on the queue, or from the start of this run where that is later.
 */
export async function watchPromises(night: ClaimParts, how: 'now' | 'now and then'): Promise<void> {
  const charter = night.inForce.pinned.charter?.charter;
  const promises = promisesOf(night.inForce);
  const now = nowInSeconds();
  if (charter === undefined || promises.length === 0 || night.standing.ending !== undefined) return;
  if (how === 'now and then' && now - night.claims.promises.lookedAt < lookEverySeconds) return;
  night.claims.promises.lookedAt = now;
  await noteQueued(night.run.org, night.claims.promises.queued, night.run.startedAt / 1000);
  for (const spec of (await readQueue(night.run.org))?.specs ?? []) {
    if (spec.role === 'human') continue; // Nobody hurries people.
    const open = await openSpec(night, spec, now);
    for (const { promise, cycles } of brokenFor(promises, open, cycleOf(night.inForce), now))
      await tellBroken(night, charter, spec, promise, cycles);
  }
}

/**
 * Reports on the queue how a spec gets on, as often as the culture wants, and as the policies promise where that is more. Claims and
 * ends are there anyway, so a change of phase is the first keep. A person who looks on request reads the notebook.
 */
export async function tellProgress(
  night: ClaimParts,
  { claim: { spec } }: Bench,
  { experiment }: Recorded,
): Promise<void> {
  await watchPromises(night, 'now'); // Before the word that comes late.
  const due = noteProgressDue(night, spec);
  if (!due && !isWanted(night, spec.id, experiment)) return;
  night.claims.promises.reported.set(spec.id, { at: nowInSeconds(), attempts: 0 });
  inTheBackground(night.run, recordProgress(night.run.org, spec, experiment));
}

function isWanted(night: KnownParts, spec: string, { event }: Experiment): boolean {
  const how = night.inForce.pinned.charter?.charter.culture.progress.value;
  if (how === undefined || how === 'on-request') return false;
  return how !== 'phase-change' || (event === 'keep' && noteNews(night.standing, `kept ${spec}`));
}

/** Whether a promise wants to hear of the attempt that a spec has just had. */
function noteProgressDue(night: Pick<Night, 'run' | 'inForce' | 'claims'>, spec: Spec): boolean {
  const promises = promisesOf(night.inForce);
  if (promises.length === 0) return false;
  const { at, attempts } = reportOf(night, spec.id);
  const since = { seconds: nowInSeconds() - at, attempts: attempts + 1 };
  night.claims.promises.reported.set(spec.id, { at, attempts: attempts + 1 });
  return mustTell(promises, priorityIn(night.inForce, spec), since, cycleOf(night.inForce));
}

const promisesOf = (inForce: NightInForce): readonly Promised[] => {
  const policies = inForce.pinned.charter?.charter.policies;
  return policies === undefined ? [] : promisesIn(policies);
};

/** One attempt's budget, as health counts it. */
const cycleOf = ({ pinned: { brief } }: NightInForce): number =>
  (brief.budget.agentMs + brief.budget.experimentMs) / 1000;

/** Progress of one that an earlier run had left claimed is reported from the start of this one on. */
const reportOf = ({ claims, run }: Pick<Night, 'run' | 'claims'>, spec: string) =>
  claims.promises.reported.get(spec) ?? { at: run.startedAt / 1000, attempts: 0 };

async function openSpec(night: Pick<Night, 'run' | 'inForce' | 'claims'>, spec: Spec, now: number): Promise<OpenSpec> {
  const live = night.claims.live.get(spec.id);
  const { at } = night.claims.promises.queued;
  const queuedAt = at.get(spec.id) ?? now;
  at.set(spec.id, queuedAt);
  const isClaimed = live !== undefined || (await night.run.org.repo.reader.resolve(workRef(spec.id))) !== undefined;
  const waitsForPerson = live?.state === waitingState;
  return {
    ...{ priority: priorityIn(night.inForce, spec), queuedAt },
    claimed: isClaimed ? { reportedAt: reportOf(night, spec.id).at, waitsForPerson } : undefined,
  };
}

async function tellBroken(
  night: ClaimParts,
  charter: Charter,
  spec: Spec,
  promise: Promised,
  cycles: number,
): Promise<void> {
  const rule = promiseInWords(promise);
  if (!noteNews(night.standing, `broken ${spec.id} ${rule}`)) return;
  const been = `${cycles.toFixed(1)} cycles (${Math.round(cycles * cycleOf(night.inForce))} s)`;
  const what = {
    response: 'nobody has claimed it for',
    completion: 'it is open for',
    progress: 'no progress was reported for',
  };
  const text = `${rule} (${promise.place.file}:${promise.place.line}): ${what[promise.what]} ${been}`;
  const by = await whoseIs(night, charter, spec);
  const stuck = { at: nowInSeconds(), spec: spec.id, by, reason: 'TIMEOUT', text, rule } as const;
  const raised = await writeRaised(night.run.org, stuck, charter);
  if (raised !== undefined) warn(night.run, raisedInWords(raised));
}

/** Its holder, or the agent that it waits for by the chart. */
async function whoseIs(night: ClaimParts, charter: Charter, spec: Spec): Promise<string> {
  const holder = night.claims.live.get(spec.id)?.agent ?? (await readNotebook(night.run.org, spec.id))?.agent;
  const given = holder ?? night.claims.delegated.get(spec.id)?.to;
  if (given !== undefined) return given;
  const workers = charter.members.filter(({ id }) => night.inForce.juniors.includes(id));
  const candidates = workers.map((member) => ({ member, open: 0, trust: trustNow(night.standing, member.id) }));
  const route = routeSpec(routableIn(night.inForce, spec), candidates, charter);
  return route.kind === 'nobody' ? 'orgrepo' : route.to;
}
