import type { Brief } from '../domain/brief.ts';
import type { Experiment } from '../domain/experiment.ts';
import type { Finding } from '../domain/finding.ts';
import type { Numbers } from '../domain/guard.ts';
import { isProblem } from '../domain/problem.ts';
import { experimentFrom } from '../records/notebook.ts';
import { parseNumbers } from '../records/numbers.ts';
import { type Books, isBest, type JudgedPage, type NotebookPages } from './books.ts';
import { breachesOf } from './boundary.ts';
import { readBriefs } from './briefs.ts';
import { judgeAgain, scoreAgain } from './evidence.ts';
import { about } from './finding.ts';
import type { Page } from './library.ts';
import { attemptsAsked } from './spec-files.ts';

/** What a candidate was compared with, as the commits below it tell. */
interface Rival {
  readonly tree: string;
  readonly score: number | undefined;
  readonly numbers: Numbers;
}

/** Every verdict once more, from what its own commit and those below it record. */
export async function* checkVerdicts(books: Books): AsyncGenerator<Finding> {
  const baselines = [...books.formerBest, ...books.best].filter((page) => page.event === 'baseline');
  for (const notebook of books.notebooks) {
    let line = rivalAt(notebook.claim);
    for (const verdict of notebook.verdicts) {
      yield* checkVerdict(books, verdict, line, [baselineOf(books, notebook.claim?.commit.parents[0]), ...baselines]);
      if (verdict.page.event === 'keep' && verdict.tried !== undefined) line = rivalAt(verdict.page);
    }
    yield* checkAttempts(books, notebook);
  }
}

const rivalAt = (page: Page | undefined): Rival | undefined =>
  page && { tree: page.commit.tree, score: page.number('Score'), numbers: parseNumbers(page.get('Numbers')) };

/** What the guards compare with while this best stands. */
function baselineOf(books: Books, best: string | undefined): Page | undefined {
  const page = books.library.page(best);
  return books.library.page(page?.get('Baseline')) ?? page;
}

async function* checkVerdict(
  books: Books,
  { page, tried }: JudgedPage,
  line: Rival | undefined,
  baselines: readonly (Page | undefined)[],
): AsyncGenerator<Finding> {
  const brief = await readBriefs(books.library)(page);
  if (tried === undefined || line === undefined || isProblem(brief)) return; // Said already.
  const onto = books.library.page(tried.get('Onto'));
  if (tried.get('Onto') !== undefined && (onto === undefined || !isBest(onto)))
    return yield about(tried, 'the merge was not made with a best', 'a commit of orgrepo/best', tried.get('Onto'));
  const rival = rivalAt(onto) ?? line;
  const experiment = await experimentFrom(books.library.org, page);
  const all = onto === undefined ? baselines : [baselineOf(books, onto.id), ...baselines];
  yield* checkScore(page, experiment, brief, rival, all);
  yield* checkSeconds(page, experiment, brief);
  if (page.event === 'tampered' || tried.commit.tree === rival.tree) return;
  for (const words of await breachesOf(books.library, rival.tree, tried.commit.tree, brief))
    yield about(tried, 'the candidate oversteps its boundary', 'changes inside the sandbox only', words);
}

function* checkScore(
  page: Page,
  experiment: Experiment,
  brief: Brief,
  rival: Rival,
  baselines: readonly (Page | undefined)[],
): Generator<Finding> {
  const { event, score, samples, reason } = experiment;
  if (page.get('Metric') !== brief.metric)
    yield about(page, 'it was measured by another metric than its brief asks for', brief.metric, page.get('Metric'));
  if (score === undefined || samples.length === 0) {
    if (['keep', 'confounded', 'inconclusive'].includes(event) || score !== undefined || samples.length > 0)
      yield about(
        page,
        `a ${event} rests on samples`,
        'Org-Score and Org-Samples',
        page.get('Score') ?? page.get('Samples'),
      );
    return;
  }
  if (scoreAgain(experiment) !== score)
    yield about(page, 'its score is not that of its samples', scoreAgain(experiment), score);
  if (page.get('Against') === undefined && experiment.best !== rival.score)
    yield about(page, 'it was compared with something else than its line', rival.score, experiment.best);
  // Which baseline the guards saw is not written down: that of the claim, of the best it was merged with, or a later one.
  let expected = '';
  for (const one of baselines) {
    const numbers = parseNumbers(one?.get('Numbers'));
    const verdict = judgeAgain(experiment, brief, { numbers: rival.numbers, baseline: numbers });
    if (verdict?.event === event && verdict.reason === reason) return;
    expected ||= `${verdict?.event}: ${verdict?.reason}`;
  }
  yield about(page, 'its samples give another verdict', expected, `${event}: ${reason}`);
}

/** What a measurement may take beyond its deadline: laying out, starting, killing, on a machine that has other things to do. */
const graceSeconds = 60;

const mostDisturbed = 5;

function* checkSeconds(page: Page, experiment: Experiment, brief: Brief): Generator<Finding> {
  if (experiment.seconds === undefined) return;
  const alone = experiment.samples.length > 0 && page.get('Against') === undefined;
  // Champion and challenger may meet twice as often as the brief says, and some more to confirm it; a room that somebody
  // removes is laid out again.
  const measurements = (alone ? experiment.samples.length : 4 * brief.samples.max + 8) + mostDisturbed;
  const most = (brief.budget.experimentMs / 1000) * measurements + graceSeconds;
  if (experiment.seconds > most || experiment.seconds < 0)
    yield about(page, 'it took longer than the budget allows', `at most ${most} s`, `${experiment.seconds} s`);
}

/** An agent's own candidates, merges of ours apart, are no more than its spec or its brief allows. */
async function* checkAttempts(books: Books, notebook: NotebookPages): AsyncGenerator<Finding> {
  const own = notebook.verdicts.filter(({ page }) => page.get('Cause') === undefined);
  const asked = await attemptsAsked(books, notebook.spec);
  const pages = [notebook.claim, ...notebook.verdicts.map(({ tried }) => tried)].filter((page) => page !== undefined);
  const briefs = await Promise.all(pages.map((page) => readBriefs(books.library)(page)));
  const most =
    asked ?? Math.max(...briefs.map((brief) => (isProblem(brief) ? Number.POSITIVE_INFINITY : brief.budget.attempts)));
  const over = own[most];
  if (over !== undefined)
    yield about(over.page, `${notebook.spec} was given more attempts than it may have`, most, own.length);
}
