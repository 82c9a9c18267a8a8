import { setTimeout as wait } from 'node:timers/promises';
import type { Brief } from '../domain/words/brief.ts';
import { type BulkObject, reachableFrom, readBulk } from '../git/objects/bulk-read.ts';
import { parseCommit } from '../git/objects/commit.ts';
import type { ObjectReader } from '../git/objects/object-reader.ts';
import type { KnownObject } from '../git/objects/object-store.ts';
import { listRefs } from '../git/refs/ref-files.ts';
import { bestRef, queueRef, recommendationRefs, reportsRef, shortRef } from '../git/refs/ref-names.ts';
import { readLeft } from '../git/refs/refs-left.ts';
import { standsIn } from '../git/refs/remote-stand-in.ts';
import { readBrief } from '../org/force/pin-brief.ts';
import { entryFrom, sealOf } from '../records/entry.ts';
import type { Org } from '../records/org.ts';
import { currentRunner } from '../records/run-lock.ts';
import { orProblem, type Problem } from '../text/problem.ts';

/** A commit with its exact bytes. */
export type AuditPage = Readonly<ReturnType<typeof readPage>>;

export type Library = Awaited<ReturnType<typeof openLibrary>>;

/** Directories beyond this are read again when they are asked for. */
const mostTreeBytes = 256 * 1024 * 1024;

/** Every object that the org's refs lead to, read once and hashed by ourselves. */
export async function openLibrary(org: Org, refs: ReadonlyMap<string, string>) {
  const first = [reportsRef, queueRef, bestRef].flatMap((ref) => refs.get(ref) ?? []);
  const { ids, complaint } = await reachableFrom(org.repo, [...first, ...refs.values()]);
  const commits = new Map<string, Buffer>();
  const trees = new Map<string, Buffer>();
  /** Every object that is as it should be, with its size. */
  const known = new Map<string, number>();
  /** What cannot be believed: missing, damaged, or another object than its id says. */
  const bad: Exclude<BulkObject, { kind: 'whole' }>[] = [];
  let treeBytes = 0;
  await readBulk(org.repo, ids, (object) => {
    if (object.kind !== 'whole') return void bad.push(object);
    known.set(object.oid, object.bytes);
    if (object.type === 'commit') commits.set(object.oid, object.content);
    if (object.type !== 'tree' || treeBytes > mostTreeBytes) return;
    treeBytes += object.content.length;
    trees.set(object.oid, object.content);
  });
  const pages = new Map<string, AuditPage>();
  const page = (id: string | undefined): AuditPage | undefined => {
    if (id === undefined) return undefined;
    const before = pages.get(id);
    const content = before === undefined ? commits.get(id) : undefined;
    if (content === undefined) return before;
    const read = readPage(id, content);
    pages.set(id, read);
    return read;
  };
  const atHand = (name: string): KnownObject | undefined => {
    const tree = trees.get(name);
    if (tree !== undefined) return { oid: name, type: 'tree', content: tree };
    const commit = commits.get(name);
    return commit === undefined ? undefined : { oid: name, type: 'commit', content: commit };
  };
  const { reader } = org.repo;
  const read: ObjectReader['read'] = async (name) => atHand(name) ?? reader.read(name);
  const describe: ObjectReader['describe'] = async (id) => {
    const bytes = known.get(id);
    const type = atHand(id)?.type ?? 'blob';
    return bytes === undefined || treeBytes > mostTreeBytes ? reader.describe(id) : { type, bytes };
  };
  const readable: Org = { ...org, repo: { ...org.repo, reader: { ...reader, read, describe } } };
  const briefs = new Map<string, Promise<Brief | Problem>>();
  /** The brief that a commit names, parsed once for all that name it; a Problem when it is missing or cannot be read. */
  const brief = (named: AuditPage): Promise<Brief | Problem> => {
    const blob = named.get('Brief') ?? '';
    const parsed = briefs.get(blob) ?? orProblem(readBrief(readable, blob, named.tree));
    briefs.set(blob, parsed);
    return parsed;
  };
  return {
    /** The org as it is, but that commits and directories come out of what was read here, and cost nothing. */
    org: readable,
    objects: known.size,
    commits: commits.size,
    bad,
    /** What git said when it could not go through all of it. */
    complaint,
    page,
    brief,
    /** The page of its first parent. */
    below: (above: AuditPage | undefined) => page(above?.parents[0]),
    has: (id: string) => known.has(id),
    /** Whether a commit of the queue is among what was read, without parsing it. */
    hasLedger: (id: string) => commits.get(id)?.includes('\nOrg-Ledger: ') === true,
  };
}

function readPage(id: string, content: Buffer) {
  const entry = entryFrom(parseCommit(id, content.toString('utf8')));
  const { tree, parents, message } = entry.commit;
  // False for a commit that no orgrepo made: the trunk's, or a person's on the queue. Not only by what can be read of its trailers: one that was spoilt so that nothing can be read is ours all the same.
  const ours = /^Org-[A-Za-z]+(-[A-Za-z]+)*: /m.test(message);
  return { ...entry, id, tree, parents, ours, seal: sealOf(content) };
}

/** What is made of something once, and then known for as long as that is there. */
export function remembered<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, Made>();
  return (of) => {
    const made = known.get(of) ?? make(of);
    known.set(of, made);
    return made;
  };
}

/** Something that the org's history does not hold up: where, what it should be, and what it is. */
export interface AuditFinding {
  /** The commit that does not hold, or the object, or the ref when it is not about a commit. */
  readonly where: string;
  /** What it calls itself: the commit's title. */
  readonly title: string;
  /** When it was written, in seconds since 1970: findings are listed in that order. */
  readonly at: number;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  /** Whether a person settles it by signing a checkpoint. */
  readonly isToSign?: boolean;
}

/** A finding about a commit. */
export const about = (page: AuditPage, what: string, expected: unknown, found: unknown): AuditFinding => ({
  where: page.id,
  title: page.title,
  at: page.commit.committer.at,
  what,
  expected: words(expected),
  found: words(found),
});

/** The same where two values that should be equal are not. */
export function* unequal(page: AuditPage, what: string, expected: unknown, found: unknown): Generator<AuditFinding> {
  if (expected !== found) yield about(page, what, expected, found);
}

/** A finding about a ref, an object or a file that cannot be read: nothing can be checked without it, so it comes first. */
export const aboutPlace = (where: string, what: string, expected: unknown, found: unknown): AuditFinding => ({
  ...{ where, what, title: '', at: 0 },
  expected: words(expected),
  found: words(found),
});

/** A finding about where a ref stands now: it comes last, since every commit may be as it was. */
export const aboutTip = (ref: string, what: string, expected: unknown, found: unknown): AuditFinding => ({
  ...aboutPlace(ref, what, expected, found),
  at: Number.MAX_SAFE_INTEGER,
});

const words = (value: unknown): string => (value === undefined || value === '' ? 'nothing' : String(value));

export type Snapshot = Readonly<Awaited<ReturnType<typeof takeSnapshot>>>;

const own = ['refs/heads/orgrepo', 'refs/orgrepo'];

/**
 * The org's refs at one moment, by the names they have where orgrepo runs. A clone that nobody has run in has the branches of its
 * remote, and no others.
 */
export async function takeSnapshot(org: Org) {
  /** Where this clone's own orgrepo last left them. */
  const left = withoutProposals(readLeft(org.repo.gitDir));
  const here = await steady(org);
  const from = standsIn(org.repo);
  if (from === undefined) return { ...here, left };
  const remote = await listRefs(org.repo, ['refs/remotes']);
  const prefix = `refs/remotes/${from}/`;
  const isOurs = (ref: string): boolean =>
    ref.startsWith(`${prefix}orgrepo/`) && !ref.startsWith(`${prefix}${shortRef(recommendationRefs)}`);
  const local = (refs: ReadonlyMap<string, string>): Map<string, string> =>
    new Map(
      [...refs].flatMap(([ref, id]) => (isOurs(ref) ? [[`refs/heads/${ref.slice(prefix.length)}`, id] as const] : [])),
    );
  const broken = remote.broken.filter(({ ref }) => ref === 'packed-refs' || ref.startsWith(`${prefix}orgrepo/`));
  // It may have been fetched while somebody ran over there.
  return { refs: local(remote.refs), replaced: local(remote.replaced), broken, left, moving: true };
}

async function look(org: Org) {
  const { refs, replaced, broken } = await listRefs(org.repo, own);
  return { refs: withoutProposals(refs), replaced: withoutProposals(replaced), broken };
}

/** What is recommended to people is theirs to change, to merge and to drop. */
const withoutProposals = (refs: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...refs].filter(([ref]) => !ref.startsWith(recommendationRefs)));

/**
 * While a run goes on two looks in a row rarely agree; when none do, the last one must serve. `moving` is true while somebody runs
 * here, or may have: branches may have moved between two looks.
 */
async function steady(org: Org) {
  let seen = await look(org);
  if (currentRunner(org) === undefined) return { ...seen, moving: false };
  for (let looks = 0; looks < 20; looks++) {
    await wait(2);
    const again = await look(org);
    const same = JSON.stringify([...again.refs]) === JSON.stringify([...seen.refs]);
    seen = again;
    if (same) break;
  }
  return { ...seen, moving: true };
}
