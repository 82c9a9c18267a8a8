import type { Verdict } from '../../domain/words/experiment.ts';
import type { TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import { showPath } from '../../text/file-name.ts';
import { contentOf } from './zone-files.ts';

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
