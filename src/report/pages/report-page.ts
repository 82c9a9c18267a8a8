import type { NeedsYou } from '../../domain/rules/request.ts';
import { type Experiment, isKept, isWin, tallyOf } from '../../domain/words/experiment.ts';
import { reaches } from '../../domain/words/score.ts';
import { isOnBest, placesOfWins, rowsOf, type TakenWin, type WhyLeft } from '../../domain/words/taken.ts';
import { isoTime, visible } from '../../terminal/visible.ts';
import { healthJson } from '../advice/health-score.ts';
import { type Recommendation, recommendedStep } from '../advice/recommend.ts';
import type { NightStory } from '../facts/overview.ts';
import { countOf, spentJson } from '../words/numbers.ts';
import { whyWords } from '../words/verdict-words.ts';
import { learnedIn, lessonWords } from './learned.ts';
import { byName } from './lesson-groups.ts';

export type Report = Readonly<ReturnType<typeof buildReport>>;

/** A morning report as a value: the terminal, Markdown and JSON say the same. */
export function buildReport(night: NightStory) {
  const { experiments } = night;
  const rows = rowsOf(night.taken);
  return {
    night,
    needsYou: [
      ...stepIf(night.crashed, `it crashed: ${night.stopped}`, 'orgrepo run'),
      ...night.needsYou,
      ...doubtsIn(night),
      ...tamperingIn(experiments),
    ],
    tally: tallyOf(experiments.filter(({ waits }) => !waits).map(({ event }) => event)),
    tried: experiments.length,
    /** How many wins wait for a person; neither in the tally nor taken. */
    waiting: experiments.filter(({ waits }) => waits).length,
    /** How many tries won, and how many of the tally's keeps won once more, merged with best or in its place. */
    won: experiments.filter(isWin).length,
    again: experiments.filter((one) => isKept(one) && one.merged).length,
    /** Each win that best moved to, once: what is on best now, and what was replaced. */
    taken: rows.filter(isOnBest),
    replaced: rows.filter((row) => !isOnBest(row)),
    left: leftIn(night),
    /** The best when this night began: the baseline in the first night. */
    start: experiments.find(({ best }) => best !== undefined)?.best ?? night.baseline,
    learned: learnedIn(night),
    spend: spendOf(night),
    /** What there is to do, besides what is recommended. */
    next: nextSteps(night),
  };
}

/** `orgrepo/report@1`: what is not known is left out. */
export function reportJson(report: Report): Record<string, unknown> {
  const { night, waiting, taken, spend } = report;
  const { holdout, gain, health } = night;
  return {
    schema: 'orgrepo/report@1',
    name: night.name,
    run: night.run,
    started_at: isoTime(night.startedAt),
    ended_at: night.endedAt === undefined ? undefined : isoTime(night.endedAt),
    crashed: night.crashed ? true : undefined,
    stopped: night.stopped,
    metric: night.metric,
    direction: night.direction,
    target: night.target,
    stages: night.stages,
    baseline: night.baseline,
    best: night.best,
    holdout,
    interval: gain && { gain: gain.mean, low: gain.low, high: gain.high, level: 0.95, pairs: gain.pairs.length },
    tried: report.tried,
    kept: report.won,
    taken: taken.length,
    waiting: waiting === 0 ? undefined : waiting,
    tally: report.tally,
    wins: [
      ...[...taken, ...report.replaced].map(winJson),
      ...report.left.map(({ n, why }) => ({ n, taken: false, why: whyWords[why] })),
    ],
    needs_you: report.needsYou,
    learned: report.learned.map((lesson) => ({ ...lesson, text: lessonWords(lesson) })),
    spend: {
      seconds: spend.seconds,
      measured_seconds: Number(spend.measuredSeconds.toFixed(3)),
      ...(spend.free ? { usd: 0, tokens_in: 0, tokens_out: 0 } : {}),
      ...modelsJson(report),
    },
    health: health && healthJson(health),
    checkpoint: night.checkpoint,
    next: [...(night.recommendations ?? []).map(recommendationJson), ...report.next],
  };
}

const recommendationJson = (one: Recommendation): Record<string, unknown> => {
  const { id, key, severity, evidence, specs, advice, edit } = one;
  return { id, key, severity, ...recommendedStep(one), evidence, specs, advice, edit };
};

/** A win that best moved to, for a program. */
const winJson = ({ n, won, agent, commit, before, score, replacedBy }: TakenWin): Record<string, unknown> => ({
  n,
  won: won.n,
  title: won.title,
  agent,
  commit,
  taken: replacedBy === undefined,
  before,
  score,
  replaced_by: replacedBy,
});

/** The wins that best never moved to, and why. */
function leftIn({ experiments, taken }: NightStory): readonly { readonly n: number; readonly why: WhyLeft }[] {
  const places = placesOfWins(experiments, taken);
  return experiments.filter(isWin).flatMap(({ n }) => {
    const place = places.get(n);
    return place?.kind === 'left' ? [{ n, why: place.why }] : [];
  });
}

const stepIf = (needed: boolean | undefined, what: string, command: string): readonly NeedsYou[] =>
  needed ? [{ what, command }] : [];

/** What the measurement at the night's end says against its own result. */
function doubtsIn({ gain, best, metric }: NightStory): readonly NeedsYou[] {
  const [first] = gain?.pairs ?? [];
  if (gain === undefined || first === undefined || best === undefined) return [];
  const { length } = gain.pairs;
  const changed = `best does not repeat itself: #${best.n} was taken with ${metric} ${best.score} and has ${first[0]} now. Its scores are chance`;
  const none = `best is not better than what the night began with, on ${length} fresh pairs. Start over from your branch`;
  return [
    ...stepIf(length === 1 && first[0] !== best.score, changed, `orgrepo show ${best.n}`),
    ...stepIf(length > 1 && !(gain.mean > 0), none, 'orgrepo run --from-trunk'),
  ];
}

/** Refused already, but a person should know who tried. */
function tamperingIn(experiments: readonly Experiment[]): readonly NeedsYou[] {
  const tampered = experiments.filter(({ event }) => event === 'tampered');
  return [...byName(tampered, ({ agent }) => [agent])].map(([agent, tries]) => ({
    what: `${agent} changed what it may not, ${tries.length === 1 ? 'once' : `${tries.length} times`}. Refused, not measured: ${tries[0]?.reason}`,
    command: `orgrepo show ${tries[0]?.n}`,
  }));
}

function modelsJson({ night: { spent, usdCap }, spend }: Report): Record<string, unknown> {
  if (spent === undefined) return {};
  return {
    ...spentJson(spent.total),
    usd_cap: usdCap,
    usd_per_kept: spend.perKept,
    cached_share: spend.cachedShare,
    set_aside: spent.held && spentJson(spent.held),
    agents: spent.agents.map((agent) => ({ id: agent.id, ...spentJson(agent.spent) })),
  };
}

function spendOf(night: NightStory) {
  const { startedAt, endedAt, experiments, agent, spent } = night;
  const kept = experiments.filter(isWin).length;
  const seconds = endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
  const [read, cached] = (['tokensIn', 'cached'] as const).map((part) =>
    experiments.reduce((sum, one) => sum + (one.spent?.[part] ?? 0), 0),
  ) as [number, number];
  return {
    seconds,
    /** Of the tokens that models read for tries: the part that came from their providers' caches; undefined for none. */
    cachedShare: cached === 0 ? undefined : Number((cached / read).toFixed(4)),
    /** How long the harness ran in all. */
    measuredSeconds: experiments.reduce((sum, experiment) => sum + (experiment.seconds ?? 0), 0),
    perMinute: seconds === undefined || seconds === 0 ? undefined : (experiments.length / seconds) * 60,
    /** True when no agent could spend anything; false when an agent of the person's own could, and reported nothing. */
    free: agent === 'search' && night.models !== true && spent === undefined,
    /** Dollars for each win; undefined where either is unknown. */
    perKept: spent?.total.usd === undefined || kept === 0 ? undefined : spent.total.usd / kept,
  };
}

/** What a person might do after a night, and what to type. */
function nextSteps(night: NightStory): readonly NeedsYou[] {
  const { best, baseline, experiments, target, direction, ready = 0 } = night;
  const running = night.endedAt === undefined && !night.crashed;
  const last = night.taken.findLast(isOnBest);
  const won = experiments.findLast(isWin);
  const unscored = experiments.length > 0 && experiments.every(({ score }) => score === undefined);
  const reached = target !== undefined && best !== undefined && reaches(best.score, target, direction);
  const waiting = experiments.some(({ waits }) => waits);
  const inVain = last === undefined && baseline !== undefined && experiments.length > 0 && !waiting;
  const land = `land  ${countOf(ready, 'win on best is', 'wins on best are')} ready`;
  return [
    ...stepIf((baseline === undefined && !running) || unscored, 'find out why nothing gets a score', 'orgrepo doctor'),
    ...stepIf(last !== undefined, `look at the last change on best, #${last?.n}`, `orgrepo show ${last?.n}`),
    ...stepIf(last !== undefined, 'read all that is better now', 'git diff HEAD...orgrepo/best'),
    ...stepIf(ready > 0, land, 'orgrepo land --dry-run'),
    ...stepIf(reached, 'the target is reached: set a new one', '$EDITOR program.md'),
    ...stepIf(inVain && !won, 'nothing won: say in the brief what else to try', '$EDITOR program.md'),
    ...stepIf(inVain && !!won, `nothing was taken: look at the last win, #${won?.n}`, `orgrepo show ${won?.n}`),
    { what: 'add an idea of your own', command: 'orgrepo submit "what to try"' },
    running
      ? { what: 'see how it stands', command: 'orgrepo status' }
      : { what: 'go on from here', command: 'orgrepo run' },
  ];
}

/** The same and what is recommended, which comes first. */
export const stepsAfter = ({ night: { recommendations = [] }, next }: Report): readonly NeedsYou[] => [
  ...recommendations.map(recommendedStep),
  ...next,
];

/** How the night ended, for its heading. */
export function stoppedWords({ endedAt, crashed, stopped }: NightStory): string {
  if (crashed) return `crashed: ${visible(stopped)}`;
  return endedAt === undefined ? 'still running' : stopped === '' ? 'stopped' : `stopped: ${visible(stopped)}`;
}
