import { isTrace } from '../agents/trace/trace-book.ts';
import { isVerdictEvent } from '../domain/words/experiment.ts';
import {
  appliedRef,
  bestRef,
  decisionsRef,
  queueRef,
  reportsRef,
  spendRefs,
  tipsRefs,
  traceRefs,
  wipRefs,
  workRefs,
} from '../git/refs/ref-names.ts';
import { isApply } from '../org/force/applied.ts';
import { isDecision } from '../policy/decision-book.ts';
import { isTips } from '../records/notebook/tips.ts';
import { isSpend } from '../spend/books/spend-entry.ts';
import type { AuditPage, Library } from './audit-library.ts';
import type { Snapshot } from './snapshot.ts';

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

/** The org's branches, sorted into what they mean. Oldest first throughout. */
export interface Books {
  readonly library: Library;
  readonly snapshot: Snapshot;
  readonly best: readonly AuditPage[];
  /** Bests that are on orgrepo/best no more: it was made anew, and notebooks still stand on the old ones. */
  readonly formerBest: readonly AuditPage[];
  /** With what people committed there by hand. */
  readonly queue: readonly AuditPage[];
  readonly reports: readonly AuditPage[];
  readonly notebooks: readonly NotebookPages[];
  readonly verdicts: readonly JudgedPage[];
  readonly saved: ReadonlyMap<string, AuditPage | undefined>;
  /** What each host has spent, by its ref. */
  readonly spend: ReadonlyMap<string, readonly AuditPage[]>;
  /** What policies decided. */
  readonly decisions: readonly AuditPage[];
  /** Organisations that were put into force. */
  readonly applied: readonly AuditPage[];
  /** Where the runs of each host left the refs when they were over, by its ref. */
  readonly tips: ReadonlyMap<string, readonly AuditPage[]>;
  /** What was said and done, by the ref of its spec. */
  readonly traces: ReadonlyMap<string, readonly AuditPage[]>;
}

export function openBooks(library: Library, snapshot: Snapshot): Books {
  const { refs } = snapshot;
  const best = chain(library, refs.get(bestRef), isBest);
  const notebooks = [...refs]
    .filter(([ref]) => ref.startsWith(workRefs))
    .map(([ref, tip]) => readNotebook(library, ref, tip));
  const onBest = new Set(best.map((page) => page.id));
  const former = new Map<string, AuditPage>();
  for (const { claim } of notebooks)
    for (const page of chain(
      library,
      claim?.commit.parents[0],
      (one) => isBest(one) && !onBest.has(one.id),
    ).reverse()) {
      if (former.has(page.id)) break;
      former.set(page.id, page);
    }
  return {
    library,
    snapshot,
    best,
    formerBest: [...former.values()].sort((a, b) => a.commit.committer.at - b.commit.committer.at),
    queue: queueFrom(library, refs.get(queueRef)),
    reports: chain(library, refs.get(reportsRef), (page) => page.event === 'report'),
    notebooks,
    verdicts: notebooks.flatMap((notebook) => notebook.verdicts),
    saved: new Map(
      [...refs].flatMap(([ref, tip]) =>
        ref.startsWith(wipRefs) ? [[ref.slice(wipRefs.length), library.page(tip)] as const] : [],
      ),
    ),
    spend: chainsBelow(library, refs, spendRefs, isSpend),
    decisions: chain(library, refs.get(decisionsRef), isDecision),
    applied: chain(library, refs.get(appliedRef), isApply),
    tips: chainsBelow(library, refs, tipsRefs, isTips),
    traces: chainsBelow(library, refs, traceRefs, isTrace),
  };
}

/** The keeps of a notebook that a review rejected: what came after them was compared with what came before. */
export const rejectedIn = (pages: readonly AuditPage[]): ReadonlySet<string> =>
  new Set(pages.flatMap((page) => (page.get('Decision') === 'reject' ? [page.get('Cause') ?? ''] : [])));
const chainsBelow = (
  library: Library,
  refs: ReadonlyMap<string, string>,
  prefix: string,
  isOfIt: (page: AuditPage) => boolean,
): ReadonlyMap<string, readonly AuditPage[]> =>
  new Map(
    [...refs].flatMap(([ref, tip]) => (ref.startsWith(prefix) ? [[ref, chain(library, tip, isOfIt)] as const] : [])),
  );

/** A commit of orgrepo/best: those of notebooks name a spec. */
export const isBest = (page: AuditPage): boolean =>
  (page.event === 'baseline' || page.event === 'keep') && page.get('Spec') === undefined;

/** The first parents for as long as they are of a kind, oldest first. */
function chain(library: Library, tip: string | undefined, isOfIt: (page: AuditPage) => boolean): AuditPage[] {
  const pages: AuditPage[] = [];
  for (let at = library.page(tip); at !== undefined && isOfIt(at); at = library.page(at.commit.parents[0]))
    pages.push(at);
  return pages.reverse();
}

const mostByHand = 10_000;

/** People commit to the queue by hand, so it reaches down to the last commit of ours, whatever lies between. */
function queueFrom(library: Library, tip: string | undefined): AuditPage[] {
  const pages: AuditPage[] = [];
  let lowest = 0;
  for (let at = library.page(tip); at !== undefined; at = library.page(at.commit.parents[0])) {
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
    const [below, tried] = page.commit.parents;
    verdicts.push({ page, tried: library.page(tried), below: library.page(below), notebook });
  }
  return notebook;
}
