import type { Brief } from '../domain/brief.ts';
import { isProblem, Problem, type ProblemCode } from '../domain/problem.ts';
import { type Entry, entryAt, filesOf, isTree } from '../git/tree.ts';
import { parseBrief } from '../text/brief.ts';
import { placeIn } from '../text/brief-places.ts';
import { hasFrontMatter } from '../text/front-matter.ts';
import { problemAt } from '../text/problem-at.ts';
import { readEntry } from './entry.ts';
import type { Org } from './org.ts';
import { orCommitFirst } from './uncommitted-brief.ts';

/** A brief together with the exact bytes it came from and the harness that goes with it. */
export interface PinnedBrief {
  readonly brief: Brief;
  /** The id of the blob that the brief is in. */
  readonly blob: string;
  /** The id of the harness: of its tree, or of its blob where it is one file. */
  readonly harness: string;
  /** The brief's file where it is not program.md. */
  readonly file?: string | undefined;
}

/** The brief's usual file, and the one for a repository whose program.md is somebody else's and stays as it is. */
const usualFile = 'program.md';
const besideFile = 'orgrepo.md';

/** The brief and the harness as they stand in a commit. */
export async function pinBrief(org: Org, commit: string): Promise<PinnedBrief> {
  const tree = (await readEntry(org, commit))?.commit.tree ?? '';
  try {
    return await pinTree(org, tree);
  } catch (error) {
    throw isProblem(error) && error.code.startsWith('brief/') ? await orCommitFirst(org, tree, error) : error;
  }
}

async function pinTree(org: Org, tree: string): Promise<PinnedBrief> {
  const found = await findBrief(org, tree);
  if (found === undefined) {
    throw new Problem(
      'brief/missing',
      'there is no program.md in the last commit',
      'Make one: npx orgrepo init, then commit it.',
      { file: usualFile },
    );
  }
  return pinBlob(org, found.blob, tree, found.file);
}

/**
 * The file that holds the brief: program.md; or orgrepo.md, where program.md has no front matter because it was written
 * for something else. Undefined when there is neither.
 */
export async function findBrief(
  org: Org,
  tree: string,
): Promise<{ readonly file: string; readonly blob: string } | undefined> {
  const [usual, beside] = await Promise.all([fileAt(org, tree, usualFile), fileAt(org, tree, besideFile)]);
  if (beside === undefined) return usual && { file: usualFile, blob: usual.oid };
  if (usual === undefined || !hasFrontMatter(await textOf(org, usual.oid)))
    return { file: besideFile, blob: beside.oid };
  if (!hasFrontMatter(await textOf(org, beside.oid))) return { file: usualFile, blob: usual.oid };
  throw problemAt(
    'brief/key',
    { file: besideFile, line: 1, column: 1 },
    'program.md and orgrepo.md both have front matter, and only one can be the brief',
    'Take one of them out, or the front matter of the one that is only to be read.',
  );
}

async function fileAt(org: Org, tree: string, path: string): Promise<Entry | undefined> {
  const entry = await entryAt(org.repo, tree, path);
  return entry === undefined || isTree(entry) ? undefined : entry;
}

/** A brief by its blob, with the harness that this tree has. */
export async function pinBlob(org: Org, blob: string, tree: string, file = usualFile): Promise<PinnedBrief> {
  const brief = await readBrief(org, blob, tree, file);
  const harness = await entryAt(org.repo, tree, brief.harness);
  const pinned = { brief, blob, harness: harness?.oid ?? '', ...(file === usualFile ? {} : { file }) };
  if (harness !== undefined && (isTree(harness) || harness.mode.startsWith('100'))) return pinned;
  throw await problemInBrief(
    org,
    pinned,
    'harness/missing',
    ['harness'],
    harness === undefined
      ? `harness is ${brief.harness}, and there is no such directory or file in the last commit`
      : `harness is ${brief.harness}, which is neither a directory nor a regular file`,
    `Make ${brief.harness} and commit it, or change harness in ${file}.`,
  );
}

export async function readBrief(org: Org, blob: string, tree: string, file = usualFile): Promise<Brief> {
  const text = await textOf(org, blob);
  const paths = await filesOf(
    org.repo,
    tree,
    () => true,
    (dir) => dir === 'harness',
  );
  return parseBrief(text, file, { exists: (path) => paths.has(path) });
}

/** A Problem that stands in a brief which can be read: about what it asks for, by the line that asks for it. */
export async function problemInBrief(
  org: Org,
  pinned: PinnedBrief,
  code: ProblemCode,
  path: readonly [string, ...string[]],
  what: string,
  hint: string,
): Promise<Problem> {
  const place = placeIn(await textOf(org, pinned.blob), pinned.file ?? usualFile, ...path);
  return problemAt(code, place, what, hint);
}

async function textOf(org: Org, blob: string): Promise<string> {
  const found = await org.repo.reader.read(blob);
  if (found?.type === 'blob') return found.content.toString('utf8');
  throw new Problem(
    'integrity/history',
    `the brief ${blob} is not in this repository`,
    'Fetch the whole history: git fetch --unshallow',
  );
}

/** Two measurements can be compared when this is the same for both. */
export function measureKey(pinned: PinnedBrief): string {
  const { metric, direction, run, score, include, holdout, harness, samples } = pinned.brief;
  return JSON.stringify([pinned.harness, metric, direction, run, score, include, holdout, harness, samples]);
}
