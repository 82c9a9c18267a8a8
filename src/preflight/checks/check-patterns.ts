import { filesOf } from '../../git/objects/tree.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { zonesOf } from '../../score/arena/zone-files.ts';
import { type Globs, readGlobs } from '../../text/paths.ts';
import type { Problem } from '../../text/problem.ts';
import { nearestPath } from '../nearest-path.ts';

/**
 * Paths of include and patterns of holdout that name no file: with a letter too few in holdout, the answers lie open
 * before every candidate.
 */
export async function wrongPatterns(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const { brief } = pinned;
  const named = [
    ...brief.include.map((pattern, index) => ({ key: 'include', pattern, index, within: everywhere })),
    ...brief.holdout.map((pattern, index) => ({ key: 'holdout', pattern, index, within: zonesOf(brief).fixed })),
  ];
  const found = await Promise.all(
    named.map(async ({ key, pattern, index, within }) => {
      if (await namesAny(org, tree, pattern, within)) return undefined;
      const near = await nearestPath(org, tree, pattern);
      const meant = near !== undefined && (await namesAny(org, tree, near, within)) ? near : undefined;
      const what = `${key} names ${pattern}, and there is no such file in the last commit`;
      const hint = meant === undefined ? `Write it and commit it, or take it out of ${key}.` : `Did you mean ${meant}?`;
      return problemInBrief(org, pinned, 'brief/paths', [key, String(index)], what, hint);
    }),
  );
  return found.filter((problem) => problem !== undefined);
}

const everywhere: Globs = { names: () => true, leadsTo: () => true };

async function namesAny(org: Org, tree: string, pattern: string, within: Globs): Promise<boolean> {
  const { names, leadsTo } = readGlobs([pattern]);
  const files = await filesOf(
    org.repo,
    tree,
    (file) => names(file) && within.names(file),
    (dir) => leadsTo(dir) && within.leadsTo(dir),
  );
  return files.size > 0;
}
