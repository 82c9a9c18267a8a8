import { editTree, entryAt, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import { appliedRef, shortRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, entryOf, readEntry, readTip, treeOf, writeEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { orgFile, yamlFile } from '../read/org-file.ts';
import { findBrief } from './pin-brief.ts';
import { policiesDir } from './policy-files.ts';

/** The organisation that is in force, as a commit of `refs/orgrepo/applied` says it. */
interface Applied {
  readonly commit: string;
  /** ORG.md, org.yaml, policies and the brief, and nothing else. */
  readonly tree: string;
  /** Whoever put it into force: a person, or `run 2026-11-16`. */
  readonly by: string;
  readonly at: number;
  /** The commit of the trunk that it was read from; it may be gone by now. */
  readonly trunk: string;
}

/** What of the trunk is the organisation. */
const orgPaths = [orgFile, yamlFile, policiesDir] as const;

export const isApply = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'apply';

/** Which organisation is in force; undefined where none ever was put there. */
export async function readApplied(org: Org): Promise<Applied | undefined> {
  const entry = await readEntry(org, appliedRef);
  return entry === undefined || !isApply(entry) ? undefined : appliedFrom(entry);
}

/** Those paths of a tree of the trunk that would be applied, as a tree of their own. */
export async function orgTreeOf(
  org: Org,
  trunkTree: string,
): Promise<{ readonly tree: string; readonly isOrg: boolean }> {
  const brief = await findBrief(org, trunkTree);
  const found = new Map<string, TreeEntry>();
  for (const path of [...orgPaths, ...(brief === undefined ? [] : [brief.file])]) {
    const entry = await entryAt(org.repo, trunkTree, path);
    if (entry !== undefined) found.set(path, entry);
  }
  const { oid, objects } = await editTree(org.repo, undefined, found);
  for (const object of objects) storeObject(org.repo, object);
  return { tree: oid, isOrg: orgPaths.some((path) => found.has(path)) };
}

/**
 * Puts the organisation of a commit of the trunk into force; undefined where it is in force already. A repository that never
 * had one has no such ref.
 */
export async function applyOrg(org: Org, trunk: string, by: string): Promise<Applied | undefined> {
  const { tree, isOrg } = await orgTreeOf(org, await treeOf(org, trunk));
  for (;;) {
    const tip = await readTip(org, appliedRef);
    if (tip === undefined ? !isOrg : tip.commit.tree === tree) return undefined;
    if (tip !== undefined && !isApply(tip)) throw notOurs(tip);
    const commit = await writeEntry(org, {
      tree,
      parents: [tip?.commit.oid ?? trunk], // No branch is an orphan.
      agent: undefined,
      title: `apply: the organisation of ${trunk.slice(0, 7)}`,
      trailers: { Event: 'apply', By: by, Trunk: trunk },
    });
    if (await org.repo.refs.move(appliedRef, commit, tip?.commit.oid)) return appliedFrom(await entryOf(org, commit));
  }
}

const appliedFrom = ({ commit, get }: BookEntry): Applied => ({
  commit: commit.oid,
  tree: commit.tree,
  by: get('By') ?? commit.author.name,
  at: commit.committer.at,
  trunk: get('Trunk') ?? '',
});

const notOurs = (tip: BookEntry): Problem =>
  new Problem(
    'integrity/history',
    `${shortRef(appliedRef)} is at ${tip.commit.oid.slice(0, 7)}, which is no organisation that was applied`,
    `Take the ref away, and apply again: git update-ref -d ${appliedRef}`,
  );
