import { parseBrief } from '../brief/read/brief-text.ts';
import { entryAt } from '../git/objects/tree.ts';
import { uncommitted } from '../git/persons-git.ts';
import type { PinnedBrief } from '../org/force/pin-brief.ts';
import type { Ran } from '../process/run-process.ts';
import type { Org } from '../records/org.ts';
import { hintFrom } from '../score/measure/check-harness.ts';
import { type MeasureContext, runFirstStage } from '../score/measure/trial.ts';
import { Problem } from '../text/problem.ts';
import { describeDuration } from '../text/quantity.ts';
import { type ChosenZones, chooseZones } from './choose-zones.ts';
import { type BriefDraft, draftBrief } from './draft-brief.ts';
import type { Runs } from './night-estimate.ts';
import { mentionedIn, type OpenedProject } from './open-project.ts';

/** A command that printed something, and where: as a night would run it. */
export interface TriedScore {
  readonly zones: ChosenZones;
  readonly ran: Ran;
}

/** What a person wants to be run, and on what. */
export interface WantedScore {
  readonly score: string;
  readonly sandbox: readonly string[];
  readonly harness: string | undefined;
}

/** What a first run is taken for, so that it has 20 minutes. */
const longestSeconds = 300;

/**
 * Runs a command as a night would: in the jail, on the files of the last commit that a brief would name. Where it does not get far with
 * those that it seems to need, it gets all of them.
 */
export async function tryScore(org: Org, project: OpenedProject, wanted: WantedScore): Promise<TriedScore> {
  const mentioned = mentionedIn(wanted.score, project);
  const divide = (all: boolean) =>
    chooseZones(project.paths, wanted.sandbox, mentioned, { harness: wanted.harness, all });
  const [few, whole] = [divide(false), divide(true)];
  if (few === undefined || whole === undefined)
    throw new Problem(
      'usage/option',
      `--edit ${wanted.sandbox.join(',')} leaves no file that agents may not change, and what scores must be one`,
      'Name fewer files, or put what scores into a file of its own and commit it.',
    );
  let tried: TriedScore | undefined;
  for (const zones of whole.include.length === few.include.length ? [few] : [few, whole]) {
    const pinned = await pinDraft(org, project, wanted, zones);
    const ran = await runFirstStage({ org, pinned, signal: never }, project.tree, 1);
    if (ran.code === 0) return { zones, ran };
    tried ??= { zones, ran };
    if (ran.timedOut) break;
  }
  throw await whyNone(org, wanted, (tried as TriedScore).ran);
}

const never = new AbortController().signal;

/** A brief that nobody has written yet. */
export async function pinDraft(
  org: Org,
  { tree }: OpenedProject,
  wanted: WantedScore,
  zones: ChosenZones,
  more: Partial<BriefDraft> = {},
): Promise<PinnedBrief> {
  const draft = {
    metric: 'score',
    pattern: undefined,
    direction: 'minimize',
    tests: undefined,
    forPeople: false,
  } as const;
  const text = draftBrief({ ...draft, ...wanted, seconds: longestSeconds, ...more, ...zones });
  const brief = parseBrief(text, 'program.md');
  return { brief, blob: '', harness: (await entryAt(org.repo, tree, zones.harness))?.oid ?? '' };
}

async function whyNone(org: Org, { score }: WantedScore, ran: Ran): Promise<Problem> {
  const said = `${ran.stderr.text}\n${ran.stdout.text}`.trim();
  const last = said.split('\n').at(-1)?.trim() ?? '';
  const how = ran.timedOut
    ? `not done after ${describeDuration(ran.ms)}, and killed`
    : (ran.notStarted ?? `it ended with ${ran.code ?? ran.signal}`);
  const missing = await uncommitted(org.repo.root, ['.']);
  const named = missing.slice(0, 3).join(', ');
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  const absent = missing.length === 0 ? '' : ` Not committed, so not there: ${named}${rest}.`;
  const [program = ''] = score.split(/\s+/);
  const hint =
    (ran.code === 127 ? `See whether ${program} is installed and on the PATH.` : hintFrom(said)) ??
    'It ran as a night would run it: on the files of the last commit, without those that git ignores and without network.';
  const what = `${score} gives no score: ${how}${last === '' ? '' : `: ${last.slice(0, 300)}`}`;
  return new Problem('harness/baseline', what, `${hint}${absent}`);
}

/** How long init goes on measuring how noisy a metric is, and how often at the most. */
const [patienceMs, mostRuns, fewestRuns] = [20_000, 6, 3];

/** Runs the command some more: three times where all scores are equal, up to six where they are not. */
export async function repeat(
  context: MeasureContext,
  tree: string,
  first: Ran,
  read: (stdout: string) => number,
): Promise<Runs> {
  const scores = [read(first.stdout.text)];
  const times = [first.ms];
  const begun = performance.now();
  for (;;) {
    const enough = new Set(scores).size === 1 ? fewestRuns : mostRuns;
    const left = patienceMs - (performance.now() - begun);
    if (scores.length >= enough || Math.min(...times) > left) break;
    // As a night does: the first seed twice, then others.
    const ran = await runFirstStage(context, tree, scores.length < 2 ? 1 : scores.length);
    scores.push(read(ran.stdout.text));
    times.push(ran.ms);
  }
  return { scores, seconds: Math.min(...times) / 1000 };
}
