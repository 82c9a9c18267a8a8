import { workRefs } from '../domain/names.ts';
import { git } from '../git/run.ts';
import type { Night } from './night.ts';

/**
 * The number of the experiment that measured this very tree before, or undefined when none did.
 * Git itself is the index: a tree that is not in the store was never tried, and that answers nearly every question.
 */
export async function triedBefore(night: Night, tree: string): Promise<number | undefined> {
  if (!(await night.org.repo.reader.has(tree))) return undefined;
  // A tree can also be in the store because it was only ever built, so the candidates' commits have the last word.
  night.seen ??= await candidatesEver(night);
  return night.seen.get(tree);
}

async function candidatesEver(night: Night): Promise<Map<string, number>> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `--format=%T ${trailer('Org-Event')} ${trailer('Org-Experiment')}`;
  const log = await git(night.org.repo, ['log', format, `--glob=${workRefs}*`]);
  const seen = new Map<string, number>();
  for (const line of log.split('\n')) {
    const [tree = '', event = '', n = ''] = line.split(' ');
    if (event === 'try') seen.set(tree, Number(n));
  }
  return seen;
}
