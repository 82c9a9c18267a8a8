import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isTrace } from '../../agents/trace/trace-book.ts';
import { isSpecId, type Spec, specFileName } from '../../domain/words/spec.ts';
import { descendsFrom } from '../../git/merge.ts';
import { allCommits, emptyObjects, fillRef, wholeAmong } from '../../git/objects/damage.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import {
  appliedRef,
  bestRef,
  decisionsRef,
  queueRef,
  reportsRef,
  shortRef,
  spendRefs,
  tipsRefs,
  traceRef,
  traceRefs,
  wipRef,
  wipRefs,
  workRef,
  workRefs,
} from '../../git/refs/ref-names.ts';
import { readLeft } from '../../git/refs/refs-left.ts';
import { ownRefs } from '../../git/refs/remote-stand-in.ts';
import { git } from '../../git/run-git.ts';
import { isOrgRef } from '../../org/rules/org-refs.ts';
import { readEntry } from '../../records/entry.ts';
import { type Org, trunkOf, trunkTip } from '../../records/org.ts';
import { changeQueue, queueHistory, readQueue } from '../../records/queue/queue.ts';
import { formatSpec } from '../../records/queue/spec-text.ts';
import { Problem } from '../../text/problem.ts';
import { pagesAmong, type RefPage } from './ref-pages.ts';

/**
 * After a power failure a ref can be empty, or name a commit that never reached the disk, whole or in part. Such a ref
 * goes back to the newest commit of its kind that is whole, and is taken away when there is none: then a spec can be
 * claimed again. Gives what was done, in words.
 */
export async function repairRefs(org: Org): Promise<string[]> {
  const { repo } = org;
  const { refs, empty } = await ownRefs(repo);
  const emptied = [...empty].filter(isOurs);
  const marker = path.join(repo.gitDir, 'orgrepo', 'mending');
  const begun = existsSync(marker);
  if (!begun && emptied.length === 0 && !(await mayBeDamaged(org))) return [];
  const lost = emptyObjects(repo.objectsDir);
  const named = new Map([...refs].filter(([ref]) => isOurs(ref)));
  const there = await Promise.all([...named.values()].map((id) => repo.reader.has(id)));
  // Without its queue the org would give the numbers of its specs and experiments a second time.
  const isQueueGone = !named.has(queueRef) && [...named.keys()].some((ref) => ref.startsWith(workRefs));
  if (!begun && emptied.length + lost.length === 0 && !there.includes(false) && !isQueueGone) return [];
  writeFileSync(marker, ''); // Without the empty files nobody would see what is left to do.
  for (const file of lost) rmSync(file, { force: true });
  forgetWhatWasDerived(org);
  const trunk = await wholeTrunk(org);
  const whole = new Set(await wholeAmong(repo, [...new Set(named.values())], trunk));
  const broken = [...named].filter(([, id]) => !whole.has(id)).map(([ref]) => ref);
  const said = await putAllBack(org, new Set([...emptied, ...broken, ...(isQueueGone ? [queueRef] : [])]), trunk);
  rmSync(marker);
  return said;
}

const isOurs = (ref: string): boolean =>
  [queueRef, bestRef, reportsRef, decisionsRef, appliedRef].includes(ref) ||
  [workRefs, wipRefs, spendRefs, traceRefs, tipsRefs].some((prefix) => ref.startsWith(prefix));

/** A run that ended has synced what it wrote. Where one was cut off, or a branch cannot be read, it is worth a look. */
async function mayBeDamaged(org: Org): Promise<boolean> {
  for (const ref of [queueRef, bestRef, reportsRef]) {
    const named = (await org.repo.reader.resolve(ref)) !== undefined;
    if (named && (await readEntry(org, ref)) === undefined) return true;
  }
  const queue = await readQueue(org);
  if (queue === undefined) return (await claimedSpecs(org)).length > 0;
  return queue.ledger.state !== 'ended';
}

/** Git's notes on benches, the memory of measured trees and of where refs stood speak of commits that may be gone; all are made anew. */
function forgetWhatWasDerived(org: Org): void {
  const notes = path.join(org.repo.gitDir, 'worktrees');
  for (const name of existsSync(notes) ? readdirSync(notes) : [])
    if (name.startsWith('orgrepo-')) rmSync(path.join(notes, name), { recursive: true, force: true });
  for (const name of ['measured', 'left']) rmSync(path.join(org.repo.gitDir, 'orgrepo', name), { force: true });
}

/** Everything of ours is built on the trunk. Where that is damaged, nothing would seem whole, and nothing is touched. */
async function wholeTrunk(org: Org): Promise<string> {
  const trunk = await trunkTip(org);
  if ((await wholeAmong(org.repo, [trunk])).length > 0) return trunk;
  throw new Problem(
    'integrity/history',
    `${shortRef(trunkOf(org))} is damaged: something that its history is made of cannot be read`,
    'See what it is: git fsck. Get it from another clone: git fetch',
  );
}

async function putAllBack(org: Org, refs: ReadonlySet<string>, trunk: string): Promise<string[]> {
  if (refs.size === 0) return [];
  const pages = await pagesAmong(org, await allCommits(org.repo));
  const said: string[] = [];
  for (const ref of refs) said.push(await putBack(org, ref, pages, trunk));
  await remindQueue(org, pages);
  return said;
}

async function putBack(org: Org, ref: string, pages: readonly RefPage[], trunk: string): Promise<string> {
  const { repo } = org;
  const isEmpty = (await ownRefs(repo)).empty.has(ref);
  for (const { entry } of pages.filter((page) => page.ref === ref)) {
    const { oid } = entry.commit;
    if ((await wholeAmong(repo, [oid], trunk)).length === 0) continue;
    if (isEmpty) fillRef(repo.gitDir, ref, oid);
    else await git(repo, ['update-ref', ref, oid]);
    return `${shortRef(ref)} was lost and is back at ${oid.slice(0, 7)} ${entry.title}`;
  }
  if (isEmpty) rmSync(path.join(repo.gitDir, ref));
  else await git(repo, ['update-ref', '-d', ref]);
  return `${shortRef(ref)} cannot be had again and is gone`;
}

/**
 * A queue that went back may not know of specs that were claimed since, nor of numbers that were given. The notebooks
 * do, so no number is given twice and no work is forgotten.
 */
async function remindQueue(org: Org, pages: readonly RefPage[]): Promise<void> {
  const queue = await readQueue(org);
  const known = new Set(queue?.specs.map((spec) => spec.id));
  for await (const entry of queueHistory(org)) if (entry.event === 'done') known.add(entry.get('Spec') ?? '');
  const forgotten = (await claimedSpecs(org)).filter((id) => !known.has(id)).flatMap((id) => specFrom(id, pages));
  const own = pages.filter(({ entry }) => !isTrace(entry)); // A trace gives no number: it has the one of its try.
  const highest = (key: string): number => own.reduce((most, { entry }) => Math.max(most, entry.number(key) ?? 0), 0);
  await changeQueue(org, ({ ledger }) => ({
    event: 'spec',
    title: `spec: ${forgotten.length} found again after the repository was damaged`,
    body: forgotten.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
    files: new Map(forgotten.map((spec) => [`specs/${specFileName(spec)}`, formatSpec(spec)])),
    ledger: {
      specs: Math.max(ledger.specs, highest('Spec')),
      experiments: Math.max(ledger.experiments, highest('Experiment')),
    },
    trailers: { Reason: 'mended' },
  }));
}

const claimedSpecs = async ({ repo }: Org): Promise<readonly string[]> =>
  (await refNames(repo, workRefs)).map((ref) => ref.slice(workRefs.length));

/** A spec as its claim tells it. */
function specFrom(id: string, pages: readonly RefPage[]): Spec[] {
  const claim = pages.find(({ entry, ref }) => ref === workRef(id) && entry.event === 'claim')?.entry;
  if (claim === undefined || !isSpecId(id)) return [];
  const title = claim.title.replace(/^claim: \d+ /, '');
  return [{ id, title, by: claim.get('By') ?? 'people', attempts: undefined, body: claim.body }];
}

/**
 * Puts refs back that this clone had when orgrepo last closed, and that are gone: without .git/packed-refs
 * all of them are, at once. A best that is gone alone was deleted by a person, to start over. Gives what was done, in words.
 */
export async function restoreLost(org: Org): Promise<string[]> {
  const lost = await lostRefs(org);
  if (lost.size === 0) return [];
  const trunk = await trunkTip(org);
  const pages = await pagesAmong(org, await allCommits(org.repo));
  const said: string[] = [];
  // Saved candidates last: their notebooks say which of them counts.
  for (const [ref, id] of [...lost].sort(([a], [b]) => Number(a.startsWith(wipRefs)) - Number(b.startsWith(wipRefs))))
    said.push(await restore(org, ref, await newestFrom(org, ref, id, pages), trunk));
  for (const spec of await claimedWithout(org))
    for (const ref of [workRef(spec), wipRef(spec), traceRef(spec)]) {
      const id = await newestFrom(org, ref, undefined, pages);
      if (id !== undefined) said.push(await restore(org, ref, id, trunk));
    }
  return said;
}

async function lostRefs(org: Org): Promise<ReadonlyMap<string, string>> {
  const left = [...readLeft(org.repo.gitDir)].filter(([ref]) => isOrgRef(ref));
  const { refs, empty } = await ownRefs(org.repo);
  const lost = new Map(left.filter(([ref]) => !refs.has(ref) && !empty.has(ref))); // An empty one is mended.
  return lost.size === 1 && lost.has(bestRef) ? new Map() : lost;
}

/**
 * The newest commit of a ref, at `id` or above it: a run that was killed did not write down how far it had come. A saved
 * candidate is replaced and not built upon, so of these the one counts that its notebook has judged last, or would judge next.
 */
async function newestFrom<T extends string | undefined>(
  { repo }: Org,
  ref: string,
  id: T,
  pages: readonly RefPage[],
): Promise<string | T> {
  const isSaved = ref.startsWith(wipRefs);
  const line = isSaved ? await repo.reader.resolve(workRef(ref.slice(wipRefs.length))) : undefined;
  for (const { entry } of pages.filter((page) => page.ref === ref)) {
    const { oid, parents } = entry.commit;
    if (oid === id) return id;
    const [below, above] = isSaved ? [oid, line] : [id, oid];
    if (isSaved && parents[0] === line) return oid;
    if (below === undefined || (above !== undefined && (await descendsFrom(repo, above, below).catch(() => false))))
      return oid;
  }
  return id;
}

/** Notebooks that `left` does not know, because it has no room for more or a run was killed: the queue tells of their claims. */
async function claimedWithout(org: Org): Promise<readonly string[]> {
  const { refs } = await ownRefs(org.repo);
  const specs = new Set<string>();
  if (!refs.has(queueRef)) return [];
  for await (const entry of queueHistory(org))
    if (entry.event === 'claim' || entry.event === 'done')
      for (const spec of [entry.get('Spec') ?? '', entry.get('Next') ?? '']) specs.add(spec);
  return [...specs].filter((spec) => isSpecId(spec) && !refs.has(workRef(spec)));
}

async function restore(org: Org, ref: string, id: string, trunk: string): Promise<string> {
  const { repo } = org;
  const isWhole = (await wholeAmong(repo, [id], trunk)).length > 0;
  if (isWhole && (await repo.refs.move(ref, id, undefined)))
    return `${shortRef(ref)} was lost and is back at ${id.slice(0, 7)}`;
  return `${shortRef(ref)} is gone, and so is ${id.slice(0, 7)}, where it was. Get it from another clone: git fetch origin ${ref}:${ref}. If you deleted it yourself: rm .git/orgrepo/left`;
}
