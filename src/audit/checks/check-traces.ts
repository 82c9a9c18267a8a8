import { readTrace, traceInWords } from '../../agents/trace/trace-book.ts';
import type { AuditFinding } from '../../domain/rules/finding.ts';
import { readTree } from '../../git/objects/tree.ts';
import { traceRef } from '../../git/refs/ref-names.ts';
import type { Books } from '../audit-books.ts';
import { type AuditPage, about } from '../audit-library.ts';

/** Every trace stands on the ref of its spec, names what it led to, and holds one packed file without a secret. */
export async function* checkTraces(books: Books): AsyncGenerator<AuditFinding> {
  for (const [ref, pages] of books.traces)
    for (const page of pages) {
      const spec = page.get('Spec');
      if (traceRef(spec) !== ref) yield about(page, 'it is among the traces of another spec', ref, traceRef(spec));
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
