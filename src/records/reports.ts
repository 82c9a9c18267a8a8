import { queueRef, reportsRef } from '../domain/names.ts';
import { readEntry, readTip, writeEntry } from './entry.ts';
import { type Org, trunkTip } from './org.ts';
import { storeFiles } from './queue.ts';

/** Puts a report's files on orgrepo/reports. */
export async function publishReport(org: Org, run: string, files: ReadonlyMap<string, string>): Promise<string> {
  for (;;) {
    const tip = await readTip(org, reportsRef);
    const base = tip ?? (await readEntry(org, await trunkTip(org)));
    if (base === undefined) throw new Error('the trunk has a tip and no commit');
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
