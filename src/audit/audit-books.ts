import { isTrace } from '../agents/trace/trace-book.ts';
import { isVerdictEvent } from '../domain/words/experiment.ts';
import {
  appliedRef,
  bestRef,
  checkpointsRef,
  decisionsRef,
  queueRef,
  reportsRef,
  spendRefs,
  tipsRefs,
  traceRefs,
  wipRefs,
  workRefs,
} from '../git/refs/ref-names.ts';
import { isApply } from '../org/force/in-force.ts';
import { isDecision } from '../policy/decision-book.ts';
import { isCheckpoint } from '../records/checkpoints.ts';
import { isTips } from '../records/notebook/run-end.ts';
import { isSpend } from '../spend/books/spend-ledger.ts';
import { type AuditPage, about, type Library, type Snapshot, unequal } from './audit-library.ts';

/** A verdict in a notebook, with the candidate it judges and the line it stands on. */
export interface JudgedPage {
  readonly page: AuditPage;
  readonly tried: AuditPage | undefined;
  readonly below: AuditPage | undefined;
  readonly notebook: NotebookPages;
}

export interface NotebookPages {
  readonly spec: string;
  readonly ref: string;
  /** From the claim on, oldest first. */
  readonly pages: readonly AuditPage[];
  /** Undefined when the branch does not lead down to a claim. */
  readonly claim: AuditPage | undefined;
  readonly verdicts: readonly JudgedPage[];
  readonly done: boolean;
}

export type Books = Readonly<ReturnType<typeof openBooks>>;

/** The org's branches, sorted into what they mean. Oldest first throughout. */
export function openBooks(library: Library, snapshot: Snapshot) {
  const { refs } = snapshot;
  const lines = new Map<string, readonly AuditPage[]>();
  const notebooks = new Map<string, NotebookPages>();
  for (const [ref, tip] of refs) {
    const kind = kindAt(ref);
    if (kind !== undefined) lines.set(ref, chain(library, tip, kind.holds));
    else if (ref.startsWith(workRefs)) notebooks.set(ref.slice(workRefs.length), readNotebook(library, ref, tip));
  }
  const best = lines.get(bestRef) ?? [];
  const onBest = new Set(best.map((page) => page.id));
  const former = new Map<string, AuditPage>();
  for (const { claim } of notebooks.values())
    for (const page of chain(library, claim?.parents[0], (one) => isBest(one) && !onBest.has(one.id)).reverse()) {
      if (former.has(page.id)) break;
      former.set(page.id, page);
    }
  const saved = [...refs].filter(([ref]) => ref.startsWith(wipRefs));
  return {
    library,
    snapshot,
    /** Every ref with one line of commits but the queue and the notebooks. */
    lines,
    best,
    /** Bests that are on orgrepo/best no more: it was made anew, and notebooks still stand on the old ones. */
    formerBest: [...former.values()].sort((a, b) => a.commit.committer.at - b.commit.committer.at),
    /** With what people committed there by hand. */
    queue: queueFrom(library, refs.get(queueRef)),
    /** By their specs. */
    notebooks,
    verdicts: [...notebooks.values()].flatMap((notebook) => notebook.verdicts),
    saved: new Map(saved.map(([ref, tip]) => [ref.slice(wipRefs.length), library.page(tip)])),
  };
}

/** The lines of all hosts or all specs, by their refs. */
export const linesBelow = ({ lines }: Books, prefix: string): ReadonlyMap<string, readonly AuditPage[]> =>
  new Map([...lines].filter(([ref]) => ref.startsWith(prefix)));

/** The keeps of a notebook that a review rejected: what came after them was compared with what came before. */
export const rejectedIn = (pages: readonly AuditPage[]): ReadonlySet<string> =>
  new Set(pages.flatMap((page) => (page.get('Decision') === 'reject' ? [page.get('Cause') ?? ''] : [])));

/** A commit of orgrepo/best: those of notebooks name a spec. */
export const isBest = (page: AuditPage): boolean =>
  (page.event === 'baseline' || page.event === 'keep') && page.get('Spec') === undefined;

/** The refs with one line of commits, by how they begin: what belongs there, in words and as a rule. */
const kinds: readonly {
  readonly begins: string;
  readonly what: string;
  readonly holds: (page: AuditPage) => boolean;
}[] = [
  { begins: bestRef, what: 'a baseline or a keep without a spec', holds: isBest },
  { begins: reportsRef, what: 'a report', holds: (page) => page.event === 'report' },
  { begins: decisionsRef, what: 'what policies decided', holds: isDecision },
  { begins: appliedRef, what: 'an organisation that was applied', holds: isApply },
  { begins: spendRefs, what: 'what a host has reserved, settled or released', holds: isSpend },
  { begins: traceRefs, what: 'the trace of an attempt', holds: isTrace },
  { begins: checkpointsRef, what: 'a checkpoint', holds: isCheckpoint },
  { begins: tipsRefs, what: 'where a run left the refs', holds: isTips },
];

const kindAt = (ref: string) =>
  kinds.find(({ begins }) => (begins.endsWith('/') ? ref.startsWith(begins) : ref === begins));

/** What belongs on a ref, in words. */
export function kindInWords(ref: string): string {
  if (ref === queueRef) return "a commit of the queue, or a person's above one";
  return (
    kindAt(ref)?.what ?? (ref.startsWith(workRefs) ? 'a notebook that leads down to its claim' : 'a saved candidate')
  );
}

/** The commits that are on a ref and belong there, oldest first. */
export function pagesAt(books: Books, ref: string): readonly AuditPage[] {
  if (ref === queueRef) return books.queue;
  if (kindAt(ref) !== undefined) return books.lines.get(ref) ?? [];
  if (ref.startsWith(workRefs)) {
    const notebook = books.notebooks.get(ref.slice(workRefs.length));
    return notebook?.claim === undefined ? [] : notebook.pages;
  }
  const page = books.saved.get(ref.slice(wipRefs.length));
  return page !== undefined && (page.event === 'try' || page.event === 'wip') ? [page] : [];
}

/** A line beside the branches begins on the trunk, whose last commit may be a land, and each of its commits follows one. */
export function* checkLineOf({ library }: Books, pages: readonly AuditPage[], name: string) {
  const [first] = pages;
  const below = library.below(first);
  if (first !== undefined && (below === undefined || (below.ours && below.event !== 'land')))
    yield about(first, `${name} not begin on the trunk`, 'a commit of the trunk', below?.title);
  for (const page of pages) yield* unequal(page, 'it follows one commit', 1, page.parents.length);
}

/** The first parents for as long as they are of a kind, oldest first. */
function chain(library: Library, tip: string | undefined, isOfIt: (page: AuditPage) => boolean): AuditPage[] {
  const pages: AuditPage[] = [];
  for (let at = library.page(tip); at !== undefined && isOfIt(at); at = library.below(at)) pages.push(at);
  return pages.reverse();
}

const mostByHand = 10_000;

/** People commit to the queue by hand, so it reaches down to the last commit of ours, whatever lies between. */
function queueFrom(library: Library, tip: string | undefined): AuditPage[] {
  const pages: AuditPage[] = [];
  let lowest = 0;
  for (let at = library.page(tip); at !== undefined; at = library.below(at)) {
    pages.push(at);
    if (library.hasLedger(at.id)) lowest = pages.length;
    else if (pages.length - lowest > mostByHand) break; // This must be the trunk.
  }
  return pages.slice(0, lowest).reverse();
}

function readNotebook(library: Library, ref: string, tip: string): NotebookPages {
  const spec = ref.slice(workRefs.length);
  const pages = chain(library, tip, (page) => page.ours && !isBest(page));
  // The claim is the first of them: below it lies the best that the work began from.
  const claim = pages[0]?.event === 'claim' ? pages[0] : undefined;
  const verdicts: JudgedPage[] = [];
  const notebook = { spec, ref, pages, claim, verdicts, done: pages.at(-1)?.event === 'done' };
  for (const page of pages) {
    if (!isVerdictEvent(page.event)) continue;
    const [below, tried] = page.parents;
    verdicts.push({ page, tried: library.page(tried), below: library.page(below), notebook });
  }
  return notebook;
}
