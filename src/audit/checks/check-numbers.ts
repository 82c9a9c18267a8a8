import type { AuditFinding } from '../../domain/rules/finding.ts';
import { parseLedger } from '../../domain/words/ledger.ts';
import { type Books, type JudgedPage, rejectedIn } from '../audit-books.ts';
import { type AuditPage, about } from '../audit-library.ts';

/** A number is given once, a candidate is judged once, none is left out, and what is kept reaches best or is answered. */
export function* checkNumbers(books: Books): Generator<AuditFinding> {
  yield* repeated(books.verdicts, 'the number is given twice', ({ page }) => page.get('Experiment'));
  yield* repeated(books.verdicts, 'the candidate is judged twice', ({ tried }) => tried?.id);
  yield* missing(books);
  if (!isMended(books)) yield* checkKeeps(books);
}

function* repeated(
  verdicts: readonly JudgedPage[],
  what: string,
  of: (verdict: JudgedPage) => string | undefined,
): Generator<AuditFinding> {
  const first = new Map<string, AuditPage>();
  for (const verdict of verdicts) {
    const value = of(verdict);
    if (value === undefined) continue;
    const before = first.get(value);
    if (before === undefined) first.set(value, verdict.page);
    else yield about(verdict.page, what, `${value} once`, `${value} also in ${before.id}`);
  }
}

/** A run that was cut off may have given numbers that nobody used; one that ended has none to spare. */
function* missing(books: Books): Generator<AuditFinding> {
  const numbers = new Map(books.verdicts.map(({ page }) => [page.number('Experiment') ?? 0, page]));
  for (const page of savedHere(books)) numbers.set(page.number('Experiment') ?? 0, page);
  const highest = [...numbers.keys()].reduce((most, n) => Math.max(most, n), 0);
  if (isMended(books)) return;
  const runs = runsOf(books);
  for (let n = 1; n < highest; n++) {
    if (numbers.has(n)) continue;
    const run = runs.find((one) => n > one.from && n <= one.to);
    if (run?.cut) continue;
    let next = n + 1;
    while (!numbers.has(next)) next += 1;
    yield about(numbers.get(next) as AuditPage, 'an experiment before it is missing', `#${n}`, undefined);
    n = next;
  }
}

/** The candidates that are saved and stand on their notebook. Any other one is of another clone, and so is its number. */
function savedHere({ library, notebooks, saved }: Books): AuditPage[] {
  return [...saved].flatMap(([spec, page]) => {
    const tried = page?.event === 'wip' ? library.page(page.commit.parents[0]) : page;
    const [base] = tried?.commit.parents ?? [];
    return tried !== undefined && notebooks.get(spec)?.pages.some(({ id }) => id === base) ? [tried] : [];
  });
}

/** The numbers that each run gave, between its own first commit on the queue and the next run's. */
function runsOf(books: Books): { readonly from: number; readonly to: number; readonly cut: boolean }[] {
  const ours = books.queue.filter((page) => page.get('Ledger') !== undefined);
  const ledgers = ours.map((page) => ({ event: page.event, ledger: parseLedger(page.get('Ledger') ?? '') }));
  const starts = ledgers.flatMap(({ event }, index) => (event === 'run' ? [index] : []));
  return starts.map((at, index) => {
    const next = starts[index + 1];
    const last = ledgers[(next ?? ledgers.length) - 1]?.ledger;
    return {
      from: ledgers[at]?.ledger.experiments ?? 0,
      to: next === undefined ? Number.POSITIVE_INFINITY : (ledgers[next]?.ledger.experiments ?? 0),
      cut: last?.state !== 'ended',
    };
  });
}

/** After a power failure the newest commits may be gone, and what stood on them too. */
export const isMended = (books: Books): boolean =>
  books.queue.some((page) => page.event === 'spec' && page.get('Reason') === 'mended');

function* checkKeeps(books: Books): Generator<AuditFinding> {
  const taken = new Set([...books.formerBest, ...books.best].map((page) => page.commit.parents[1]));
  const answered = new Set(
    books.verdicts.flatMap(({ page }) => (page.event === 'void' ? [] : (page.get('Cause') ?? []))),
  );
  for (const { verdicts, done, pages } of books.notebooks.values()) {
    const rejected = rejectedIn(pages);
    const last = verdicts.findLast(({ page }) => page.event === 'keep');
    for (const verdict of verdicts) {
      const id = verdict.tried?.id ?? '';
      if (verdict.page.event !== 'keep' || taken.has(id) || answered.has(id) || rejected.has(verdict.page.id)) continue;
      const open = books.snapshot.moving || (!done && verdict === last); // The next run brings it there.
      if (!open)
        yield about(
          verdict.page,
          'what was kept is neither on orgrepo/best nor answered by a merge',
          `a best with ${id}`,
          undefined,
        );
    }
  }
}
