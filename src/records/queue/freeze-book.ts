import { Problem } from '../../text/problem.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { decisionsNow, refuseStale, type SignedStatement, statementParts, writeAct } from '../requests/requests.ts';
import { changeQueue, type Queue, type QueueChange, queueHistory, readQueue } from './queue.ts';

/** A person's order that no run begins, until a person lifts it. It outlives runs, clones and machines. */
export interface Freeze {
  readonly by: string;
  readonly reason: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The freeze in force. */
export async function readFreeze(org: Org): Promise<Freeze | undefined> {
  const { signing, frozen } = await decisionsNow(org);
  if (signing !== undefined && frozen?.event !== 'endorse') return frozen && freezeIn(frozen);
  if (frozen === undefined && !(await readQueue(org))?.ledger.frozen) return undefined;
  for await (const entry of queueHistory(org)) if (entry.event === 'freeze') return freezeIn(entry);
  return { by: 'somebody', reason: 'the commit that says why is not here', at: 0 };
}

const freezeIn = (entry: BookEntry): Freeze => ({
  ...{ by: entry.get('By') ?? '', reason: entry.get('Reason') ?? '', at: entry.commit.committer.at },
});

/** Freezes or thaws the org; false where it is so already. */
export async function recordFreeze(
  org: Org,
  event: 'freeze' | 'thaw',
  { by, reason }: { readonly by: string; readonly reason: string },
  signed?: SignedStatement,
): Promise<boolean> {
  if (((await readFreeze(org)) !== undefined) === (event === 'freeze')) return false;
  const { files, trailers } = statementParts('org', signed);
  const changeOf = ({ ledger }: Queue): QueueChange => ({
    event,
    title: `${event}: ${reason || `by ${by}`}`,
    files: new Map(files),
    ledger: { frozen: event === 'freeze' },
    trailers: { ...trailers, Run: ledger.run || undefined, By: by, Reason: reason || undefined },
  });
  if (signed === undefined) await changeQueue(org, changeOf);
  else
    await writeAct(org, (_, queue, state) => {
      refuseStale(state, signed, 'org');
      return changeOf(queue);
    });
  return true;
}

/** `Ada has frozen the org since 2026-11-19: the numbers look wrong`. */
export const freezeInWords = ({ by, reason, at }: Freeze): string =>
  `${by} has frozen the org since ${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${reason}`;

/** Refuses to begin a run while the org is frozen. */
export async function refuseFrozen(org: Org): Promise<void> {
  const freeze = await readFreeze(org);
  if (freeze !== undefined)
    throw new Problem('person/frozen', freezeInWords(freeze), 'Once that is settled: orgrepo thaw');
}
