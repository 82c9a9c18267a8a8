import type { Org } from '../records/org.ts';

/** A run starts from the last commit: what is not committed is not part of it, and people forget that. */
export async function warnOfUncommitted(org: Org, note: (message: string) => void): Promise<void> {
  const { uncommitted } = await import('../git/person.ts');
  const files = await uncommitted(org.repo.root, ['program.md', 'branches.md', 'harness', 'sandbox', 'specs']);
  if (files.length === 0) return;
  const named = files.slice(0, 3).join(', ');
  note(`not committed, so not part of this run: ${named}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`);
}
