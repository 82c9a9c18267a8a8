import type { Org } from '../records/org.ts';

/** A run starts from the last commit: what is not committed is not part of it, and people forget that. */
export async function warnOfUncommitted(org: Org, note: (message: string) => void): Promise<void> {
  const { uncommitted } = await import('../git/person.ts');
  let files: readonly string[];
  try {
    files = await uncommitted(org.repo.root, ['program.md', 'branches.md', 'harness', 'sandbox', 'specs']);
  } catch (error) {
    // A damaged index or HEAD is the person's to mend, and no reason why a run that needs neither should fail.
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : error;
    note(`git status fails here, so what is not committed is not known: ${said}`);
    return;
  }
  if (files.length === 0) return;
  const named = files.slice(0, 3).join(', ');
  note(`not committed, so not part of this run: ${named}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`);
}
