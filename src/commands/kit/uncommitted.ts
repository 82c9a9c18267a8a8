import { pinBrief } from '../../org/force/pin-brief.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { isProblem } from '../../text/problem.ts';

/** A run starts from the last commit: what is not committed is not part of it, and people forget that. */
export async function warnOfUncommitted(org: Org, note: (message: string) => void): Promise<void> {
  const { uncommitted } = await import('../../git/persons-git.ts');
  let files: readonly string[];
  try {
    files = await uncommitted(org.repo.root, await peoplesFiles(org));
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

/** What a run reads of the trunk; where there is no brief that tells, the usual places. */
async function peoplesFiles(org: Org): Promise<readonly string[]> {
  const always = ['program.md', 'orgrepo.md', 'branches.md', 'specs', 'ORG.md', 'org.yaml', 'policies'];
  try {
    const { harness, sandbox, include } = (await pinBrief(org, await trunkTip(org))).brief;
    const bases = sandbox.map((pattern) => pattern.replace(/(^|\/)[^/]*[*?[{].*$/, ''));
    return [...always, harness, ...include, ...bases.filter((base) => base !== '')];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [...always, 'harness', 'sandbox'];
  }
}
