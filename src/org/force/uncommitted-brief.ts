import { readFileSync } from 'node:fs';
import path from 'node:path';
import { entryAt } from '../../git/objects/tree.ts';
import type { Org } from '../../records/org.ts';
import { hasFrontMatter } from '../../text/front-matter.ts';
import { Problem } from '../../text/problem.ts';

/**
 * The same Problem about the last commit's brief, with another hint where the person has the brief in their directory
 * and has only not committed it: to write it again would be the wrong thing to do.
 */
export async function orCommitFirst(org: Org, tree: string, problem: Problem): Promise<Problem> {
  for (const file of ['orgrepo.md', 'program.md']) {
    const state = await stateOf(org, tree, file);
    if (state === 'committed') continue;
    const add = file === 'orgrepo.md' ? file : '-A'; // The harness and the rest came with it.
    const commit = `git add ${add} && git commit -m "the org"`;
    const hint =
      state === 'new'
        ? `${file} is here and not committed, and only what is committed counts: ${commit}`
        : `${problem.hint} Once ${file} is right, commit it, since only what is committed counts: ${commit}`;
    return new Problem(problem.code, problem.message, hint, problem.place);
  }
  return problem;
}

async function stateOf(org: Org, tree: string, file: string): Promise<'committed' | 'changed' | 'new'> {
  const here = textHere(path.join(org.repo.root, file));
  // A page called orgrepo.md may be about anything; with front matter it is meant as a brief.
  if (here === undefined || (file === 'orgrepo.md' && !hasFrontMatter(here))) return 'committed';
  const entry = await entryAt(org.repo, tree, file);
  if (entry === undefined) return 'new';
  const there = (await org.repo.reader.read(entry.oid))?.content.toString('utf8') ?? '';
  return plain(there) === plain(here) ? 'committed' : 'changed';
}

/** Without what git may change when it checks a file out. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n');

function textHere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
