import { emptyLedger, formatLedger, type Ledger, parseLedger } from '../../domain/words/ledger.ts';
import { isSpecId, type Spec } from '../../domain/words/spec.ts';
import { descendsFrom } from '../../git/merge.ts';
import { editTree, entryAt, newObject, readTree, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import { readLeft } from '../../git/refs/refs-left.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { decodeText } from '../../text/decode.ts';
import { cleanLine, isProblem, Problem } from '../../text/problem.ts';
import { type BookEntry, entriesFrom, type NewEntry, readEntry, readTip, treeOf, writeEntry } from '../entry.ts';
import { type Org, trunkTip } from '../org.ts';
import { parseSpec } from './spec-text.ts';

/** The queue branch as it stands: the open specs, claimed or not, and what the ledger says. */
export interface Queue {
  readonly tip: string;
  readonly tree: string;
  readonly ledger: Ledger;
  readonly specs: readonly Spec[];
  /** The open specs' files by id. */
  readonly files: ReadonlyMap<string, string>;
  /** Files on the queue that are no specs: somebody must look at them. */
  readonly unreadable: readonly Problem[];
}

/** One step of the queue: files to set or take out, and what changes in the ledger. */
export interface QueueChange extends Partial<Pick<NewEntry, 'body' | 'agent' | 'trailers'>> {
  readonly event: string;
  readonly title: string;
  readonly files?: ReadonlyMap<string, string | undefined>;
  readonly ledger?: Partial<Ledger>;
  /** A commit that the queue keeps from now on: what a person offers. */
  readonly keeps?: string;
}

export async function readQueue(org: Org): Promise<Queue | undefined> {
  const tip = await readEntry(org, queueRef);
  return tip === undefined ? undefined : queueAt(org, tip);
}

/** Appends one commit to the queue, on top of whatever others have put there meanwhile. */
export function changeQueue(org: Org, decide: Decide): Promise<Queue> {
  const mine = org.queueTurn.last.then(() => append(org, decide));
  org.queueTurn.last = mine.catch(() => {});
  return mine;
}

type Decide = (queue: Queue) => QueueChange | undefined | Promise<QueueChange | undefined>;

async function append(org: Org, decide: Decide): Promise<Queue> {
  for (;;) {
    const tip = await readTip(org, queueRef);
    if (tip === undefined) refuseLostQueue(org);
    const queue = tip === undefined ? await emptyQueue(org) : await queueAt(org, tip);
    const change = await decide(queue);
    if (change === undefined) return queue;
    const tree = await storeFiles(org, queue.tree, change.files ?? new Map());
    const ledger = { ...queue.ledger, ...change.ledger };
    const commit = await writeEntry(org, {
      tree,
      parents: change.keeps === undefined ? [queue.tip] : [queue.tip, change.keeps],
      agent: change.agent,
      title: change.title,
      ...(change.body === undefined ? {} : { body: change.body }),
      trailers: { Event: change.event, ...change.trailers, Ledger: formatLedger(ledger) },
    });
    if (await org.repo.refs.move(queueRef, commit, tip === undefined ? undefined : queue.tip)) {
      const moved = await readEntry(org, commit);
      if (moved !== undefined) return queueAt(org, moved);
    }
  }
}

/** A clone that had a queue must not begin another one: it would give the numbers of the first a second time. */
function refuseLostQueue({ repo }: Org): void {
  const left = readLeft(repo.gitDir).get(queueRef);
  if (left === undefined) return;
  throw new Problem(
    'integrity/history',
    `orgrepo/queue is gone: it was at ${left.slice(0, 7)} when orgrepo last closed here`,
    'A run puts it back while its commits are there: orgrepo run. To begin an org anew: rm .git/orgrepo/left',
  );
}

const mostByHand = 1_000;

/** Without a trunk to ask there is nothing more to read either. */
const checkOnTrunk = (org: Org, { commit }: BookEntry): Promise<boolean> =>
  trunkTip(org).then(
    (tip) => descendsFrom(org.repo, tip, commit.oid),
    () => true,
  );

/** The queue's commits, newest first, for as long as the reader wants more. */
export async function* queueHistory(org: Org): AsyncGenerator<BookEntry> {
  let byHand = 0;
  for await (const entry of entriesFrom(org, queueRef)) {
    // People commit there by hand; below the first commit of ours lies the trunk.
    if (entry.event !== '') {
      byHand = 0;
      yield entry;
    } else if (++byHand > mostByHand || (byHand === 1 && (await checkOnTrunk(org, entry)))) return;
  }
}

/** The newest commit of the queue for each of these names, read back as far as the oldest of them or as `most` commits. */
export async function newestOf(
  org: Org,
  names: Iterable<string>,
  nameOf: (entry: BookEntry) => string | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<string, BookEntry>> {
  const found = new Map<string, BookEntry>();
  const wanted = new Set(names);
  let looked = 0;
  if (wanted.size > 0)
    for await (const entry of queueHistory(org)) {
      const name = nameOf(entry) ?? '';
      if (wanted.delete(name)) found.set(name, entry);
      if (wanted.size === 0 || ++looked >= most) break;
    }
  return found;
}

/** The ledger at a commit of the queue; a person's own commit carries none, so the one below it counts. */
export async function ledgerAt(org: Org, entry: BookEntry): Promise<Ledger> {
  let looked = 0;
  for await (const at of entriesFrom(org, entry)) {
    const text = at.get('Ledger');
    if (text !== undefined) return parseLedger(text);
    if (++looked === 10_000) break;
  }
  return emptyLedger;
}

/** The tree with these texts in it, or without those that are undefined. No secret is written, not even in a file's name. */
export async function storeFiles(org: Org, tree: string, files: ReadonlyMap<string, string | undefined>) {
  if (files.size === 0) return tree;
  const entries = new Map<string, TreeEntry | undefined>();
  for (const [path, text] of files) {
    if (text === undefined) entries.set(path, undefined);
    else {
      const oid = storeObject(org.repo, newObject(org.repo.hash, 'blob', hideSecrets(text)));
      entries.set(hideSecrets(path), { mode: '100644', oid });
    }
  }
  const built = await editTree(org.repo, tree, entries);
  for (const object of built.objects) storeObject(org.repo, object);
  return built.oid;
}

async function queueAt(org: Org, entry: BookEntry): Promise<Queue> {
  const ledger = await ledgerAt(org, entry);
  const found = await specsIn(org, entry.commit.tree);
  const highest = found.specs.reduce((most, spec) => Math.max(most, Number(spec.id)), ledger.specs);
  return { tip: entry.commit.oid, tree: entry.commit.tree, ledger: { ...ledger, specs: highest }, ...found };
}

async function emptyQueue(org: Org): Promise<Queue> {
  const tip = await trunkTip(org);
  const tree = await treeOf(org, tip);
  // The trunk's specs are put on the queue by a run, with numbers of their own; the rest of the trunk stays.
  const specs = await entryAt(org.repo, tree, 'specs');
  const names = specs === undefined ? [] : [...(await readTree(org.repo, specs.oid)).keys()];
  const bare = await storeFiles(org, tree, new Map(names.map((name) => [`specs/${name}`, undefined])));
  return { tip, tree: bare, ledger: emptyLedger, specs: [], files: new Map(), unreadable: [] };
}

async function specsIn(org: Org, tree: string): Promise<Pick<Queue, 'specs' | 'files' | 'unreadable'>> {
  const dir = await entryAt(org.repo, tree, 'specs');
  const specs: Spec[] = [];
  const files = new Map<string, string>();
  const unreadable: Problem[] = [];
  const entries = dir === undefined ? [] : [...(await readTree(org.repo, dir.oid))];
  const found = entries
    .filter(([name]) => name.endsWith('.md'))
    .map(([name, entry]) => ({ file: `specs/${name}`, entry }));
  const all = await Promise.all(found.map(({ file, entry }) => specFrom(org, file, entry)));
  for (const [index, read] of all.entries()) {
    if (isProblem(read)) unreadable.push(read);
    else if (!files.has(read.id)) {
      specs.push(read);
      files.set(read.id, found[index]?.file ?? '');
    }
  }
  return { specs: specs.sort((a, b) => (a.id < b.id ? -1 : 1)), files, unreadable };
}

async function specFrom(org: Org, file: string, entry: TreeEntry): Promise<Spec | Problem> {
  const key = `${entry.oid} ${file}`;
  const known = org.knownSpecs.get(key);
  if (known !== undefined) return known;
  if (!entry.mode.startsWith('100'))
    return new Problem('spec/syntax', `${file} is not a regular file`, 'Remove it from orgrepo/queue.');
  const blob = await org.repo.reader.read(entry.oid);
  try {
    const spec = parseSpec(blob === undefined ? '' : decodeText(blob.content, file, 'spec/syntax'), file);
    if (!isSpecId(spec.id)) return new Problem('spec/id', `${file}: no usable id`, 'Name it specs/0001-title.md.');
    org.knownSpecs.set(key, spec);
    return spec;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** The commit that opened the last run; undefined when there never was one. */
export async function readLastRun(org: Org): Promise<BookEntry | undefined> {
  for await (const entry of queueHistory(org)) if (entry.event === 'run') return entry;
  return undefined;
}

export interface LiveBranch {
  readonly branch: string;
  readonly agent: string;
  readonly spec: string;
  readonly state: string;
  readonly bestScore: number | undefined;
  readonly lastChange: string;
}

/** The copy of branches.md on the queue: one row per live branch, written by orgrepo. */
export function formatLiveBranches(rows: readonly LiveBranch[]): string {
  const lines = rows.map((row) => {
    const score = row.bestScore === undefined ? '' : String(row.bestScore);
    const cells = [row.branch, row.agent, row.spec, row.state, score, row.lastChange];
    return `| ${cells.map(escapeCell).join(' | ')} |`;
  });
  return `${[
    '# Branches',
    '',
    'Written by orgrepo: one row per live branch.',
    '',
    '| branch | agent | spec | state | best score | last change |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')}\n`;
}

const escapeCell = (text: string): string => cleanLine(text).replace(/\\/g, '\\\\').replace(/\|/g, '\\|');
