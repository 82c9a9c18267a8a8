import type { Experiment } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue } from './queue.ts';

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
