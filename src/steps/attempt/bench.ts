import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Brief } from '../../domain/words/brief.ts';
import type { Verdict } from '../../domain/words/experiment.ts';
import { newCommit } from '../../git/objects/commit.ts';
import { type BuiltTree, editTree, newObject, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import {
  ensureWorktree,
  gitFileChanged,
  pointWorktree,
  repairGitFile,
  type Worktree,
  worktreeAt,
} from '../../git/worktree.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import {
  contentOf,
  type DirectoryState,
  despiteRemoval,
  emptyDirectory,
  type Files,
  type Found,
  isGone,
  readDirectory,
  restoreDirectory,
} from '../../score/arena/arena-directory.ts';
import { secretIn } from '../../score/arena/boundary-check.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import {
  breaches,
  breachesInWords,
  seedChanges,
  seedChangesInWords,
  type TextChange,
  type Zones,
  zonesOf,
} from '../../score/judge/boundary.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
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

/** The same for a bench that is not there: forgets what was known of an earlier one in its place. */
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

/** Makes git show a bench as these files and the changes in them. */
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
    repairGitFile(worktree);
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

/** A file that an agent has changed, added or removed. */
export interface FileChange {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: Found | undefined;
}

/** What an agent has changed in its bench. */
export function* differencesIn(bench: Pick<Bench, 'files'>, state: DirectoryState): Generator<FileChange> {
  for (const [file, before] of bench.files) {
    const after = state.files.get(file);
    if (after?.oid !== before.oid || after.mode !== before.mode) yield { path: file, before, after };
  }
  for (const [file, after] of state.files) if (!bench.files.has(file)) yield { path: file, before: undefined, after };
}

/** The tree of a bench with these changes, and the objects that it needs. */
export async function buildTree(
  repo: Repo,
  bench: Pick<Bench, 'line'>,
  state: DirectoryState,
  differences: readonly FileChange[],
): Promise<BuiltTree> {
  const blobs = differences.flatMap(({ path }) => {
    const content = state.files.get(path)?.content;
    return content === undefined ? [] : [newObject(repo.hash, 'blob', content)];
  });
  const tree = await editTree(repo, bench.line.tree, new Map(differences.map(({ path, after }) => [path, after])));
  return { oid: tree.oid, objects: [...blobs, ...tree.objects] };
}

/** What was done in a bench that the brief does not allow, in words; undefined when there is nothing. */
export function overstepIn(
  { worktree, brief }: { readonly worktree: Worktree; readonly brief: Brief },
  state: DirectoryState,
  differences: readonly FileChange[],
): string | undefined {
  const left = [...state.odd, ...differences.filter(({ after }) => after !== undefined)];
  const named = left.map(({ path: file }) => findSecret(file)).find((name) => name !== undefined);
  // Asked before a name is cut for a message: half a secret is not recognised.
  if (named !== undefined) return `holds the secret ${named} in the name of a file`;
  const touched = [
    ...state.odd.map(({ path: odd, what }) => `left ${JSON.stringify(odd)}, ${what}`),
    ...(gitFileChanged(worktree) ? ['changed .git of its bench'] : []),
    ...breaches(
      differences.map(({ path: file, before, after }) => ({
        path: file,
        before: before?.mode,
        after: after?.mode,
        bytes: state.files.get(file)?.content?.length,
      })),
      zonesOf(brief),
    ),
  ];
  return touched.length === 0 ? undefined : breachesInWords(touched);
}

/** Why a change within the boundary is not measured: it holds a secret, or only sets another seed. */
export async function unfitChange(
  repo: Repo,
  differences: readonly FileChange[],
): Promise<(Pick<Verdict, 'reason'> & { readonly event: 'tampered' | 'discard' }) | undefined> {
  const secret = await secretIn(repo, differences);
  if (secret !== undefined) return secret;
  const seeds = seedChanges(await textsOf(repo, differences));
  return seeds && { event: 'discard', reason: seedChangesInWords(seeds) };
}

/** The changed files as text; none when one of them is new, gone, long or binary, and so more than another seed. */
async function textsOf(repo: Repo, differences: readonly FileChange[]): Promise<TextChange[]> {
  const texts: TextChange[] = [];
  for (const { path: file, before, after } of differences) {
    if (before === undefined || after?.content === undefined || after.content.length > longestText) return [];
    const content = await contentOf(repo, before.oid);
    if (content.length > longestText || content.includes(0) || after.content.includes(0)) return [];
    texts.push({ path: file, before: content.toString('utf8'), after: after.content.toString('utf8') });
  }
  return texts;
}

const longestText = 1_000_000;
