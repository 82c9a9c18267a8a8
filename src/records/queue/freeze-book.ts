import { Problem } from '../../text/problem.ts';
import type { Org } from '../org.ts';
import { changeQueue, queueHistory, readQueue } from './queue.ts';

/** A person's order that no run begins, until a person lifts it. It outlives runs, clones and machines. */
export interface Freeze {
  readonly by: string;
  readonly reason: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The freeze in force. */
export async function readFreeze(org: Org): Promise<Freeze | undefined> {
  if (!(await readQueue(org))?.ledger.frozen) return undefined;
  for await (const entry of queueHistory(org))
    if (entry.event === 'freeze')
      return { by: entry.get('By') ?? '', reason: entry.get('Reason') ?? '', at: entry.commit.committer.at };
  return { by: 'somebody', reason: 'the commit that says why is not here', at: 0 };
}

/** Freezes or thaws the org; false where it is so already. */
export async function recordFreeze(
  org: Org,
  event: 'freeze' | 'thaw',
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<boolean> {
  let changed = false;
  await changeQueue(org, ({ ledger }) => {
    changed = ledger.frozen !== (event === 'freeze');
    if (!changed) return undefined;
    return {
      event,
      title: `${event}: ${reason || `by ${by}`}`,
      ledger: { frozen: event === 'freeze' },
      trailers: { Run: ledger.run || undefined, By: by, Reason: reason || undefined },
    };
  });
  return changed;
}

/** `Ada has frozen the org since 2026-11-19: the numbers look wrong`. */
export const freezeInWords = ({ by, reason, at }: Freeze): string =>
  `${by} has frozen the org since ${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${reason}`;

/** Refuses to begin a run while the org is frozen. */
export async function refuseFrozen(org: Org): Promise<void> {
  const freeze = await readFreeze(org);
  if (freeze !== undefined)
    throw new Problem('person/frozen', freezeInWords(freeze), 'Once that is settled: npx orgrepo thaw');
}
