import { reachOf, type SearchReach } from '../agents/search/search-reach.ts';
import { parseBrief } from '../brief/read/brief-text.ts';
import type { Brief, Direction } from '../domain/words/brief.ts';
import { readNumbers } from '../domain/words/printed-numbers.ts';
import { findReach } from '../preflight/checks/check-search.ts';
import { quote } from '../process/run-process.ts';
import type { Org } from '../records/org.ts';
import { runTests } from '../score/measure/run-tests.ts';
import { readGlobs, tidyPath } from '../text/paths.ts';
import { Problem } from '../text/problem.ts';
import { harnessFrom, refuseMissingScript, refuseWrongWishes, sandboxFrom, type Wishes } from './check-wishes.ts';
import { type BriefDraft, draftBrief } from './draft-brief.ts';
import { likelyDirection, meantBy, metricsIn, type PrintedMetric } from './metric-in-output.ts';
import type { Runs } from './night-estimate.ts';
import { type OpenedProject, openProject } from './open-project.ts';
import { offersOf, type ProjectOffers } from './project-offers.ts';
import { pinDraft, repeat, type TriedScore, tryScore, type WantedScore } from './try-score.ts';

/** Chooses what was not said: asks a person, or refuses. Tests may be left out. */
export interface Chooser {
  /** Whether it asks a person, who wants to see a number before they say which way it is better. */
  readonly asks: boolean;
  score(offered: ProjectOffers): Promise<string>;
  edit(offered: ProjectOffers): Promise<readonly string[]>;
  metric(printed: readonly PrintedMetric[]): Promise<PrintedMetric>;
  direction(metric: string, likely: Direction | undefined): Promise<Direction>;
  tests(offered: ProjectOffers): Promise<string | undefined>;
}

/** A brief that can be written, and what was found out for it. */
export interface SetUp {
  readonly text: string;
  readonly brief: Brief;
  readonly runs: Runs;
  readonly testsSeconds: number | undefined;
  /** What the search agent can change, and whether that is too little, so that people or a model must work. */
  readonly reach: SearchReach;
  readonly forPeople: boolean;
  readonly warnings: readonly string[];
}

/** Finds out all that a brief for this project needs. Nothing is written. */
export async function setUp(org: Org, wishes: Wishes, choose: Chooser, say: (text: string) => void): Promise<SetUp> {
  refuseWrongWishes(wishes);
  const project = await openProject(org);
  const offered = offersOf(project);
  const score = wishes.score ?? (await choose.score(offered));
  const sandbox = sandboxFrom(project, wishes.edit ?? (await choose.edit(offered)));
  const wanted = { score, sandbox, harness: harnessFrom(project, sandbox, wishes.harness) };
  for (const command of [score, wishes.tests]) refuseMissingScript(project, command);
  const said = wishes.direction ?? (choose.asks ? undefined : await chooseDirection(choose, wishes.metric));
  say(`running ${score} …\n`);
  const tried = await tryScore(org, project, wanted);
  const metric = await chooseMetric(score, tried, wishes, choose);
  const direction = said ?? (await chooseDirection(choose, metric.name));
  const mayTest = wishes.score === undefined; // A person who types the command leaves tests out on purpose.
  const tests = wishes.tests ?? (mayTest ? await choose.tests(offered) : undefined);
  const runs = await measureNoise(org, project, wanted, tried, metric);
  const testsSeconds =
    tests === undefined ? undefined : await passTests(org, project, { ...wanted, tests }, tried, say);
  const reach = await reachOfSearch(org, project, wanted, tried);
  const forPeople = reach.isProse || reach.files.length === 0;
  const draft: BriefDraft = {
    ...{ metric: metric.name, pattern: metric.pattern, direction, sandbox, score, tests, forPeople },
    ...{ ...tried.zones, seconds: runs.seconds },
  };
  const text = draftBrief(draft);
  const brief = parseBrief(text, 'program.md');
  return { text, brief, runs, testsSeconds, reach, forPeople, warnings: doubtsAbout(draft) };
}

const chooseDirection = (choose: Chooser, metric = 'the metric'): Promise<Direction> =>
  choose.direction(metric, likelyDirection(metric));

/** The number that counts: as it was named, by its pattern, or one of those that are printed. */
async function chooseMetric(
  score: string,
  { ran }: TriedScore,
  { metric, pattern }: Wishes,
  choose: Chooser,
): Promise<PrintedMetric> {
  const { text } = ran.stdout;
  if (metric !== undefined && pattern !== undefined) {
    const read = readNumbers(text, metric, pattern);
    if (read.kind === 'numbers') return { name: metric, pattern, value: read.score, line: '' };
    throw new Problem('harness/baseline', `${score}: ${read.reason}`, numbersInWords(metricsIn(text)));
  }
  const printed = metricsIn(text);
  const meant = metric === undefined ? printed : meantBy(metric, printed);
  if (meant.length > 0)
    return meant.length === 1 && metric !== undefined ? (meant[0] as PrintedMetric) : choose.metric(meant);
  const onStderr = metricsIn(ran.stderr.text).length > 0;
  const read = readNumbers(text, metric ?? '');
  const what = metric !== undefined && read.kind === 'crash' ? `: ${read.reason}` : ' prints no number on stdout';
  const hint =
    onStderr && printed.length === 0
      ? `It prints numbers on stderr: --score ${quote(`${score} 2>&1`)}`
      : numbersInWords(printed);
  throw new Problem('harness/baseline', `${score}${what}`, hint);
}

/** What to type for each number that a command prints. */
export function numbersInWords(printed: readonly PrintedMetric[]): string {
  if (printed.length === 0) return 'It has to print the number to improve, best on a line of its own: error_rate: 0.29';
  const shown = printed.slice(0, 5).map((one) => `  ${metricOptions(one)}   now ${one.value}`);
  return `It prints these numbers:\n${shown.join('\n')}`;
}

const metricOptions = ({ name, pattern }: PrintedMetric): string =>
  `--metric ${name}${pattern === undefined ? '' : ` --pattern ${quote(pattern)}`}`;

async function measureNoise(
  org: Org,
  project: OpenedProject,
  wanted: WantedScore,
  { zones, ran }: TriedScore,
  { name, pattern }: PrintedMetric,
): Promise<Runs> {
  const pinned = await pinDraft(org, project, wanted, zones);
  const signal = new AbortController().signal;
  return repeat({ org, pinned, signal }, project.tree, ran, (stdout) => {
    const read = readNumbers(stdout, name, pattern);
    if (read.kind === 'numbers') return read.score;
    throw new Problem(
      'harness/baseline',
      `${wanted.score} cannot be read each time: ${read.reason}`,
      'Make it print the same lines each time.',
    );
  });
}

async function passTests(
  org: Org,
  project: OpenedProject,
  wanted: WantedScore & { readonly tests: string },
  { zones }: TriedScore,
  say: (text: string) => void,
): Promise<number> {
  const { tests } = wanted;
  say(`running ${tests} …\n`);
  const pinned = await pinDraft(org, project, wanted, zones, { tests });
  const outcome = await runTests({ org, pinned, signal: new AbortController().signal }, project.tree);
  if (outcome.kind === 'passed') return outcome.seconds;
  throw new Problem(
    'harness/tests',
    `the tests fail already: ${tests}, ${outcome.kind === 'failed' ? outcome.why : outcome.reason}`,
    'They run on a copy of the last commit, without network and without .git. Make them pass there and commit it, or name others: --tests',
  );
}

/** A brief that says nothing of agents is for the search agent. */
async function reachOfSearch(org: Org, project: OpenedProject, wanted: WantedScore, { zones }: TriedScore) {
  const { brief } = await pinDraft(org, project, wanted, zones);
  return (await findReach(org, project.tree, brief)) ?? reachOf([]);
}

/** What to know before committing it. */
function doubtsAbout({ sandbox, harness, score }: BriefDraft): readonly string[] {
  const own = score.split(/\s+/).find((word) => readGlobs(sandbox).names(tidyPath(word)));
  if (own === undefined) return [];
  return [
    `agents may change ${own}, which prints the score itself: they could print a better one. ${harness} is only pinned beside it`,
  ];
}
