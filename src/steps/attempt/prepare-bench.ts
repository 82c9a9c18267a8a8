import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { newCommit } from '../../git/objects/commit.ts';
import { editTree, storeObject } from '../../git/objects/tree.ts';
import { ensureWorktree, mendGitFile, pointWorktree, type Worktree, worktreeAt } from '../../git/worktree.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import {
  type DirectoryState,
  despiteRemoval,
  emptyDirectory,
  type Files,
  isGone,
  readDirectory,
  restoreDirectory,
} from '../../score/arena/arena-directory.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import { type Zones, zonesOf } from '../../score/judge/boundary.ts';
import type { Claim, Claimed } from '../claim/claim-commits.ts';

/** A claim's worktree and the line that the next candidate starts from. */
export interface Bench {
  readonly claim: Claim;
  readonly line: NotebookLine;
  readonly worktree: Worktree;
  readonly zones: Zones;
  /** What the bench holds when the agent begins. */
  readonly files: Files;
  readonly state: DirectoryState;
  /** Which try of this spec comes next, from 1. */
  readonly attempt: number;
}

/** Gives an agent its bench: the files of its line and nothing else. */
export async function prepareBench(org: Org, { claim, line }: Claimed, attempt: number): Promise<Bench> {
  const zones = zonesOf(claim.pinned.brief);
  const laid = await layBench(org, claim.agent, line, zones);
  return { claim, line, zones, ...laid, attempt };
}

/** Lays out a line's files in the worktree of this name. */
export function layBench(org: Org, name: string, line: NotebookLine, zones: Zones): Promise<Laid> {
  return despiteRemoval(() => layOnce(org, name, line, zones));
}

/** The same for a bench that is not there: what was known of one in its place counts no more. */
export function layAnew(org: Org, name: string, line: NotebookLine, zones: Zones): Promise<Laid> {
  org.pointedBenches.delete(worktreeAt(org.repo, name).dir);
  return layBench(org, name, line, zones);
}

type Laid = Pick<Bench, 'worktree' | 'files' | 'state'>;

async function layOnce(org: Org, name: string, line: NotebookLine, zones: Zones): Promise<Laid> {
  const [worktree, files] = await Promise.all([
    ensureWorktree(org.repo, name, line.tip),
    entriesOfZones(org.repo, line.tree, zones),
  ]);
  const found = readDirectory(org.repo, worktree.dir, emptyDirectory, zones.sandbox.names, '.git');
  const state = await restoreDirectory(org.repo, worktree.dir, found, files);
  if (!org.pointedBenches.has(worktree.dir)) await pointBench(org, name, line, worktree, files);
  return { worktree, files, state };
}

/** Sets what git says of a bench: that it is these files and whatever somebody has changed in them. */
export async function pointBench(
  org: Org,
  name: string,
  line: NotebookLine,
  worktree: Worktree,
  files: Files,
): Promise<void> {
  try {
    await pointWorktree(org.repo, worktree, await sparseCommit(org, name, line, files));
    org.pointedBenches.add(worktree.dir);
  } catch (error) {
    if (existsSync(worktree.dir)) throw error; // Else somebody has just removed it, and it will be laid out anew.
  }
}

/**
 * Clears a bench up while what was done at it is measured elsewhere, as most attempts end: without a new line. When it
 * cannot be, it is as it was `found`.
 */
export async function clearBench(org: Org, bench: Bench, found: DirectoryState): Promise<DirectoryState> {
  await setImmediate(); // What is wanted at once comes first.
  return restoreDirectory(org.repo, bench.worktree.dir, found, bench.files).catch(() => found);
}

/** Puts a bench back to its line after an attempt that left it as `found`, ready for the next one. */
export async function nextBench(
  org: Org,
  bench: Bench,
  found: DirectoryState,
  { claim, line }: Claimed,
): Promise<Bench> {
  const { worktree } = bench;
  const zones = zonesOf(claim.pinned.brief);
  const next = { ...bench, claim, line, zones, attempt: bench.attempt + 1 };
  try {
    mendGitFile(worktree);
    const same = line.tree === bench.line.tree && zones === bench.zones;
    const files = same ? bench.files : await entriesOfZones(org.repo, line.tree, zones);
    const state = await restoreDirectory(org.repo, worktree.dir, found, files);
    return { ...next, files, state };
  } catch (error) {
    if (!isGone(error)) throw error;
    org.pointedBenches.delete(worktree.dir); // Somebody removed it: made anew.
    return { ...next, ...(await layBench(org, claim.agent, line, zones)) };
  }
}

/** A commit of just the files in a bench: what a person's `git diff` and `git status` in there compare with. */
export async function sparseCommit(org: Org, name: string, line: NotebookLine, files: Files): Promise<string> {
  const { repo } = org;
  const tree = await editTree(repo, undefined, files);
  for (const object of tree.objects) storeObject(repo, object);
  const at = Math.floor(Date.now() / 1000);
  const signature = { name: 'orgrepo', email: 'orgrepo@agents.invalid', at };
  const message = `bench: what ${name} sees of ${line.tip.slice(0, 7)}\n`;
  const commit = newCommit(repo.hash, {
    tree: tree.oid,
    parents: [line.tip],
    author: signature,
    committer: signature,
    message,
  });
  return storeObject(repo, commit);
}
