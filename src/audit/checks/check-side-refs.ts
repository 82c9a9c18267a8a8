import { readTrace, traceInWords } from '../../agents/trace/trace-book.ts';
import type { AuditFinding } from '../../domain/rules/finding.ts';
import { isTree, readTree } from '../../git/objects/tree.ts';
import { appliedRef, decisionsRef, traceRef, traceRefs } from '../../git/refs/ref-names.ts';
import { policiesDir } from '../../org/force/policy-files.ts';
import { readDecision } from '../../policy/decision-book.ts';
import { decisionId } from '../../policy/policy.ts';
import { parseRefused } from '../../records/queue/spec-text.ts';
import { type Books, checkLineOf, linesBelow } from '../audit-books.ts';
import { type AuditPage, about, unequal } from '../audit-library.ts';

/**
 * Every decision is whole: it names the policies that are in its tree, and its id is that of its policies and its act. Whether
 * they say what was written down is for `replay` to find out: nothing is run here.
 */
export async function* checkDecisions(books: Books): AsyncGenerator<AuditFinding> {
  const decisions = books.lines.get(decisionsRef) ?? [];
  yield* checkLineOf(books, decisions, 'the decisions do');
  for (const [index, page] of decisions.entries()) {
    if (page.get('Number') !== String(index + 1))
      return yield about(page, 'decisions are numbered one after the other', index + 1, page.get('Number'));
    yield* await checkWhole(books, page);
  }
  for (const page of books.queue) if (page.ours && page.event === 'end') yield* checkRefused(decisions, page);
}

/** What a night says at its end that policies refused is on the books as refused. */
function* checkRefused(decisions: readonly AuditPage[], page: AuditPage): Generator<AuditFinding> {
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

/** What an organisation is made of. */
const paths = new Set(['ORG.md', 'org.yaml', 'policies', 'program.md', 'orgrepo.md']);

/** Every organisation that was applied says by whom, begins on the trunk, and brings nothing else along. */
export async function* checkApplied(books: Books): AsyncGenerator<AuditFinding> {
  const applied = books.lines.get(appliedRef) ?? [];
  yield* checkLineOf(books, applied, 'what was applied does');
  for (const page of applied) {
    if ((page.get('By') ?? '') === '') yield about(page, 'it does not say who applied it', 'a name', '');
    for (const name of (await readTree(books.library.org.repo, page.commit.tree)).keys())
      if (!paths.has(name)) yield about(page, 'there is something else in its tree', [...paths].join(', '), name);
  }
}

/** Every trace stands on the ref of its spec, names what it led to, and holds one packed file without a secret. */
export async function* checkTraces(books: Books): AsyncGenerator<AuditFinding> {
  for (const [ref, pages] of linesBelow(books, traceRefs))
    for (const page of pages) {
      const spec = page.get('Spec');
      yield* unequal(page, 'it is among the traces of another spec', ref, traceRef(spec));
      yield* checkCause(books, page);
      yield* await checkFile(books, page);
    }
}

function* checkCause({ library }: Books, page: AuditPage): Generator<AuditFinding> {
  const [, parent, ...more] = page.commit.parents;
  const cause = page.get('Cause');
  const led = library.page(cause);
  if (cause !== parent || more.length > 0 || led === undefined)
    return yield about(page, 'it does not stand on what it led to', cause, parent);
  if (page.get('Experiment') === undefined) return; // Said before there was a try: by the chief, or of a plan.
  const [expected, found] = [led, page].map((one) => `${one.get('Spec')} #${one.get('Experiment')}`);
  if (led.event !== 'try' || expected !== found)
    yield about(page, 'it is the trace of another try', found, `${led.event || 'no commit of orgrepo'} of ${expected}`);
}

async function checkFile({ library }: Books, page: AuditPage): Promise<readonly AuditFinding[]> {
  const { size } = await readTree(library.org.repo, page.commit.tree);
  if (size !== 1) return [about(page, 'a trace is one file', 1, size)];
  const read = await readTrace(library.org, page);
  return 'wrong' in read ? [about(page, 'its trace is not as it was stored', traceInWords, read.wrong)] : [];
}
