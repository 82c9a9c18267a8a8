import type { Brief } from '../domain/brief.ts';
import { Problem } from '../domain/problem.ts';
import { entryAt, filesOf, isTree } from '../git/tree.ts';
import { parseBrief } from '../text/brief.ts';
import { readEntry } from './entry.ts';
import type { Org } from './org.ts';

/** A brief together with the exact bytes it came from and the harness that goes with it. */
export interface PinnedBrief {
  readonly brief: Brief;
  /** The id of program.md's blob. */
  readonly blob: string;
  /** The id of the harness's tree. */
  readonly harness: string;
}

/** The brief and the harness as they stand in a commit. */
export async function pinBrief(org: Org, commit: string): Promise<PinnedBrief> {
  const entry = await readEntry(org, commit);
  const tree = entry?.commit.tree ?? '';
  const file = await entryAt(org.repo, tree, 'program.md');
  if (file === undefined || isTree(file)) {
    throw new Problem(
      'brief/missing',
      'there is no program.md in the last commit',
      'Make one: npx orgrepo init, then commit it.',
      { file: 'program.md' },
    );
  }
  return pinBlob(org, file.oid, tree);
}

/** A brief by its blob, with the harness that this tree has. */
export async function pinBlob(org: Org, blob: string, tree: string): Promise<PinnedBrief> {
  const brief = await readBrief(org, blob, tree);
  const harness = await entryAt(org.repo, tree, brief.harness);
  if (!isTree(harness)) {
    throw new Problem(
      'harness/missing',
      `program.md: harness is ${brief.harness}, and there is no such directory in the last commit`,
      `Make ${brief.harness}/ and commit it, or change harness in program.md.`,
      { file: 'program.md' },
    );
  }
  return { brief, blob, harness: harness.oid };
}

export async function readBrief(org: Org, blob: string, tree: string): Promise<Brief> {
  const found = await org.repo.reader.read(blob);
  if (found?.type !== 'blob') {
    throw new Problem(
      'integrity/history',
      `the brief ${blob} is not in this repository`,
      'Fetch the whole history: git fetch --unshallow',
    );
  }
  const paths = await filesOf(
    org.repo,
    tree,
    () => true,
    (dir) => dir === 'harness',
  );
  return parseBrief(found.content.toString('utf8'), 'program.md', { exists: (path) => paths.has(path) });
}

/** Two measurements can be compared when this is the same for both. */
export function measureKey(pinned: PinnedBrief): string {
  const { metric, direction, run, score, include, holdout, harness, samples } = pinned.brief;
  return JSON.stringify([pinned.harness, metric, direction, run, score, include, holdout, harness, samples]);
}
