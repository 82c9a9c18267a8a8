import { descendsFrom } from '../git/merge.ts';
import { checkpointsRef } from '../git/refs/ref-names.ts';
import { fetchFarRef, sweepFetched } from '../git/refs/remote-stand-in.ts';
import { readCheckpoint } from '../records/checkpoints.ts';
import { treeOf } from '../records/entry.ts';
import type { Org } from '../records/org.ts';
import { Problem } from '../text/problem.ts';
import { type AuditFinding, aboutTip } from './audit-library.ts';

/** What a second remote says: the number of its newest checkpoint, and where this clone leaves it. */
export interface Witnessed {
  readonly remote: string;
  readonly number: number;
  readonly findings: readonly AuditFinding[];
}

/**
 * Compares the checkpoints of this clone with those of a remote that nobody can rewrite. Neither may leave the other, and this
 * clone must have all that the witness has: else its refs were put back, together with its checkpoints.
 */
export async function askWitness(org: Org, remote: string, mayAsk: boolean): Promise<Witnessed> {
  await org.repo.store.flush();
  try {
    const { commit, failed } = await fetchFarRef(org.repo, remote, checkpointsRef, mayAsk);
    if (failed !== undefined)
      throw new Problem('git/failed', `${remote} could not be asked: ${failed}`, `Try it: git ls-remote ${remote}`);
    if (commit === undefined)
      throw new Problem(
        'integrity/history',
        `${remote} has no checkpoints, so it is a witness of nothing yet`,
        `Give it those of this clone, once you trust them: git push ${remote} ${checkpointsRef}`,
      );
    const theirs = await numberOf(org, commit);
    const own = await org.repo.reader.resolve(checkpointsRef);
    if (own !== undefined && (await descendsFrom(org.repo, own, commit)))
      return { remote, number: theirs, findings: [] };
    const isBehind = own === undefined || (await descendsFrom(org.repo, commit, own));
    const what = isBehind
      ? `${remote} has a later checkpoint: this clone is behind it, or its refs were put back`
      : `the checkpoints of this clone and of ${remote} are two histories`;
    const found = own === undefined ? undefined : `checkpoint ${await numberOf(org, own)} (${own.slice(0, 7)})`;
    const expected = `checkpoint ${theirs} (${commit.slice(0, 7)})`;
    return { remote, number: theirs, findings: [aboutTip(checkpointsRef, what, expected, found)] };
  } finally {
    await sweepFetched(org.repo);
  }
}

async function numberOf(org: Org, commit: string): Promise<number> {
  const { checkpoint, wrong } = await readCheckpoint(org, await treeOf(org, commit));
  if (checkpoint !== undefined && wrong === undefined) return checkpoint.number;
  throw new Problem(
    'integrity/history',
    `the checkpoint ${commit.slice(0, 7)} cannot be believed: ${wrong}`,
    `Look at it: git show ${commit.slice(0, 7)}`,
  );
}
