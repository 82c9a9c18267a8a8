import type { Attempted, SpecTask } from '../../domain/staff/trust.ts';
import { isVerdictEvent } from '../../domain/words/experiment.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import type { BookEntry } from '../entry.ts';
import { notebooksAbove } from '../notebook/history.ts';
import { isOfHolder, type Notebook, readClaimed } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import type { Queue } from './queue.ts';

/**
 * The work on a spec as its notebook tells it, undefined while nobody has claimed it. Half the price of the notebook
 * itself: a candidate's own commit says nothing of how somebody works, and is not read. `end` is where the notebook ends,
 * for who knows it: to look one ref up among 100,000 is dearer than all the rest.
 */
export async function readTask(org: Org, spec: string, end = workRef(spec)): Promise<SpecTask | undefined> {
  const { claim, entries } = (await readClaimed(org, spec, end)) ?? {};
  if (claim === undefined || entries === undefined) return undefined;
  const [tip, oldestFirst] = [entries[0] ?? claim, [...entries].reverse()];
  const rejected = new Set(
    entries.flatMap((one) => (one.get('Decision') === 'reject' ? [one.get('Cause') ?? ''] : [])),
  );
  return {
    spec,
    agent: [...entries, claim].find(isOfHolder)?.get('Agent') ?? '',
    claimedAt: claim.commit.committer.at,
    ackedAt: oldestFirst.find(({ event }) => event === 'ack')?.commit.committer.at,
    endedAt: tip.event === 'done' ? tip.commit.committer.at : undefined,
    experiments: oldestFirst.filter(({ event }) => isVerdictEvent(event)).map((one) => attemptedIn(one, rejected)),
    escalations: entries.filter(({ event }) => event === 'escalate').length,
  };
}

function attemptedIn(verdict: BookEntry, rejected: ReadonlySet<string>): Attempted {
  const { event } = verdict;
  return {
    n: verdict.number('Experiment') ?? 0,
    agent: verdict.get('Agent') ?? '',
    event: rejected.has(verdict.commit.oid) ? 'rejected' : isVerdictEvent(event) ? event : 'void',
    seconds: verdict.number('Seconds'),
    merged: verdict.get('Cause') !== undefined,
    part: verdict.get('Part'),
    at: verdict.commit.committer.at,
    title: verdict.title.replace(/^[a-z]+: /, ''),
  };
}

/** How far back trust looks, and who counts an agent's own tries: an org of years is read as fast as one of days, and what was long ago says little of today. */
export const experimentsBack = 1_000;

/** The notebooks of the specs that were worked lately, finished or not. */
export const recentNotebooks = (org: Org, queue: Queue): Promise<Notebook[]> =>
  notebooksAbove(org, queue, Math.max(0, queue.ledger.experiments - experimentsBack));

export const taskOf = (notebook: Notebook): SpecTask => ({
  spec: notebook.spec,
  agent: notebook.agent,
  claimedAt: notebook.claimedAt,
  ackedAt: notebook.ackedAt,
  endedAt: notebook.done ? notebook.lastAt : undefined,
  experiments: notebook.experiments,
  escalations: 0,
});
