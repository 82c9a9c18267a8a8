import { isTrace } from '../../agents/trace/trace-book.ts';
import {
  appliedRef,
  bestRef,
  checkpointsRef,
  decisionsRef,
  queueRef,
  reportsRef,
  spendRef,
  tipsRef,
  traceRef,
  wipRef,
  workRef,
} from '../../git/refs/ref-names.ts';
import { isApply } from '../../org/force/in-force.ts';
import { isDecision } from '../../policy/decision-book.ts';
import { isCheckpoint } from '../../records/checkpoints.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import { isTips } from '../../records/notebook/run-end.ts';
import type { Org } from '../../records/org.ts';
import { isSpend } from '../../spend/books/spend-ledger.ts';

/** A commit that orgrepo made, on a branch or not, and how many of them are below it. */
export interface RefPage {
  readonly entry: BookEntry;
  readonly ref: string;
  readonly depth: number;
}

/** Those of these commits that are of the org's books and can be read, newest first. */
export async function pagesAmong(org: Org, commits: readonly string[]): Promise<RefPage[]> {
  const entries = new Map<string, BookEntry>();
  for (let at = 0; at < commits.length; at += 256) {
    for (const entry of await Promise.all(commits.slice(at, at + 256).map((id) => readEntry(org, id))))
      if (entry?.get('Schema') !== undefined) entries.set(entry.commit.oid, entry);
  }
  const depths = depthsOf(entries);
  return [...entries.values()]
    .map((entry) => ({ entry, ref: refOf(entry), depth: depths.get(entry.commit.oid) ?? 0 }))
    .sort((a, b) => b.entry.commit.committer.at - a.entry.commit.committer.at || b.depth - a.depth);
}

/** Many commits are made in one second: those that are built on others are younger. */
function depthsOf(entries: ReadonlyMap<string, BookEntry>): Map<string, number> {
  const depths = new Map<string, number>();
  for (const start of entries.keys()) {
    const path: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && entries.has(at) && !depths.has(at)) {
      path.push(at);
      at = entries.get(at)?.commit.parents[0];
    }
    const below = at === undefined ? 0 : (depths.get(at) ?? 0);
    for (const [index, id] of path.reverse().entries()) depths.set(id, below + index + 1);
  }
  return depths;
}

/** The ref that a commit was made for. */
function refOf(entry: BookEntry): string {
  const spec = entry.get('Spec');
  if (entry.get('Ledger') !== undefined) return queueRef;
  if (entry.event === 'offer') return ''; // The queue keeps it.
  if (entry.event === 'report') return reportsRef;
  if (isDecision(entry)) return decisionsRef;
  if (isApply(entry)) return appliedRef;
  if (isCheckpoint(entry)) return checkpointsRef;
  if (isTips(entry)) return tipsRef(entry.get('Host') ?? '');
  if (isTrace(entry)) return traceRef(spec);
  if (isSpend(entry)) return spendRef(entry.get('Host') ?? '');
  if (spec === undefined) return entry.event === 'baseline' || entry.event === 'keep' ? bestRef : '';
  return entry.event === 'try' || entry.event === 'wip' ? wipRef(spec) : workRef(spec);
}
