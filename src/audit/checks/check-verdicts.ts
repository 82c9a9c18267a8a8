import type { Brief } from '../../domain/words/brief.ts';
import { type Experiment, testsPassed, type Verdict } from '../../domain/words/experiment.ts';
import { gainOver, type Numbers, parseNumbers } from '../../domain/words/score.ts';
import { entryAt, readTree } from '../../git/objects/tree.ts';
import { experimentFrom } from '../../records/notebook/experiment-entry.ts';
import { parseSpec } from '../../records/queue/spec-text.ts';
import { boundaryBreaches } from '../../score/arena/boundary-check.ts';
import { judgeRecorded, scoresOf } from '../../score/judge/verdict.ts';
import { decodeText } from '../../text/decode.ts';
import { isProblem } from '../../text/problem.ts';
import { type Books, isBest, type JudgedPage, type NotebookPages, rejectedIn } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, type Library, remembered, unequal } from '../audit-library.ts';

/** Every verdict once more, from what its own commit and those below it record. */
export async function* checkVerdicts(books: Books) {
  for (const notebook of books.notebooks.values()) {
    let line = rivalAt(notebook.claim, baselineOf(books, notebook.claim?.parents[0]));
    const rejected = rejectedIn(notebook.pages);
    for (const verdict of notebook.verdicts) {
      const onto = books.library.page(verdict.tried?.get('Onto'));
      const merged = onto && rivalAt(onto, baselineOf(books, onto.id));
      if (line !== undefined) yield* checkVerdict(books, verdict, merged ?? line);
      if (verdict.page.event === 'keep' && !rejected.has(verdict.page.id))
        line = rivalAt(verdict.page, merged?.baseline ?? line?.baseline ?? {});
    }
    yield* checkAttempts(books, notebook);
  }
}

type Rival = NonNullable<ReturnType<typeof rivalAt>>;

/** What a candidate was compared with, as the commits below it tell; the guards compare with the baseline's numbers. */
const rivalAt = (page: AuditPage | undefined, baseline: Numbers) =>
  page && {
    ...{ tree: page.tree, score: page.number('Score'), baseline },
    numbers: parseNumbers(page.get('Numbers')),
  };

/** What the guards compare with while this best stands. */
function baselineOf(books: Books, best: string | undefined): Numbers {
  const page = books.library.page(best);
  return parseNumbers((books.library.page(page?.get('Baseline')) ?? page)?.get('Numbers'));
}

async function* checkVerdict(books: Books, { page, tried }: JudgedPage, rival: Rival): AsyncGenerator<AuditFinding> {
  const brief = await books.library.brief(page);
  if (tried === undefined || isProblem(brief)) return; // Said already.
  const onto = books.library.page(tried.get('Onto'));
  if (tried.get('Onto') !== undefined && (onto === undefined || !isBest(onto)))
    return yield about(tried, 'the merge was not made with a best', 'a commit of orgrepo/best', tried.get('Onto'));
  const experiment = await experimentFrom(books.library.org, page);
  yield* checkScore(page, experiment, brief, rival);
  yield* checkSeconds(page, experiment, brief);
  if (page.event === 'tampered' || tried.tree === rival.tree) return;
  for (const words of await boundaryBreaches(books.library.org.repo, rival.tree, tried.tree, brief))
    yield about(tried, 'the candidate oversteps its boundary', 'changes that the brief allows', words);
}

function* checkScore(page: AuditPage, experiment: Experiment, brief: Brief, rival: Rival): Generator<AuditFinding> {
  const { event, score, samples, against, noise, reason } = experiment;
  yield* unequal(page, 'it was measured by another metric than its brief asks for', brief.metric, page.get('Metric'));
  if (score === undefined || samples.length === 0) {
    if (['keep', 'confounded', 'inconclusive'].includes(event) || score !== undefined || samples.length > 0)
      yield about(page, `a ${event} rests on samples`, 'score and samples', page.get('Score') ?? page.get('Samples'));
    return;
  }
  if (page.seal === 'none') return yield* checkOldScore(page, experiment, brief, rival);
  const right = scoresOf(experiment, { score: rival.score ?? Number.NaN });
  yield* unequal(page, 'its score is not that of its samples', right.score, score);
  yield* unequal(page, 'it was compared with something else than its line', right.best, experiment.best);
  const isPaired = noise === undefined ? against.length === 0 : against.length === samples.length;
  if (!isPaired) yield about(page, 'its samples are not paired as its noise asks for', samples.length, against.length);
  const verdict = judgeRecorded(experiment, brief, rival);
  if (brief.tests !== undefined && event === 'keep' && experiment.tests !== testsPassed)
    yield about(page, 'it won without its tests', testsPassed, experiment.tests);
  if (verdict?.event !== event || verdict.reason !== reason)
    yield about(page, 'its samples give another verdict', words(verdict), words({ event, reason }));
}

/** Before there were seals there was one rule: better than the line by more than the brief asks for. */
function* checkOldScore(page: AuditPage, { event, score, best }: Experiment, brief: Brief, rival: Rival) {
  yield* unequal(page, 'it was compared with something else than its line', rival.score, best);
  const gain = gainOver(score ?? Number.NaN, best ?? Number.NaN, brief.direction);
  if (gain > brief.minEffect !== (event === 'keep' || event === 'confounded'))
    yield about(
      page,
      'its score gives another verdict',
      `a gain above ${brief.minEffect} for a keep`,
      `${event} with ${gain}`,
    );
}

const words = (verdict: Verdict | undefined): string =>
  verdict === undefined ? 'none yet' : `${verdict.event}: ${verdict.reason}`;

/** What a measurement may take beyond its deadline: laying out, starting, killing, on a machine that has other things to do. */
const graceSeconds = 60;

const mostDisturbed = 100;

function* checkSeconds(page: AuditPage, experiment: Experiment, brief: Brief) {
  if (experiment.seconds === undefined) return;
  const alone = experiment.samples.length > 0 && page.get('Against') === undefined;
  // Champion and challenger may meet twice as often as the brief says, and some more to confirm it; a room that somebody
  // removes is laid out again.
  const counted = alone ? experiment.samples.length : 4 * brief.samples.max + 8;
  const repeated = page.get('Disturbed')?.split(',').length ?? 0; // Somebody used the CPU meanwhile.
  const measurements = counted + repeated + mostDisturbed;
  const most = (brief.budget.experimentMs / 1000) * measurements + graceSeconds;
  if (experiment.seconds > most || experiment.seconds < 0)
    yield about(page, 'it took longer than the budget allows', `at most ${most} s`, `${experiment.seconds} s`);
}

/** An agent's own candidates, apart from our merges and from changes that we take apart, are no more than its spec or its brief allows. */
async function* checkAttempts(books: Books, notebook: NotebookPages) {
  const own = notebook.verdicts.filter(({ page }) => (page.get('Cause') ?? page.get('Part')) === undefined);
  const asked = await attemptsAsked(books, notebook.spec);
  const pages = [notebook.claim, ...notebook.verdicts.map(({ tried }) => tried)].filter((page) => page !== undefined);
  const briefs = await Promise.all(pages.map((page) => books.library.brief(page)));
  const most =
    asked ?? Math.max(...briefs.map((brief) => (isProblem(brief) ? Number.POSITIVE_INFINITY : brief.budget.attempts)));
  const over = own[most];
  if (over !== undefined)
    yield about(over.page, `${notebook.spec} was given more attempts than it may have`, most, own.length);
}

/** How many attempts a spec asked for; undefined when it left that to the brief. A finished spec's file is in the queue's past. */
async function attemptsAsked(books: Books, spec: string): Promise<number | undefined> {
  const { library } = books;
  const { done, tip } = eventsOf(books);
  const last = done.get(spec);
  const at = last === undefined ? tip : library.below(last);
  return at === undefined ? undefined : attemptsIn(library, at.tree, spec);
}

const eventsOf = remembered(({ queue }: Books) => ({
  done: new Map(queue.flatMap((page) => (page.event === 'done' ? [[page.get('Spec') ?? '', page] as const] : []))),
  tip: queue.at(-1),
}));

async function attemptsIn(library: Library, tree: string, spec: string): Promise<number | undefined> {
  const { repo } = library.org;
  const dir = await entryAt(repo, tree, 'specs');
  for (const [name, entry] of dir === undefined ? [] : await readTree(repo, dir.oid)) {
    if (!name.startsWith(spec) || !name.endsWith('.md')) continue;
    const blob = await repo.reader.read(entry.oid);
    try {
      const file = `specs/${name}`;
      const read = parseSpec(blob === undefined ? '' : decodeText(blob.content, file, 'spec/syntax'), file);
      if (read.id === spec) return read.attempts;
    } catch (error) {
      if (!isProblem(error)) throw error; // A file of a person's that is not a spec: nobody could claim it.
    }
  }
  return undefined;
}
