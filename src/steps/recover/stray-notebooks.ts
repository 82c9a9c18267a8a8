import { isAncestor } from '../../git/merge.ts';
import type { FarRefs } from '../../git/refs/far-refs.ts';
import { bestRef, queueRef, shortRef, tipsRefs, traceRef, wipRef, workRefs } from '../../git/refs/ref-names.ts';
import { git } from '../../git/run-git.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import { parseTips } from '../../records/notebook/tips.ts';
import type { Org } from '../../records/org.ts';

/** A remote's refs as far as its own queue knows them. */
export interface Fitting {
  readonly refs: FarRefs;
  /** What stays on the remote, in words; undefined when all of it fits together. */
  readonly left: string | undefined;
}

/**
 * Leaves out notebooks that the remote's queue knows nothing of, with what was saved and said for them. A push that is not
 * atomic leaves such: its queue is refused, and its new branches are not. Their numbers are given by the queue once more.
 */
export async function withoutStrays(org: Org, remote: string, found: FarRefs): Promise<Fitting> {
  const refs = new Map(found);
  const said: string[] = [];
  const claimed = await specsClaimed(org, found.get(queueRef) ?? '');
  const atEnd = await openAtEnd(org, found.get(queueRef) ?? '');
  for (const ref of [...found.keys()].filter((name) => name.startsWith(workRefs))) {
    const spec = ref.slice(workRefs.length);
    if (claimed.has(spec) || (await (atEnd?.has(ref) ?? checkJustClaimed(org, found, ref)))) continue;
    for (const name of [ref, wipRef(spec), traceRef(spec)]) refs.delete(name);
    said.push(`${shortRef(ref)} (its queue has no claim of ${spec})`);
  }
  for (const [ref, id] of atEnd ?? []) {
    const now = refs.get(ref);
    if (now === undefined || now === id || !(await isAncestor(org.repo, id, now))) continue;
    refs.set(ref, id);
    said.push(`${shortRef(ref)} beyond ${id.slice(0, 7)} (where the last run of its queue left it)`);
  }
  for (const ref of [...found.keys()].filter((name) => name.startsWith(tipsRefs))) {
    if (await checkTipsOf(org, found, ref)) continue;
    refs.delete(ref);
    said.push(`${ref} (it tells of another queue)`);
  }
  if (said.length === 0) return { refs, left: undefined };
  const cause =
    'Another clone pushed there without --atomic, and still has all of it. Push with git push --atomic (docs/git.md)';
  return { refs, left: `left on ${remote}: ${said.join(', ')}. ${cause}` };
}

/** Whether the queue has been where a run of that host left it. */
async function checkTipsOf(org: Org, found: FarRefs, ref: string): Promise<boolean> {
  const entry = await readEntry(org, found.get(ref) ?? '');
  const [named, queue] = [parseTips(entry?.get('Tips')).get(queueRef), found.get(queueRef)];
  return named === undefined || queue === undefined || (await isAncestor(org.repo, named, queue).catch(() => false));
}

/** All specs that a queue has seen claimed. */
async function specsClaimed(org: Org, queue: string): Promise<ReadonlySet<string>> {
  const trailer = (key: string): string => `%(trailers:key=Org-${key},valueonly,separator=%x2C)`;
  const format = `--format=${['Event', 'Spec', 'Next'].map(trailer).join(' ')}`;
  const lines = (await git(org.repo, ['log', '--first-parent', format, queue])).split('\n');
  const named = lines.map((line) => line.split(' '));
  return new Set(
    named.flatMap(([event, spec = '', next = '']) => (event === 'claim' || event === 'done' ? [spec, next] : [])),
  );
}

/** A claim is there a moment before the queue tells of it. Then it stands on the best that is there too. */
async function checkJustClaimed(org: Org, found: FarRefs, ref: string): Promise<boolean> {
  const best = found.get(bestRef);
  let entry: BookEntry | undefined = await readEntry(org, found.get(ref) ?? '');
  while (entry !== undefined && entry.event !== '' && entry.event !== 'claim')
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  const [base] = entry?.event === 'claim' ? entry.commit.parents : [];
  return best === undefined || (base !== undefined && (await isAncestor(org.repo, base, best)));
}

/** Where the open notebooks were when the last run ended; undefined where one goes on. */
async function openAtEnd(org: Org, queue: string): Promise<FarRefs | undefined> {
  let entry = await readEntry(org, queue);
  while (entry !== undefined && (entry.get('Ledger') ?? '').includes('state=ended') && entry.event !== 'end')
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  if (entry?.event !== 'end') return undefined;
  return new Map([...parseTips(entry.get('Tips'))].filter(([ref]) => ref.startsWith(workRefs)));
}
