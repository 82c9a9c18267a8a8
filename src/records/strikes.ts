import { strikesIn } from '../domain/strikes.ts';
import { experimentsAbove } from './history.ts';
import type { Org } from './org.ts';
import { changeQueue, type Queue, queueHistory } from './queue.ts';

/** Who has tampered how often in the run that the queue tells of, read from its notebooks: a restart forgets nothing. */
export async function readStrikes(org: Org, queue: Queue): Promise<Map<string, number>> {
  const { run, runFrom } = queue.ledger;
  const experiments = await experimentsAbove(org, queue, runFrom);
  if (strikesIn(experiments, new Map()).size === 0) return new Map();
  const forgiven = new Map<string, number>();
  for await (const entry of queueHistory(org)) {
    if ((entry.event === 'run' || entry.event === 'end') && entry.get('Run') !== run) break;
    const agent = entry.get('Agent');
    if (entry.event === 'resume' && agent !== undefined && !forgiven.has(agent))
      forgiven.set(agent, entry.number('Experiment') ?? 0);
  }
  return strikesIn(experiments, forgiven);
}

/** Writes down that an agent gets no more work until a person says so. */
export function haltAgent(org: Org, agent: string, why: string): Promise<Queue> {
  return changeQueue(org, ({ ledger }) =>
    ledger.halted.includes(agent)
      ? undefined
      : {
          event: 'halt',
          title: `halt: ${agent}, ${why}`,
          ledger: { halted: [...ledger.halted, agent].sort() },
          trailers: { Run: ledger.run, Agent: agent, Host: org.host, Reason: why },
        },
  );
}

/** A person's word that an agent may go on; what it did up to here is forgiven. */
export async function resumeAgent(org: Org, agent: string, queue: Queue, reason: string | undefined): Promise<Queue> {
  const experiments = await experimentsAbove(org, queue, queue.ledger.runFrom);
  const last = experiments.at(-1)?.n ?? queue.ledger.experiments;
  return changeQueue(org, ({ ledger }) => ({
    event: 'resume',
    title: `resume: ${agent}, ${reason ?? 'by a person'}`,
    ledger: { halted: ledger.halted.filter((one) => one !== agent) },
    trailers: { Run: ledger.run, Agent: agent, Experiment: last, Reason: reason },
  }));
}
