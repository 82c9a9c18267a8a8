import type { AuditFinding } from '../../domain/rules/finding.ts';
import { readTree } from '../../git/objects/tree.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';

/** What an organisation is made of. */
const paths = new Set(['ORG.md', 'org.yaml', 'policies', 'program.md', 'orgrepo.md']);

/** Every organisation that was applied says by whom, begins on the trunk, and brings nothing else along. */
export async function* checkApplied(books: Books): AsyncGenerator<AuditFinding> {
  const { library, applied } = books;
  const [first] = applied;
  const below = library.page(first?.commit.parents[0]);
  if (first !== undefined && (below === undefined || (below.ours && below.event !== 'land')))
    yield about(first, 'what was applied does not begin on the trunk', 'a commit of the trunk', below?.title);
  for (const page of applied) {
    if (page.commit.parents.length !== 1) yield about(page, 'it follows one commit', 1, page.commit.parents.length);
    if ((page.get('By') ?? '') === '') yield about(page, 'it does not say who applied it', 'a name', '');
    for (const name of (await readTree(library.org.repo, page.commit.tree)).keys())
      if (!paths.has(name)) yield about(page, 'there is something else in its tree', [...paths].join(', '), name);
  }
}
