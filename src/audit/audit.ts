import { damagedFiles } from '../git/objects/damage.ts';
import type { Org } from '../records/org.ts';
import { Problem } from '../text/problem.ts';
import { type Books, type NotebookPages, openBooks, rejectedIn } from './audit-books.ts';
import { type AuditFinding, aboutPlace, openLibrary, takeSnapshot } from './audit-library.ts';
import { checkActs, checkApplied, checkOffers, checkPayments, checkRights } from './checks/check-acts.ts';
import { checkBest, checkReviews } from './checks/check-best.ts';
import { checkCheckpoints, rememberNewest } from './checks/check-checkpoints.ts';
import { checkNotebooks, checkNumbers } from './checks/check-notebooks.ts';
import { badObjects, checkSeals, checkSubstitutes } from './checks/check-objects.ts';
import { checkQueue, checkReports } from './checks/check-queue.ts';
import { checkDecisions, checkRefFiles, checkRefs, checkSaved, checkTips, checkTraces } from './checks/check-refs.ts';
import { checkSpend, checkSpentTries } from './checks/check-spend.ts';
import { checkVerdicts } from './checks/check-verdicts.ts';

export type Audit = Readonly<NonNullable<Awaited<ReturnType<typeof auditOrg>>>>;

/**
 * Recomputes from git alone, and without running anything, all that the org's history says of itself. Undefined where
 * nothing ever ran.
 */
export async function auditOrg(org: Org) {
  if (org.repo.shallow)
    throw new Problem(
      'integrity/history',
      'this is a shallow clone: most of the history is not here',
      'git fetch --unshallow',
    );
  const snapshot = await takeSnapshot(org);
  if (snapshot.refs.size + snapshot.broken.length + snapshot.left.size === 0) return undefined;
  const library = await openLibrary(org, snapshot.refs);
  const books = openBooks(library, snapshot);
  const findings: AuditFinding[] = [...checkRefFiles(snapshot)];
  for (const file of damagedFiles(org.repo))
    findings.push(
      aboutPlace(`objects/${file}`, "one of git's own files is damaged", 'the checksum at its end', 'another one'),
    );
  for await (const finding of badObjects(library, books)) findings.push(finding);
  // What cannot be read makes everything above it look wrong.
  if (findings.length === 0) for await (const finding of checkBooks(books)) findings.push(finding);
  for await (const finding of checkSubstitutes(library)) findings.push(finding);
  if (findings.length === 0) rememberNewest(books);
  return {
    /** Oldest first; none when everything holds. */
    findings: findings.sort((a, b) => a.at - b.at),
    experiments: books.verdicts.length,
    keeps: [...books.notebooks.values()].reduce((sum, notebook) => sum + keepsIn(notebook), 0),
    commits: library.commits,
    objects: library.objects,
  };
}

/** A win that a review rejected does not count. */
function keepsIn({ pages, verdicts }: NotebookPages): number {
  const rejected = rejectedIn(pages);
  return verdicts.filter(({ page }) => page.event === 'keep' && !rejected.has(page.id)).length;
}

async function* checkBooks(books: Books) {
  yield* checkRefs(books);
  yield* checkSaved(books);
  yield* checkSeals(books);
  yield* checkBest(books);
  yield* checkNotebooks(books);
  yield* checkReviews(books);
  yield* checkVerdicts(books);
  yield* checkNumbers(books);
  yield* checkQueue(books);
  yield* checkActs(books);
  yield* checkPayments(books);
  yield* checkOffers(books);
  yield* checkReports(books);
  yield* checkSpend(books);
  yield* checkSpentTries(books);
  yield* checkTraces(books);
  yield* checkTips(books);
  yield* checkDecisions(books);
  yield* checkApplied(books);
  yield* checkRights(books);
  yield* checkCheckpoints(books);
}
