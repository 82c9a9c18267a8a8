import { bestRef, wipRefs, workRefs } from '../domain/names.ts';
import { git } from '../git/run.ts';
import type { Night } from './night.ts';

/**
 * Takes a tree for measuring, unless somebody has measured that very tree before or is about to: then it says who.
 * Git itself is the index: a tree that is not in the store was never tried, and that answers nearly every question.
 */
export async function takeTree(night: Night, tree: string): Promise<string | undefined> {
  if (await night.org.repo.reader.has(tree)) {
    const recent = night.memory.experiments.findLast((one) => one.tree === tree && one.seconds !== undefined);
    if (recent !== undefined) return `#${recent.n}`;
    // A tree can also be in the store because it was only ever built, so the candidates' commits have the last word.
    night.seen ??= await measuredEver(night);
    const before = night.seen.get(tree);
    if (before !== undefined) return before === 0 ? 'the baseline' : `#${before}`;
  }
  // From here to the end nothing waits: of two lanes that hit upon one tree, one is first.
  if (night.offered.has(tree)) return 'one that a colleague is trying';
  night.offered.add(tree);
  return undefined;
}

/** Every tree that was measured, or saved to be, with the number of its experiment. */
async function measuredEver(night: Night): Promise<Map<string, number>> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `--format=%H %T ${trailer('Org-Event')} ${trailer('Org-Experiment')} %P`;
  const globs = [workRefs, wipRefs].map((refs) => `--glob=${refs}*`);
  const log = await git(night.org.repo, ['log', format, ...globs, bestRef]);
  const trees = new Map<string, string>();
  const measured: { tree: string; n: number; parent: string }[] = [];
  for (const line of log.split('\n')) {
    const [commit = '', tree = '', event = '', n = '', parent = ''] = line.split(' ');
    trees.set(commit, tree);
    if (event === 'try' || event === 'baseline')
      measured.push({ tree, n: Number(n), parent: event === 'try' ? parent : '' });
  }
  // An attempt that was refused has the tree of its line: nothing was measured there.
  const real = measured.filter(({ tree, parent }) => trees.get(parent) !== tree);
  return new Map(real.map(({ tree, n }) => [tree, n]));
}
