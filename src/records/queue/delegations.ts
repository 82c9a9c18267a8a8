import type { Experiment } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { type SpentByModel, spentTrailers } from '../entry.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, queueHistory } from './queue.ts';

/** Further back nobody looks: what was delegated before is delegated again. */
const farthestBack = 2_000;

/** To whom the open specs were delegated last, and why. */
export async function openDelegations(
  org: Org,
  queue: Queue,
): Promise<Map<string, { readonly to: string; readonly why: string }>> {
  const found = new Map<string, { readonly to: string; readonly why: string }>();
  const open = new Set(queue.specs.map(({ id }) => id));
  let looked = 0;
  for await (const entry of queueHistory(org)) {
    if (found.size === open.size || ++looked > farthestBack) break;
    const [spec = '', to = ''] = [entry.get('Spec'), entry.get('To')];
    if (entry.event === 'delegate' && open.has(spec) && !found.has(spec))
      found.set(spec, { to, why: entry.get('Reason') ?? '' });
  }
  return found;
}

/** That somebody of the chart gives a spec to somebody else. `spent` is what it cost to ask them, where they are a model. */
export function recordDelegation(
  org: Org,
  spec: Spec,
  by: string,
  to: string,
  why: string,
  spent?: SpentByModel | undefined,
): Promise<Queue> {
  return changeQueue(org, ({ ledger, files }) =>
    files.has(spec.id)
      ? {
          event: 'delegate',
          agent: by,
          title: `delegate: ${spec.id} to ${to}`,
          trailers: { Run: ledger.run, Spec: spec.id, Agent: by, To: to, Reason: why, ...spentTrailers(spent) },
        }
      : undefined,
  );
}

/** That there is nobody for a spec. */
export function recordUnrouted(org: Org, spec: Spec, why: string): Promise<Queue> {
  return changeQueue(org, ({ ledger, files }) =>
    files.has(spec.id)
      ? {
          event: 'unrouted',
          agent: 'orgrepo',
          title: `unrouted: ${spec.id} ${spec.title}`,
          trailers: { Run: ledger.run, Spec: spec.id, Agent: 'orgrepo', Reason: why },
        }
      : undefined,
  );
}

/** That an agent wanted to work outside of the working hours. `until` is when they begin, in words. */
export function recordClosed(org: Org, agent: string, spec: string | undefined, reason: string, until: string) {
  return changeQueue(org, ({ ledger }) => ({
    event: 'closed',
    agent: 'orgrepo',
    title: `closed: nothing is begun ${until}`,
    trailers: { Run: ledger.run, Agent: agent, Spec: spec, Reason: reason },
  }));
}

/** How a spec gets on, told on the queue. The verdict itself is in its notebook. */
export function recordProgress(org: Org, spec: Spec, { agent, n, event, score, commit }: Experiment): Promise<Queue> {
  const came = score === undefined ? event : `${event} ${score}`;
  return changeQueue(org, ({ ledger }) => ({
    event: 'progress',
    agent,
    title: `progress: ${spec.id}, #${n} ${came}`,
    trailers: { Run: ledger.run, Spec: spec.id, Agent: agent, Experiment: n, Cause: commit },
  }));
}
