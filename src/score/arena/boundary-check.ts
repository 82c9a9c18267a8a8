import type { Brief } from '../../domain/words/brief.ts';
import type { Verdict } from '../../domain/words/experiment.ts';
import type { TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import { readGlobs, showPath } from '../../text/paths.ts';
import { type Boundary, breaches, breachesInWords } from '../judge/boundary.ts';
import { compareTrees } from './compare-trees.ts';
import { contentOf, zonesOf } from './zone-files.ts';

/**
 * Everything by which a candidate's tree oversteps what the brief lets an agent change in its base. It looks at nothing
 * but the two trees in the object store, so it holds for a tree of ours, of an earlier run and of another clone alike.
 */
export async function boundaryBreaches(
  repo: Repo,
  base: string,
  candidate: string,
  brief: Brief,
): Promise<readonly string[]> {
  const { differences, faults } = await compareTrees(repo, base, candidate);
  return [...faults, ...breaches(differences, boundaryOf(brief))];
}

/** The last look at a saved candidate before it is measured: undefined when it may be. */
export async function tamperingIn(
  repo: Repo,
  { tree, champion }: { readonly tree: string; readonly champion: { readonly tree: string } },
  brief: Brief,
): Promise<Verdict | undefined> {
  const found = await boundaryBreaches(repo, champion.tree, tree, brief);
  return found.length === 0 ? undefined : { event: 'tampered', reason: breachesInWords(found) };
}

/** A sandbox that names a file outright allows it; so does `allow`, whose patterns count from any directory on. */
export function boundaryOf(brief: Brief): Boundary {
  const known = boundaries.get(brief);
  if (known !== undefined) return known;
  const allowed = readGlobs(brief.allow).names;
  const boundary: Boundary = {
    inSandbox: zonesOf(brief).sandbox.names,
    isAllowed: (path) => brief.sandbox.includes(path) || tailsOf(path).some(allowed),
  };
  boundaries.set(brief, boundary);
  return boundary;
}

const boundaries = new WeakMap<Brief, Boundary>();

const tailsOf = (path: string): string[] => {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(index).join('/'));
};

/** A file of a candidate that is not as it was. */
interface Changed {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: { readonly content: Buffer | undefined } | undefined;
}

/**
 * Why a candidate may not be written to git: it holds a secret, and history forgets nothing. Undefined when it may be.
 * Where the person's own file had that secret before, the agent has only changed something beside it, and is not to blame.
 */
export async function secretIn(
  repo: Repo,
  changes: readonly Changed[],
): Promise<(Pick<Verdict, 'reason'> & { readonly event: 'tampered' | 'discard' }) | undefined> {
  for (const { path, before, after } of changes) {
    if (after === undefined) continue;
    const named = findSecret(path);
    if (named !== undefined) return { event: 'tampered', reason: `holds the secret ${named} in the name of a file` };
    const held = after.content && findSecret(after.content);
    if (held === undefined) continue;
    const reason = `holds the secret ${held} in ${showPath(path)}`;
    if (before === undefined || findSecret(await contentOf(repo, before.oid)) === undefined)
      return { event: 'tampered', reason };
    return { event: 'discard', reason: `${reason}, as it did before: take it out on the trunk` };
  }
  return undefined;
}
