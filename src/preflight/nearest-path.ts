import { entryAt, readTree } from '../git/objects/tree.ts';
import type { Org } from '../records/org.ts';
import { nearestName } from '../text/problem.ts';

/**
 * A path, or a pattern, with every part that the tree does not have replaced by the nearest one that it has. Undefined
 * when there is none. What follows a part with a glob in it is left as it is.
 */
export async function nearestPath(org: Org, tree: string, path: string): Promise<string | undefined> {
  const parts = path.split('/');
  const found: string[] = [];
  for (const part of parts) {
    if (/[*?[\]{}]/.test(part)) break;
    const dir = found.length === 0 ? tree : (await entryAt(org.repo, tree, found.join('/')))?.oid;
    const names = dir === undefined ? [] : [...(await readTree(org.repo, dir)).keys()];
    const near = names.includes(part) ? part : nearestName(part, names);
    if (near === undefined) return undefined;
    found.push(near);
  }
  const near = [...found, ...parts.slice(found.length)].join('/');
  return near === path ? undefined : near;
}
