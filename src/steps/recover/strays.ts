import { descendsFrom } from '../../git/merge.ts';
import { bestRef, queueRef, shortRef, tipsRefs, traceRef, wipRef, workRefs } from '../../git/refs/ref-names.ts';
import type { FarRefs } from '../../git/refs/remote-stand-in.ts';
import { git } from '../../git/run-git.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import { parseTips } from '../../records/notebook/run-end.ts';
import type { Org } from '../../records/org.ts';

/**
 * Leaves out notebooks that the remote's queue knows nothing of, with what was saved and said for them. A push that is not
 * atomic leaves such: its queue is refused, and its new branches are not. Their numbers are given by the queue once more.
 * `left` says what stays on the remote; it is undefined when all of it fits together.
 */
export async function withoutStrays(org: Org, remote: string, found: FarRefs) {
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
    if (now === undefined || now === id || !(await descendsFrom(org.repo, now, id))) continue;
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
  return named === undefined || queue === undefined || (await descendsFrom(org.repo, queue, named).catch(() => false));
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
  return best === undefined || (base !== undefined && (await descendsFrom(org.repo, best, base)));
}

/** Where the open notebooks were when the last run ended; undefined where one goes on. */
async function openAtEnd(org: Org, queue: string): Promise<FarRefs | undefined> {
  let entry = await readEntry(org, queue);
  while (entry !== undefined && (entry.get('Ledger') ?? '').includes('state=ended') && entry.event !== 'end')
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  if (entry?.event !== 'end') return undefined;
  return new Map([...parseTips(entry.get('Tips'))].filter(([ref]) => ref.startsWith(workRefs)));
}

/** What a spec's wip ref holds although it does not belong to the notebook that is here. */
export interface Stray {
  readonly spec: string;
  readonly commit: string;
  /** Why it cannot be judged here. */
  readonly why: string;
}

/** Refs of what another clone saved. They are outside refs/orgrepo/, so nobody pushes or verifies them, and no gc takes them. */
const asideRef = (spec: string, commit: string): string => `refs/orgrepo-aside/${spec}-${commit.slice(0, 12)}`;

/**
 * Finds out whether what is saved for a spec comes from another history. A push that is not atomic leaves such refs: its
 * notebooks are refused and its saved candidates are not. To judge one would give its number a second time.
 */
export async function findStray(
  org: Org,
  notebook: Notebook,
  given: ReadonlyMap<number, string>,
): Promise<Stray | undefined> {
  const tip = await readEntry(org, wipRef(notebook.spec));
  if (tip === undefined) return undefined;
  const tried = tip.event === 'wip' ? await readEntry(org, tip.commit.parents[0] ?? '') : tip;
  const isTry = tried?.event === 'try';
  if (isTry && notebook.experiments.some((one) => one.tried === tried.commit.oid)) return undefined; // It was judged here.
  const base = isTry ? (tried.commit.parents[0] ?? '') : (tried?.commit.oid ?? '');
  const stray = { spec: notebook.spec, commit: tip.commit.oid };
  const found = await pageOf(org, notebook, base);
  if (found === undefined) return { ...stray, why: `it was built on ${short(base)}, which is not in its notebook` };
  if (!isTry) return undefined;
  if (found.commit.tree !== notebook.line.tree)
    return { ...stray, why: `its notebook has gone on since ${short(base)}, on which it was built` };
  const other = given.get(tried.number('Experiment') ?? 0);
  return other === undefined
    ? undefined
    : { ...stray, why: `#${tried.get('Experiment')} is an experiment of ${other} here` };
}

/** The line of a notebook with this id. */
async function pageOf(org: Org, { line, base }: Notebook, id: string): Promise<BookEntry | undefined> {
  let entry = await readEntry(org, line.tip);
  while (entry !== undefined && entry.commit.oid !== base) {
    if (entry.commit.oid === id) return entry;
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return undefined;
}

/** Puts strays out of the way of what will be saved next. Returns what a person should know of it. */
export async function setAside({ repo }: Org, strays: readonly Stray[]): Promise<string | undefined> {
  if (strays.length === 0) return undefined;
  const said: string[] = [];
  for (const { spec, commit, why } of strays) {
    const ref = asideRef(spec, commit);
    if ((await repo.reader.resolve(ref)) === undefined) await repo.refs.move(ref, commit, undefined);
    await repo.refs.remove(wipRef(spec), commit);
    said.push(`${wipRef(spec)} (${why}; it is kept as ${ref})`);
  }
  const cause = 'Another clone pushed without --atomic. Push with git push --atomic (docs/git.md)';
  return `saved work of another clone is not adopted: ${said.join(', ')}. ${cause}`;
}

const short = (id: string): string => id.slice(0, 7);
