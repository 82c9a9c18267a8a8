import { isSpecId } from '../../domain/words/spec.ts';
import { isAncestor } from '../../git/merge.ts';
import { allCommits, wholeAmong } from '../../git/objects/damage.ts';
import { bestRef, queueRef, shortRef, traceRef, wipRef, wipRefs, workRef } from '../../git/refs/ref-names.ts';
import { readLeft } from '../../git/refs/refs-left.ts';
import { ownRefs } from '../../git/refs/remote-stand-in.ts';
import { isOrgRef } from '../../org/rules/org-refs.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { queueHistory } from '../../records/queue/queue.ts';
import { pagesAmong, type RefPage } from './ref-pages.ts';

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
  // Saved candidates last: which of them counts is told by their notebooks.
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
    if (below === undefined || (above !== undefined && (await isAncestor(repo, below, above).catch(() => false))))
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
