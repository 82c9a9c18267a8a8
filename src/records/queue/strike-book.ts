import { strikesIn } from '../../domain/rules/breaker.ts';
import { ordersAfter } from '../../domain/staff/presence.ts';
import { type SpentByModel, spentTrailers } from '../entry.ts';
import { experimentsAbove, notebooksAbove } from '../notebook/history.ts';
import type { TalkEntry } from '../notebook/talk.ts';
import type { Org } from '../org.ts';
import { type PersonsWord, presenceTrailers } from './presence-book.ts';
import { changeQueue, type Queue, queueHistory } from './queue.ts';

/** What the agents of a run have against them. */
interface Marks {
  /** How often each has tampered. */
  readonly strikes: Map<string, number>;
  /** Up to which experiment a person has forgiven each of them everything. */
  readonly forgiven: Map<string, number>;
  /** How often in a row each chief wrote nothing that can be used. */
  readonly inVain: Map<string, number>;
  /** How often in a row each critic and checker gave no answer. */
  readonly silent: Map<string, number>;
}

/** Read from the notebooks and the queue of the run that the queue tells of: a restart forgets nothing. */
export async function readMarks(org: Org, queue: Queue): Promise<Marks> {
  const { run, runFrom } = queue.ledger;
  const forgiven = new Map<string, number>();
  const since = new Map<string, number>();
  const [inVain, counted] = [new Map<string, number>(), new Set<string>()];
  let began = 0;
  for await (const entry of queueHistory(org)) {
    if ((entry.event === 'run' || entry.event === 'end') && entry.get('Run') !== run) break;
    const agent = entry.get('Agent');
    if (entry.event === 'run') began = entry.commit.committer.at;
    if (entry.event === 'resume' && agent !== undefined && !forgiven.has(agent)) {
      forgiven.set(agent, entry.number('Experiment') ?? 0);
      since.set(agent, entry.commit.committer.at);
    }
    if (agent === undefined || counted.has(agent)) continue;
    if (entry.event === 'resume' || entry.event === 'spec') counted.add(agent);
    if (entry.event === 'failed') inVain.set(agent, (inVain.get(agent) ?? 0) + 1);
  }
  const strikes = strikesIn(await experimentsAbove(org, queue, runFrom), forgiven);
  const talk = (await notebooksAbove(org, queue, runFrom)).flatMap((notebook) => notebook.talk);
  const silent = silentIn(talk.filter(({ agent, at }) => at >= (since.get(agent) ?? began)));
  return { strikes, forgiven, inVain, silent };
}

/** Who was asked for an opinion and gave none, how often since the last that he gave. */
function silentIn(talk: readonly TalkEntry[]): Map<string, number> {
  const silent = new Map<string, number>();
  for (const { event, agent, text, approves } of [...talk].sort((a, b) => a.at - b.at)) {
    if (event !== 'critique' && event !== 'review') continue;
    const answered = event === 'critique' ? text !== '' : approves !== undefined;
    silent.set(agent, answered ? 0 : (silent.get(agent) ?? 0) + 1);
  }
  return silent;
}

/** Writes down that a chief was asked, and wrote nothing that can be used. */
export function recordChiefInVain(
  org: Org,
  chief: string,
  why: string,
  spent: SpentByModel | undefined,
): Promise<Queue> {
  return changeQueue(org, ({ ledger }) => ({
    event: 'failed',
    agent: chief,
    title: `failed: ${chief}, ${why}`,
    trailers: { Run: ledger.run, Agent: chief, Host: org.host, ...spentTrailers(spent), Reason: why },
  }));
}

/** Why these agents were stopped, each the last time, from the queue. */
export async function readHalts(org: Org, agents: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  if (agents.length === 0) return reasons;
  for await (const entry of queueHistory(org)) {
    const agent = entry.get('Agent') ?? '';
    if (entry.event === 'halt' && agents.includes(agent) && !reasons.has(agent))
      reasons.set(agent, entry.get('Reason') ?? '');
    if (reasons.size === agents.length) break;
  }
  return reasons;
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
export async function resumeAgent(org: Org, agent: string, queue: Queue, { by, reason }: PersonsWord): Promise<Queue> {
  const experiments = await experimentsAbove(org, queue, queue.ledger.runFrom);
  const last = experiments.at(-1)?.n ?? queue.ledger.experiments;
  return changeQueue(org, ({ ledger }) => ({
    event: 'resume',
    title: `resume: ${agent}, ${reason ?? 'by a person'}`,
    ledger: {
      halted: ledger.halted.filter((one) => one !== agent),
      orders: ordersAfter(ledger.orders, { kind: 'resume', target: { kind: 'agent', id: agent } }),
    },
    trailers: {
      ...{ Run: ledger.run, Agent: agent, Experiment: last, By: by, Reason: reason },
      ...presenceTrailers({ kind: 'agent', id: agent }),
    },
  }));
}
