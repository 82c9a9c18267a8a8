import { type Experiment, isKept, type Tally, tallyOf } from '../domain/experiment.ts';
import type { NeedsYou, NightStory } from '../domain/overview.ts';
import type { Recommendation } from '../domain/recommend.ts';
import { reaches } from '../domain/score.ts';
import type { NightSpent } from '../domain/spent.ts';
import { healthJson, recommendedStep } from './health.ts';
import { type Lesson, learnedIn, lessonWords } from './learned.ts';
import { spentJson } from './money.ts';
import { countOf } from './numbers.ts';
import { isoTime } from './times.ts';
import { visible } from './visible.ts';

/** A morning report as a value: the terminal, Markdown and JSON say the same. */
export interface Report {
  readonly night: NightStory;
  readonly needsYou: readonly NeedsYou[];
  readonly tally: Tally;
  readonly tried: number;
  /** How many keeps wait for a person; neither in the tally nor kept. */
  readonly waiting: number;
  readonly kept: readonly Experiment[];
  /** The best when this night began: the baseline in the first night. */
  readonly start: number | undefined;
  readonly learned: readonly Lesson[];
  readonly spend: Spend;
  /** What people might change in their files, and what else there is to do. */
  readonly recommended: readonly Recommendation[];
  readonly next: readonly NeedsYou[];
}

export interface Spend {
  /** How long the night was; undefined while it goes on. */
  readonly seconds: number | undefined;
  /** How long the harness ran in all. */
  readonly measuredSeconds: number;
  readonly perMinute: number | undefined;
  /** True when no agent could spend anything; false when an agent of the person's own could, and nobody told. */
  readonly free: boolean;
  /** What models took; undefined when none was asked. */
  readonly models: NightSpent | undefined;
  readonly usdCap: number | undefined;
  /** Dollars for each change that was kept; undefined where either is unknown. */
  readonly perKept: number | undefined;
}

export function buildReport(night: NightStory): Report {
  const { experiments } = night;
  return {
    night,
    needsYou: [...crashIn(night), ...night.needsYou, ...doubtsIn(night), ...tamperingIn(experiments)],
    tally: tallyOf(experiments.filter(({ waits }) => !waits).map(({ event }) => event)),
    tried: experiments.length,
    waiting: experiments.filter(({ waits }) => waits).length,
    kept: experiments.filter(isKept),
    start: experiments.find(({ best }) => best !== undefined)?.best ?? night.baseline,
    learned: learnedIn(night),
    spend: spendOf(night),
    recommended: night.recommendations ?? [],
    next: nextSteps(night),
  };
}

/** `orgrepo/report@1`: what is not known is left out. */
export function reportJson({
  night,
  needsYou,
  tally,
  tried,
  waiting,
  kept,
  learned,
  spend,
  recommended,
  next,
}: Report): Record<string, unknown> {
  const { baseline, best, holdout, gain } = night;
  return {
    schema: 'orgrepo/report@1',
    name: night.name,
    run: night.run,
    started_at: isoTime(night.startedAt),
    ...(night.endedAt === undefined ? {} : { ended_at: isoTime(night.endedAt) }),
    ...(night.crashed ? { crashed: true } : {}),
    stopped: night.stopped,
    metric: night.metric,
    direction: night.direction,
    ...(night.target === undefined ? {} : { target: night.target }),
    ...(night.stages === undefined ? {} : { stages: night.stages }),
    ...(baseline === undefined ? {} : { baseline }),
    ...(best === undefined ? {} : { best }),
    ...(holdout === undefined ? {} : { holdout: { ...holdout } }),
    ...(gain === undefined
      ? {}
      : { interval: { gain: gain.mean, low: gain.low, high: gain.high, level: 0.95, pairs: gain.pairs.length } }),
    tried,
    kept: kept.length,
    ...(waiting === 0 ? {} : { waiting }),
    tally,
    needs_you: needsYou,
    learned: learned.map((lesson) => ({
      sign: lesson.sign,
      text: lessonWords(lesson),
      experiments: lesson.experiments,
    })),
    spend: {
      ...(spend.seconds === undefined ? {} : { seconds: spend.seconds }),
      measured_seconds: Number(spend.measuredSeconds.toFixed(3)),
      ...(spend.free ? { usd: 0, tokens_in: 0, tokens_out: 0 } : {}),
      ...modelsJson(spend),
    },
    ...(night.health === undefined ? {} : { health: healthJson(night.health) }),
    next: [
      ...recommended.map((one) => {
        const { id, key, severity, evidence, specs, advice, edit } = one;
        return { ...{ id, key, severity, ...recommendedStep(one), evidence, specs, advice }, edit };
      }),
      ...next,
    ],
  };
}

/** The same words as in status: whoever reads only the report must not wait for it. */
const crashIn = ({ crashed, stopped }: NightStory): readonly NeedsYou[] =>
  crashed ? [{ what: `it crashed: ${stopped}`, command: 'orgrepo run' }] : [];

/** What the measurement at the night's end says against its own result. */
function doubtsIn({ gain, best, metric }: NightStory): readonly NeedsYou[] {
  const [first] = gain?.pairs ?? [];
  if (gain === undefined || first === undefined || best === undefined) return [];
  if (gain.pairs.length === 1 && first[0] !== best.score) {
    const what = `best does not repeat itself: #${best.n} was kept with ${metric} ${best.score} and has ${first[0]} now. Its scores are chance`;
    return [{ what, command: `orgrepo show ${best.n}` }];
  }
  if (gain.pairs.length === 1 || gain.mean > 0) return [];
  const what = `best is no better than what the night began with, on ${gain.pairs.length} fresh pairs. Start over from your branch`;
  return [{ what, command: 'orgrepo run --from-trunk' }];
}

/** Refused already, but a person should know who tried. */
function tamperingIn(experiments: readonly Experiment[]): readonly NeedsYou[] {
  const byAgent = new Map<string, Experiment[]>();
  for (const experiment of experiments) {
    if (experiment.event === 'tampered')
      byAgent.set(experiment.agent, [...(byAgent.get(experiment.agent) ?? []), experiment]);
  }
  return [...byAgent].map(([agent, tries]) => ({
    what: `${agent} changed what it may not, ${tries.length === 1 ? 'once' : `${tries.length} times`}. Refused, not measured: ${tries[0]?.reason}`,
    command: `orgrepo show ${tries[0]?.n}`,
  }));
}

function modelsJson({ models, usdCap, perKept }: Spend): Record<string, unknown> {
  if (models === undefined) return {};
  return {
    ...spentJson(models.total),
    ...(usdCap === undefined ? {} : { usd_cap: usdCap }),
    ...(perKept === undefined ? {} : { usd_per_kept: perKept }),
    ...(models.held === undefined ? {} : { set_aside: spentJson(models.held) }),
    agents: models.agents.map(({ id, spent }) => ({ id, ...spentJson(spent) })),
  };
}

function spendOf(night: NightStory): Spend {
  const { startedAt, endedAt, experiments, agent, spent } = night;
  const kept = experiments.filter(isKept).length;
  const seconds = endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
  return {
    seconds,
    measuredSeconds: experiments.reduce((sum, experiment) => sum + (experiment.seconds ?? 0), 0),
    perMinute: seconds === undefined || seconds === 0 ? undefined : (experiments.length / seconds) * 60,
    free: agent === 'search' && night.models !== true && spent === undefined,
    models: spent,
    usdCap: night.usdCap,
    perKept: spent?.total.usd === undefined || kept === 0 ? undefined : spent.total.usd / kept,
  };
}

function nextSteps(night: NightStory): readonly NeedsYou[] {
  const { best, baseline, experiments, target, direction } = night;
  const running = night.endedAt === undefined && !night.crashed;
  const last = experiments.findLast(isKept);
  const unscored = experiments.length > 0 && experiments.every(({ score }) => score === undefined);
  const reached = target !== undefined && best !== undefined && reaches(best.score, target, direction);
  return [
    ...((baseline === undefined && !running) || unscored
      ? [{ what: 'find out why nothing gets a score', command: 'orgrepo doctor' }]
      : []),
    ...(last === undefined
      ? []
      : [
          { what: `look at the last change that was kept, #${last.n}`, command: `orgrepo show ${last.n}` },
          { what: 'read all that is better now', command: 'git diff HEAD...orgrepo/best' },
        ]),
    ...(night.ready === undefined || night.ready === 0
      ? []
      : [
          {
            what: `land  ${countOf(night.ready, 'kept change')} ${night.ready === 1 ? 'is' : 'are'} ready`,
            command: 'orgrepo land --dry-run',
          },
        ]),
    ...(reached ? [{ what: 'the target is reached: set a new one', command: '$EDITOR program.md' }] : []),
    ...(last === undefined &&
    baseline !== undefined &&
    experiments.length > 0 &&
    !experiments.some(({ waits }) => waits)
      ? [{ what: 'nothing was kept: say in the brief what else to try', command: '$EDITOR program.md' }]
      : []),
    { what: 'add an idea of your own', command: 'orgrepo submit "what to try"' },
    running
      ? { what: 'see how it stands', command: 'orgrepo status' }
      : { what: 'go on from here', command: 'orgrepo run' },
  ];
}

/** How the night ended, for its heading. */
export function stoppedWords({ endedAt, crashed, stopped }: NightStory): string {
  if (crashed) return `crashed: ${visible(stopped)}`;
  return endedAt === undefined ? 'still running' : stopped === '' ? 'stopped' : `stopped: ${visible(stopped)}`;
}
