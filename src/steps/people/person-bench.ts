import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { benchName, person } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { readCommit } from '../../git/objects/commit.ts';
import { editTree } from '../../git/objects/tree.ts';
import { keepWorktree, type Worktree, worktreeAt } from '../../git/worktree.ts';
import { readRegularFile } from '../../process/untrusted-files.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { emptyDirectory, type Files, readDirectory, restoreDirectory } from '../../score/arena/arena-directory.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { Problem } from '../../text/problem.ts';
import { type Bench, differencesIn, type FileChange, layAnew, pointBench, sparseCommit } from '../attempt/bench.ts';
import { type Claimed, savedEdits } from '../claim/claim-commits.ts';

/*
 * A person's bench is laid out once. From then on its files are theirs, also when the run is over: they are read, and
 * written only where they are to the byte what the person has offered and what was kept in another form.
 */

/** Where the bench of a person's spec is, or will be. */
export const personsWorktree = (org: Org, spec: string): Worktree => worktreeAt(org.repo, benchName(person, spec));

/** What a person has in their bench, and what of it is not as the line has it. */
interface PersonsBench extends Pick<Bench, 'worktree' | 'files' | 'state'> {
  readonly differences: readonly FileChange[];
}

/** Reads a person's bench, as hostile as any; undefined when there is none, or it is being laid out. */
export async function readPersonsBench(
  org: Org,
  spec: string,
  line: NotebookLine,
  brief: Brief,
): Promise<PersonsBench | undefined> {
  const worktree = personsWorktree(org, spec);
  if (!(await lookForBench(org, worktree))) return undefined;
  const files = await entriesOfZones(org.repo, line.tree, zonesOf(brief));
  const state = readDirectory(org.repo, worktree.dir, emptyDirectory, () => true, '.git');
  return { worktree, files, state, differences: [...differencesIn({ files }, state)] };
}

/**
 * Lays out a person's bench, or keeps it. `kept` is the tree of an offer that was kept: where the bench still is just that,
 * and the line has become another by a merge or by what was taken out of it, the bench follows the line.
 */
export async function keepPersonsBench(org: Org, { claim, line }: Claimed, kept?: string): Promise<void> {
  const { repo } = org;
  const zones = zonesOf(claim.pinned.brief);
  const name = benchName(person, claim.spec.id);
  const bench = await readPersonsBench(org, claim.spec.id, line, claim.pinned.brief);
  if (bench === undefined) {
    const { worktree, state } = await layAnew(org, name, line, zones);
    const saved = await savedEdits(org, claim.spec.id);
    if (saved?.base === line.tree)
      // They deleted it, or moved elsewhere: what they had typed is theirs.
      await restoreDirectory(repo, worktree.dir, state, await entriesOfZones(repo, saved.tree, zones));
    return;
  }
  const { worktree, files, state } = bench;
  if (kept !== undefined && kept !== line.tree) {
    const offered = await entriesOfZones(repo, kept, zones);
    const isAsOffered = state.odd.length === 0 && differencesIn({ files: offered }, state).next().done === true;
    if (isAsOffered) await restoreDirectory(repo, worktree.dir, state, files);
  }
  await keepView(org, name, line, worktree, files);
}

/** A bench without a directory: a person's candidate is read when they offer it, and never again. */
export async function offeredBench(org: Org, { claim, line }: Claimed, attempt: number): Promise<Bench> {
  const zones = zonesOf(claim.pinned.brief);
  const worktree = personsWorktree(org, claim.spec.id);
  const files = await entriesOfZones(org.repo, line.tree, zones);
  return { claim, line, zones, worktree, files, state: emptyDirectory, attempt };
}

/** Whether all files were there once. Git's view of a bench is set last, so without it laying out was cut off. */
async function lookForBench(org: Org, { dir, adminDir }: Worktree): Promise<boolean> {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (!stat.isDirectory()) throw inTheWay(org, dir, stat.isSymbolicLink() ? 'a link' : 'no directory');
  if (readdirSync(dir).every((name) => name === '.git')) return false;
  const isCutOff = existsSync(adminDir) && !existsSync(path.join(adminDir, 'index'));
  return !isCutOff || isOnBranch(adminDir) || (await checkBenchCommit(org, headOf(adminDir)));
}

/** What is not ours is not removed, and what a link leads to is not ours to write to. */
const inTheWay = (org: Org, dir: string, what: string): Problem =>
  new Problem(
    'file/exists',
    `${path.relative(org.repo.root, dir)} is ${what}, and the bench of a person belongs there`,
    'Move it away, and lay the bench: orgrepo run',
  );

/** `git diff` in a bench tells what would be offered. A person who has committed there, or is on a branch, has a view of their own. */
async function keepView(org: Org, name: string, line: NotebookLine, worktree: Worktree, files: Files): Promise<void> {
  const { dir, adminDir } = worktree;
  if (!existsSync(adminDir) || !existsSync(path.join(dir, '.git')))
    await keepWorktree(org.repo, worktree, await sparseCommit(org, name, line, files));
  if (isOnBranch(adminDir)) return;
  const head = headOf(adminDir);
  const view = head === undefined ? undefined : await readCommit(org.repo, head);
  const { oid } = await editTree(org.repo, undefined, files);
  const isWhole = existsSync(path.join(adminDir, 'index'));
  if (isWhole && (view?.tree === oid || (view !== undefined && !(await checkBenchCommit(org, head))))) return;
  await pointBench(org, name, line, worktree, files);
}

const checkBenchCommit = async (org: Org, id: string | undefined): Promise<boolean> => {
  const commit = id === undefined ? undefined : await readCommit(org.repo, id);
  return commit?.author.email === 'orgrepo@agents.invalid' && commit.message.startsWith('bench: ');
};

/** The commit that git's notes on a bench name, where they name one outright. */
const headOf = (adminDir: string): string | undefined => /^([0-9a-f]{40,64})\n$/.exec(headText(adminDir))?.[1];

/** We never put a bench on a branch. */
const isOnBranch = (adminDir: string): boolean => /^ref:\s/.test(headText(adminDir));

const headText = (adminDir: string): string => readRegularFile(path.join(adminDir, 'HEAD'), 4_096) ?? '';
