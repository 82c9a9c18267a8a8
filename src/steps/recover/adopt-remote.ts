import { isAncestor } from '../../git/merge.ts';
import { fillRef } from '../../git/objects/damage.ts';
import { type FarRefs, fetchFarRefs, ownRefs, sweepFetched, trackedRefs } from '../../git/refs/far-refs.ts';
import { bestRef, queueRef, shortRef, wipRefs } from '../../git/refs/ref-names.ts';
import { hasOwnQueue, trackingRef } from '../../git/refs/remote-stand-in.ts';
import { isOrgRef, isProposalRef } from '../../org/rules/org-refs.ts';
import { readEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { Problem } from '../../text/problem.ts';
import { withoutStrays } from './stray-notebooks.ts';
import { doubtsAboutTaken, takenInWords } from './taken-up.ts';

export interface TakeUp {
  /** Whether git may ask a person for a password. */
  readonly mayAsk: boolean;
  /** Whether a person has broken it off meanwhile. */
  readonly stopped?: (() => boolean) | undefined;
  /** What was done. */
  told(message: string): void;
  /** What a person should know of it. */
  warned(message: string): void;
}

/**
 * Makes a clone go on with the org that its remote has, before anything is written here: the branches become this clone's
 * own, and so do the books below refs/orgrepo/. Where orgrepo has run already, and nobody has gone on elsewhere from what is
 * here, or where no remote has an org, nothing is done.
 * Nothing that is here is overwritten, and the queue comes last: without it whoever is killed has taken up nothing, and the
 * next one begins again.
 */
export async function takeUp(org: Org, how: TakeUp): Promise<void> {
  await sweepFetched(org.repo); // Of one who was killed, before or after the queue.
  const remote = (await hasOwnQueue(org.repo)) ? await remoteAhead(org) : await remoteToAsk(org);
  if (remote === undefined) return;
  try {
    const { refs, failed } = await fetchFarRefs(org.repo, remote, how.mayAsk);
    if (refs.has(queueRef)) return await take(org, remote, refs, how);
    if (failed !== undefined && how.stopped?.()) throw new Problem('git/failed', failed, 'Run again.');
    const known = await trackedRefs(org.repo, remote);
    if (!known.has(queueRef)) return tellBeginning(remote, refs, failed, how);
    const why = failed === undefined ? 'has no org any more' : `cannot be asked (${failed})`;
    how.warned(`${remote} ${why}: its org is taken up as it was last fetched`);
    await take(org, remote, known, how);
  } finally {
    await sweepFetched(org.repo);
  }
}

/**
 * The remote whose queue, as it was last fetched, goes on from the one here: another machine has worked since. None while
 * somebody runs here.
 */
export async function remoteAhead(org: Org): Promise<string | undefined> {
  const { repo } = org;
  const theirs = await repo.reader.resolve(trackingRef('origin', queueRef));
  const ours = theirs && (await repo.reader.resolve(queueRef));
  if (theirs === undefined || ours === undefined || theirs === ours || currentRunner(org) !== undefined)
    return undefined;
  return (await isAncestor(repo, ours, theirs)) ? 'origin' : undefined;
}

/** The remote of a clone in which nothing has run, and which would not know if that remote had an org. */
export async function unfollowedRemote(repo: Org['repo']): Promise<string | undefined> {
  if (await hasOwnQueue(repo)) return undefined;
  const { follows, remoteOf } = await import('../../git/persons-git.ts');
  const remote = await remoteOf(repo.root, shortRef(repo.head ?? ''));
  return remote === undefined || (await follows(repo.root, remote, queueRef)) ? undefined : remote;
}

/**
 * The remote that is known to have an org, or one of which nobody can tell. A clone that follows its remote's branches and has seen no
 * org there is not asked about again: a first night needs no network.
 */
const remoteToAsk = async ({ repo }: Org): Promise<string | undefined> =>
  repo.standIn?.remote ?? unfollowedRemote(repo);

/** An org begins here. Should there be one on the remote after all, the first push is refused, and both are whole. */
function tellBeginning(remote: string, refs: FarRefs, failed: string | undefined, how: TakeUp): void {
  const [some] = refs.keys();
  const why =
    failed !== undefined
      ? `${remote} cannot be asked whether it has an org (${failed}), and this clone does not follow its branches`
      : some && `${remote} has ${shortRef(some)} and no orgrepo/queue, so there is no org to take up`;
  if (why !== undefined) how.warned(`${why}: this one begins anew`);
}

async function take(org: Org, remote: string, found: FarRefs, how: TakeUp): Promise<void> {
  const { repo } = org;
  const isOurs = (ref: string): boolean => isOrgRef(ref) || isProposalRef(ref);
  const strange = [...found.keys()].filter((ref) => !isOurs(ref)).sort();
  const named = new Map([...found].filter(([ref]) => isOurs(ref)));
  for (const [ref, id] of named)
    if ((await repo.reader.describe(id))?.type !== 'commit')
      throw new Problem(
        'integrity/history',
        `${shortRef(ref)} of ${remote} is at ${id.slice(0, 7)}, which is no commit`,
        `Nobody but orgrepo should write there. Look at it: git ls-remote ${remote}`,
      );
  const { refs: wanted, left } = await withoutStrays(org, remote, named);
  const inOrder = [...wanted].sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const before = await ownRefs(repo);
  const settled = new Set<string>();
  for (const [ref, id] of inOrder) {
    if (ref === queueRef) await checkSettled(org, settled); // Before the one that says that all is here.
    await takeRef(org, remote, ref, id, before);
    settled.add(ref);
  }
  repo.standIn?.end();
  const taken = [...wanted.keys()];
  const done = await takenInWords(org, remote, taken);
  if (done !== undefined) how.told(done);
  for (const doubt of await doubtsAboutTaken(org, remote, taken)) how.warned(doubt);
  if (left !== undefined) how.warned(left);
  if (strange.length > 0) how.warned(`left where they are, because orgrepo makes no such refs: ${namesOf(strange)}`);
}

/** The books first, for they are of no use alone; the queue last. */
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
  if (here === undefined && before.empty.has(ref)) {
    fillRef(repo.gitDir, ref, id);
    return;
  }
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
  if (await isAncestor(org.repo, than, id)) return true;
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

/** A ref that is read before the queue is there is the remote's: whether ours was made is seen in its own file alone. */
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
