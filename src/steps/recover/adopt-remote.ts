import { modelsOf } from '../../domain/staff/staff.ts';
import { triedIn } from '../../domain/words/experiment.ts';
import { descendsFrom } from '../../git/merge.ts';
import { fillRef } from '../../git/objects/damage.ts';
import { entryAt } from '../../git/objects/tree.ts';
import {
  appliedRef,
  bestRef,
  decisionsRef,
  queueRef,
  shortRef,
  spendRefs,
  traceRefs,
  wipRefs,
  workRefs,
} from '../../git/refs/ref-names.ts';
import {
  type FarRefs,
  fetchFarRefs,
  ownRefs,
  ranHere,
  sweepFetched,
  trackedRefs,
  trackingRef,
} from '../../git/refs/remote-stand-in.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { policiesDir } from '../../org/force/policy-files.ts';
import { isOrgRef, isProposalRef } from '../../org/rules/org-refs.ts';
import { readEntry, treeOf } from '../../records/entry.ts';
import { readBest } from '../../records/notebook/best-line.ts';
import { liveNotebooks, wholeTally } from '../../records/notebook/history.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readLastRun, readQueue } from '../../records/queue/queue.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { Problem, unlessProblem } from '../../text/problem.ts';
import { withoutStrays } from './strays.ts';

export interface AdoptOptions {
  /** Whether git may ask a person for a password. */
  readonly mayAsk: boolean;
  /** Whether a person has stopped it meanwhile. */
  readonly stopped?: (() => boolean) | undefined;
  say(message: string): void;
  warn(message: string): void;
}

/**
 * Makes a clone continue the org of its remote, before anything is written here: the branches and the refs below
 * refs/orgrepo/ become this clone's own. Does nothing where no remote has an org, or where orgrepo has run here already and
 * nothing has been added elsewhere.
 * Overwrites nothing. The queue comes last: a process that is killed before it has adopted nothing, and the next one begins again.
 */
export async function adoptRemote(org: Org, how: AdoptOptions): Promise<void> {
  await sweepFetched(org.repo); // A process that was killed left them.
  const remote = (await ranHere(org.repo)) ? await remoteAhead(org) : await remoteToAsk(org);
  if (remote === undefined) return;
  try {
    const { refs, failed } = await fetchFarRefs(org.repo, remote, how.mayAsk);
    if (refs.has(queueRef)) return await take(org, remote, refs, how);
    if (failed !== undefined && how.stopped?.()) throw new Problem('git/failed', failed, 'Run again.');
    const known = await trackedRefs(org.repo, remote);
    if (!known.has(queueRef)) return warnOfNewOrg(remote, refs, failed, how);
    const why = failed === undefined ? 'has no org any more' : `cannot be asked (${failed})`;
    how.warn(`${remote} ${why}: its org is adopted as it was last fetched`);
    await take(org, remote, known, how);
  } finally {
    await sweepFetched(org.repo);
  }
}

/** The remote whose queue, as last fetched, is ahead of the one here: another machine has worked since. None during a run here. */
export async function remoteAhead(org: Org): Promise<string | undefined> {
  const { repo } = org;
  const theirs = await repo.reader.resolve(trackingRef('origin', queueRef));
  const ours = theirs && (await repo.reader.resolve(queueRef));
  if (theirs === undefined || ours === undefined || theirs === ours || currentRunner(org) !== undefined)
    return undefined;
  return (await descendsFrom(repo, theirs, ours)) ? 'origin' : undefined;
}

/** The remote of a clone in which nothing has run and which does not follow the branches of an org there. */
export async function unfollowedRemote(repo: Org['repo']): Promise<string | undefined> {
  if (await ranHere(repo)) return undefined;
  const { follows, remoteOf } = await import('../../git/persons-git.ts');
  const remote = await remoteOf(repo.root, shortRef(repo.head ?? ''));
  return remote === undefined || (await follows(repo.root, remote, queueRef)) ? undefined : remote;
}

/** The remote that has an org, or may have one. A clone that follows its branches and sees none asks no network. */
const remoteToAsk = async ({ repo }: Org): Promise<string | undefined> =>
  repo.standIn?.remote ?? unfollowedRemote(repo);

/** An org begins here. If the remote has one after all, the first push is refused, and both are whole. */
function warnOfNewOrg(remote: string, refs: FarRefs, failed: string | undefined, how: AdoptOptions): void {
  const [some] = refs.keys();
  const why =
    failed !== undefined
      ? `${remote} cannot be asked whether it has an org (${failed}), and this clone does not follow its branches`
      : some && `${remote} has ${shortRef(some)} and no orgrepo/queue, so there is no org to adopt`;
  if (why !== undefined) how.warn(`${why}: this one begins anew`);
}

async function take(org: Org, remote: string, found: FarRefs, how: AdoptOptions): Promise<void> {
  const { repo } = org;
  const isOurs = (ref: string): boolean => isOrgRef(ref) || isProposalRef(ref);
  const strange = [...found.keys()].filter((ref) => !isOurs(ref)).sort();
  const named = new Map([...found].filter(([ref]) => isOurs(ref)));
  for (const [ref, id] of named)
    if ((await repo.reader.describe(id))?.type !== 'commit')
      throw new Problem(
        'integrity/history',
        `${shortRef(ref)} of ${remote} is at ${id.slice(0, 7)}, which is not a commit`,
        `Nobody but orgrepo should write there. Look at it: git ls-remote ${remote}`,
      );
  const { refs: wanted, left } = await withoutStrays(org, remote, named);
  const inOrder = [...wanted].sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const before = await ownRefs(repo);
  const settled = new Set<string>();
  for (const [ref, id] of inOrder) {
    if (ref === queueRef) await checkSettled(org, settled); // The queue says that everything is here.
    await takeRef(org, remote, ref, id, before);
    settled.add(ref);
  }
  repo.standIn?.end();
  const taken = [...wanted.keys()];
  const done = await takenInWords(org, remote, taken);
  if (done !== undefined) how.say(done);
  for (const doubt of await doubtsAboutTaken(org, remote, taken)) how.warn(doubt);
  if (left !== undefined) how.warn(left);
  if (strange.length > 0) how.warn(`left where they are, because orgrepo makes no such refs: ${namesOf(strange)}`);
}

/** The books come first, because they are of no use alone; the queue comes last. */
const rankOf = (ref: string): number =>
  ref === queueRef ? 3 : ref === bestRef ? 2 : ref.startsWith('refs/heads/') ? 1 : 0;

/** Brings a ref to the remote's commit, or leaves it where it is when that is further on. */
async function takeRef(
  org: Org,
  remote: string,
  ref: string,
  id: string,
  before: Awaited<ReturnType<typeof ownRefs>>,
): Promise<void> {
  const { repo } = org;
  const here = before.refs.get(ref);
  if (here === undefined && before.empty.has(ref)) return fillRef(repo.gitDir, ref, id);
  if (here === id) return;
  if (here !== undefined && (isProposalRef(ref) || (await checkFurther(org, ref, here, id)))) return;
  if (here !== undefined && !(await checkFurther(org, ref, id, here))) throw apart(remote, ref, here, id);
  if (await repo.refs.move(ref, id, here)) return;
  const now = (await ownRefs(repo)).refs.get(ref);
  if (now !== undefined && (await checkFurther(org, ref, now, id))) return; // Two of us at once, and one has gone on already.
  throw new Problem('busy/lock', `${shortRef(ref)} was moved by somebody else`, 'Run again.');
}

/** Branches only ever grow. A saved candidate is replaced by the next one of its spec, whose number is higher. */
async function checkFurther(org: Org, ref: string, id: string, than: string): Promise<boolean> {
  if (await descendsFrom(org.repo, id, than)) return true;
  return ref.startsWith(wipRefs) && (await numberAt(org, id)) > (await numberAt(org, than));
}

async function numberAt(org: Org, commit: string): Promise<number> {
  const entry = await readEntry(org, commit);
  const saved = entry?.event === 'wip' ? await readEntry(org, entry.commit.parents[0] ?? '') : entry;
  return saved?.number('Experiment') ?? 0;
}

const apart = (remote: string, ref: string, here: string, there: string): Problem =>
  new Problem(
    'repo/ours',
    `${shortRef(ref)} is at ${here.slice(0, 7)} here and at ${there.slice(0, 7)} on ${remote}, and neither goes on from the other`,
    `Put yours out of the way and run again: git update-ref refs/heads/mine ${here} && git update-ref -d ${ref}`,
  );

/** Until the queue is here, refs are read from the remote. Only a ref's own file shows that ours was made. */
async function checkSettled({ repo }: Org, settled: ReadonlySet<string>): Promise<void> {
  const { refs } = await ownRefs(repo);
  const missing = [...settled].find((ref) => !refs.has(ref));
  if (missing === undefined) return;
  throw new Problem('git/failed', `${shortRef(missing)} could not be made`, 'Check the repository with: git fsck');
}

/** A remote may name its refs as it likes. */
const namesOf = (refs: readonly string[]): string =>
  `${refs
    .slice(0, 3)
    .map((ref) => ref.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 100))
    .join(', ')}${refs.length > 3 ? ` and ${refs.length - 3} more` : ''}`;

/** What a clone has now that it has adopted these refs; undefined where that cannot be read, which the start reports. */
async function takenInWords(org: Org, remote: string, taken: readonly string[]): Promise<string | undefined> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  if (queue === undefined) return undefined;
  const { tally, waiting } = wholeTally(queue, await liveNotebooks(org, queue));
  const tried = triedIn(tally) + waiting;
  const notebooks = taken.filter((ref) => ref.startsWith(workRefs)).length;
  const stands = best === undefined ? '' : `, best ${best.score}${best.n > 0 ? ` (#${best.n})` : ''}`;
  const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `adopted from ${remote}: ${count(tried, 'experiment')}, ${count(notebooks, 'notebook')}${stands}`;
}

/** Warnings: the books that the remote does not have, and a run that may still be at work elsewhere. */
async function doubtsAboutTaken(org: Org, remote: string, taken: readonly string[]): Promise<string[]> {
  const doubts: string[] = [];
  const has = (prefix: string): boolean => taken.some((ref) => ref.startsWith(prefix));
  const all = [spendRefs, traceRefs, decisionsRef, appliedRef]; // Rather one warning too many.
  const books = [...(has(workRefs) ? [wipRefs] : []), ...((await unlessProblem(booksOf(org))) ?? all)];
  const lacking = books.filter((prefix) => !has(prefix));
  const missing = lacking.map((prefix) => prefix.split('/')[2]);
  if (missing.length > 0)
    doubts.push(`${remote} has none of refs/orgrepo/{${missing.join(',')}}: what there was of it is not known here`);
  const queue = await readQueue(org);
  if (queue === undefined || queue.ledger.state === 'ended' || queue.ledger.run === '') return doubts;
  const by = `run ${queue.ledger.run} on ${(await readLastRun(org))?.get('Host') ?? 'another machine'}`;
  return [...doubts, `${by} had not ended. Should it still run there, stop it: two would go on with the same specs`];
}

/** The books below refs/orgrepo/ that an org such as the trunk's has once it has run. */
async function booksOf(org: Org): Promise<readonly string[]> {
  const trunk = await trunkTip(org);
  const { brief, charter } = await pinBrief(org, trunk);
  const hasPolicies = (await entryAt(org.repo, await treeOf(org, trunk), policiesDir)) !== undefined;
  return [
    ...(modelsOf(brief.staff).length > 0 ? [spendRefs, traceRefs] : []),
    ...(hasPolicies ? [decisionsRef] : []),
    ...(hasPolicies || charter !== undefined ? [appliedRef] : []),
  ];
}
