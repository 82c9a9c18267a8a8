import type { Brief } from '../../domain/words/brief.ts';
import type { Verdict } from '../../domain/words/experiment.ts';
import { parseRawTree, type RawEntry, rawTreeFaults, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import { foldName, longestPath, showPath } from '../../text/paths.ts';
import { breaches, breachesInWords, caps, type PathDifference, zonesOf } from '../judge/boundary.ts';
import { contentOf } from './arena-directory.ts';

/**
 * Everything by which a candidate's tree oversteps what the brief lets an agent change in its base. It looks at nothing
 * but the two trees in the object store, so it holds for a tree of ours, of an earlier run and of another clone alike.
 */
export async function boundaryBreaches(repo: Repo, base: string, candidate: string, brief: Brief): Promise<string[]> {
  const { differences, faults } = await compareTrees(repo, base, candidate);
  return [...faults, ...breaches(differences, zonesOf(brief))];
}

/** The last look at a saved candidate before it is measured: undefined when it may be. */
export async function tamperingIn(
  repo: Repo,
  { tree, champion }: { readonly tree: string; readonly champion: { readonly tree: string } },
  brief: Brief,
): Promise<Verdict | undefined> {
  const found = await boundaryBreaches(repo, champion.tree, tree, brief);
  return found.length === 0 ? undefined : { event: 'tampered', reason: breachesInWords(found) };
}

/**
 * Why a candidate may not be written to git: it holds a secret, and history forgets nothing. Undefined when it may be.
 * Where the person's own file had that secret before, the agent has only changed something beside it, and is not to blame.
 */
export async function secretIn(
  repo: Repo,
  changes: readonly {
    readonly path: string;
    readonly before: TreeEntry | undefined;
    readonly after: { readonly content: Buffer | undefined } | undefined;
  }[],
): Promise<{ readonly event: 'tampered' | 'discard'; readonly reason: string } | undefined> {
  for (const { path, before, after } of changes) {
    if (after === undefined) continue;
    const named = findSecret(path);
    if (named !== undefined) return { event: 'tampered', reason: `holds the secret ${named} in the name of a file` };
    const secret = after.content && findSecret(after.content);
    if (secret === undefined) continue;
    const reason = `holds the secret ${secret} in ${showPath(path)}`;
    if (before === undefined || findSecret(await contentOf(repo, before.oid)) === undefined)
      return { event: 'tampered', reason };
    return { event: 'discard', reason: `${reason}, as it did before: take it out on the trunk` };
  }
  return undefined;
}

/**
 * Walks two trees in the object store and gives everything that differs. It shares no code with what builds trees, so
 * that a mistake there cannot hide itself here. Directories that are the same are not entered, and a tree that names
 * one directory a million times is left after as many files as a candidate may bring. Faults are what no tree may be that
 * a careful program has made, in words.
 */
export async function compareTrees(
  repo: Repo,
  base: string,
  candidate: string,
): Promise<{ readonly differences: readonly PathDifference[]; readonly faults: readonly string[] }> {
  const walk: Walk = { repo, differences: [], faults: [], brought: 0, entered: 0 };
  if (base !== candidate) await compareDirectory(walk, base, candidate, '');
  const sized = await Promise.all(walk.differences.map((difference) => withSize(walk, difference)));
  return { differences: sized, faults: walk.faults };
}

type Differing = PathDifference & { readonly oid: string };

/** What only one of two trees may have. */
type Maybe<T> = T | undefined;

interface Walk {
  readonly repo: Repo;
  readonly differences: Differing[];
  readonly faults: string[];
  brought: number;
  entered: number;
}

/** The entries of a directory by the bytes of their names. */
type Entries = ReadonlyMap<string, RawEntry>;

async function compareDirectory(walk: Walk, base: Maybe<string>, candidate: Maybe<string>, prefix: string) {
  const [before, after] = await Promise.all([readBase(walk, base), readCandidate(walk, candidate, prefix)]);
  for (const [key, old] of before) {
    const now = after.get(key);
    if (now === undefined || !isSame(old, now)) await compareEntries(walk, old, now, prefix);
  }
  let added = false;
  for (const [key, now] of after) {
    if (before.has(key)) continue;
    added = true;
    await compareEntries(walk, undefined, now, prefix);
  }
  if (added) walk.faults.push(...collisions(before, after, prefix));
}

const isSame = (a: RawEntry, b: RawEntry): boolean => a.mode === b.mode && a.oid === b.oid;

async function compareEntries(walk: Walk, old: Maybe<RawEntry>, now: Maybe<RawEntry>, prefix: string): Promise<void> {
  const path = prefix + ((now ?? old)?.name ?? '');
  const [wasTree, isTree] = [old?.mode === directory, now?.mode === directory];
  // A directory that became a file, or the other way about: what was there is gone, and what is there is new.
  if (wasTree || isTree) {
    if (old !== undefined && !wasTree) note(walk, path, old.mode, undefined, '');
    if (now !== undefined && !isTree) note(walk, path, undefined, now.mode, now.oid);
    if (path.length > longestPath)
      walk.faults.push(`made ${showPath(path)}, a path longer than ${longestPath} characters`);
    else if (mayEnter(walk, isTree))
      await compareDirectory(walk, wasTree ? old?.oid : undefined, isTree ? now?.oid : undefined, `${path}/`);
    return;
  }
  note(walk, path, old?.mode, now?.mode, now?.oid ?? '');
}

const directory = '40000';

function note(walk: Walk, path: string, before: Maybe<string>, after: Maybe<string>, oid: string): void {
  if (after !== undefined) walk.brought += 1;
  // One more than there may be is enough to say so.
  if (after === undefined || walk.brought <= caps.files + 1) walk.differences.push({ path, before, after, oid });
}

/** People's own directories may be as many as they like; what a candidate brings is counted. */
function mayEnter(walk: Walk, brings: boolean): boolean {
  if (!brings) return true;
  walk.entered += 1;
  if (walk.entered === caps.files + 1) walk.faults.push(`changed more than ${caps.files} directories`);
  return walk.entered <= caps.files && walk.brought <= caps.files;
}

async function readBase(walk: Walk, oid: Maybe<string>): Promise<Entries> {
  const found = oid === undefined ? undefined : await walk.repo.reader.read(oid);
  return keyed(found?.type === 'tree' ? (parseRawTree(found.content, walk.repo.hash) ?? []) : []);
}

async function readCandidate(walk: Walk, oid: Maybe<string>, prefix: string): Promise<Entries> {
  if (oid === undefined) return new Map();
  const where = prefix === '' ? 'the tree' : showPath(prefix);
  const found = await despiteGc(walk.repo, () => walk.repo.reader.read(oid));
  const entries = found?.type === 'tree' ? parseRawTree(found.content, walk.repo.hash) : undefined;
  if (entries === undefined) {
    walk.faults.push(`made ${where} something that is no directory of git's`);
    return new Map();
  }
  walk.faults.push(...rawTreeFaults(entries).map((fault) => `made ${where} a directory ${fault}`));
  return keyed(entries);
}

/** Of two entries with one name the last is compared; that there are two is a fault already. */
const keyed = (entries: readonly RawEntry[]): Entries => new Map(entries.map((entry) => [entry.key, entry]));

/** New names that some file system cannot tell from another one in the same directory. What people had may stay. */
function collisions(before: Entries, after: Entries, prefix: string): string[] {
  const first = new Map<string, RawEntry>();
  const found: string[] = [];
  for (const entry of after.values()) {
    const folded = foldName(entry.name);
    const other = first.get(folded);
    if (other === undefined) first.set(folded, entry);
    else if (!before.has(entry.key) || !before.has(other.key)) {
      const [added, there] = before.has(entry.key) ? [other, entry] : [entry, other];
      const [name, rival] = [added, there].map((one) => showPath(prefix + one.name));
      found.push(`added ${name}, which some file systems take for ${rival}`);
    }
  }
  return found;
}

async function withSize(walk: Walk, { path, before, after, oid }: Differing): Promise<PathDifference> {
  if (after === undefined || after === '160000') return { path, before, after }; // A submodule's commit is elsewhere.
  const found = await despiteGc(walk.repo, () => walk.repo.reader.describe(oid));
  if (found?.type !== 'blob') walk.faults.push(`made ${showPath(path)} something that is no file of git's`);
  return { path, before, after, bytes: found?.bytes };
}

/** A gc beside us may have taken an object for garbage before a ref named it: what is ours is written again. */
async function despiteGc<T>(repo: Repo, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const found = await ask();
  if (found !== undefined) return found;
  repo.store.writeAgain();
  await repo.store.flush();
  return ask();
}
