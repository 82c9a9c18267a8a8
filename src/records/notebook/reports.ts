import { entryAt } from '../../git/objects/tree.ts';
import { queueRef, reportsRef } from '../../git/refs/ref-names.ts';
import { entryOf, readEntry, readTip, writeEntry } from '../entry.ts';
import { type Org, trunkTip } from '../org.ts';
import { storeFiles } from '../queue/queue.ts';

/** The newest report's text; empty when there is none. */
export async function readLastReport(org: Org): Promise<string> {
  const tip = await readEntry(org, reportsRef);
  const entry = tip && (await entryAt(org.repo, tip.commit.tree, 'reports/latest.md'));
  const found = entry && (await org.repo.reader.read(entry.oid));
  return found?.type === 'blob' ? found.content.toString('utf8') : '';
}

/** Beside the reports when a cap ended the last night, and gone again after one that no cap ended. */
export const budgetFile = 'reports/errors/budget-exceeded.md';

/** Puts a report's files on orgrepo/reports; those without a text are taken out. */
export async function publishReport(
  org: Org,
  run: string,
  files: ReadonlyMap<string, string | undefined>,
): Promise<string> {
  for (;;) {
    const tip = await readTip(org, reportsRef);
    const base = tip ?? (await entryOf(org, await trunkTip(org)));
    const tree = await storeFiles(org, base.commit.tree, files);
    if (tip !== undefined && tree === tip.commit.tree) return tip.commit.oid; // Nothing new to say.
    const commit = await writeEntry(org, {
      tree,
      parents: [base.commit.oid],
      agent: undefined,
      title: `report: ${run}`,
      // What it tells of: should the queue ever be moved back below that, somebody can tell.
      trailers: { Event: 'report', Run: run, Host: org.host, Cause: await org.repo.reader.resolve(queueRef) },
    });
    if (await org.repo.refs.move(reportsRef, commit, tip?.commit.oid)) return commit;
  }
}
