import type { AuditFinding } from '../../domain/rules/finding.ts';
import { isTree, readTree } from '../../git/objects/tree.ts';
import { policiesDir } from '../../org/force/policy-files.ts';
import { readDecision } from '../../policy/decision-book.ts';
import { decisionId } from '../../policy/policy.ts';
import { parseRefused } from '../../records/queue/refused-specs.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';
import type { AuditPage } from '../audit-library.ts';

/**
 * Every decision is whole: it names the policies that are in its tree, and its id is that of its policies and its act. Whether
 * they say what was written down is for `replay` to find out: nothing is run here.
 */
export async function* checkDecisions(books: Books): AsyncGenerator<AuditFinding> {
  const [first] = books.decisions;
  const below = books.library.page(first?.commit.parents[0]);
  if (first !== undefined && (below === undefined || below.ours))
    yield about(first, 'the decisions do not begin on the trunk', 'a commit of the trunk', below?.title);
  for (const [index, page] of books.decisions.entries()) {
    if (page.commit.parents.length !== 1) yield about(page, 'it follows one commit', 1, page.commit.parents.length);
    if (page.get('Number') !== String(index + 1))
      return yield about(page, 'decisions are numbered one after the other', index + 1, page.get('Number'));
    yield* await checkWhole(books, page);
  }
  for (const page of books.queue) if (page.ours && page.event === 'end') yield* checkRefused(books, page);
}

/** What a night says at its end that policies refused is on the books as refused. */
function* checkRefused({ decisions }: Books, page: AuditPage): Generator<AuditFinding> {
  for (const { spec, n } of parseRefused(page.body)) {
    const decision = decisions[n - 1];
    const found = decision && `${decision.get('Result')?.split(':')[0]} ${decision.get('Act')} ${decision.get('Spec')}`;
    if (found !== `deny claim ${spec}` && found !== `needs-approval claim ${spec}`)
      yield about(page, `D${n} did not refuse ${spec} to anybody`, `deny claim ${spec}`, found);
  }
}

const results = /^(allow|deny|needs-approval: .+)$/;

async function checkWhole({ library }: Books, page: AuditPage): Promise<readonly AuditFinding[]> {
  const recorded = await readDecision(library.org, page);
  if (recorded === undefined || !results.test(recorded.result))
    return [about(page, 'the decision cannot be read', 'an act, its policies and a result', '')];
  const tree = await readTree(library.org.repo, page.commit.tree);
  const policies = tree.get(policiesDir);
  const files = [...tree.keys()].filter((name) => name !== policiesDir && (name !== 'act.json' || page.body !== ''));
  const { act } = recorded;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['its policies are not those in its tree', recorded.policies, isTree(policies) ? policies.oid : undefined],
    ['there is something else in its tree', '', files.join(' ')],
    ['it is the decision on another act, or by other policies', decisionId(recorded.policies, act), recorded.id],
    ['it names another act', act.act, page.get('Act')],
    ['it names somebody else', act.principal.id, page.get('Agent')],
  ];
  return pairs.flatMap(([what, expected, found]) => (expected === found ? [] : [about(page, what, expected, found)]));
}
