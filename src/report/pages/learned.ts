import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import { gainOver } from '../../domain/words/score.ts';
import { quantile } from '../../terminal/axis.ts';
import { cut } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import type { NightStory } from '../facts/overview.ts';
import { citations, countOf, scoreWord } from '../words/numbers.ts';
import { chanceOfAtLeast, type Group, groupBy, placesChanged, stepSizeOf } from './lesson-groups.ts';

/** One thing that the night's counts show, with the experiments that show it. */
export interface Lesson {
  /** `+` helped, `-` did not, `?` may be luck or needs a look. */
  readonly sign: '+' | '-' | '?';
  readonly text: string;
  readonly experiments: readonly number[];
}

/** What the experiments alone tell, the weightiest first. Nothing is said that no count supports. */
export function learnedIn(night: NightStory): readonly Lesson[] {
  // A piece that was left out is not an idea of its own, and neither is a win that orgrepo merged.
  const attempts = night.experiments.filter(({ part, merged }) => part === undefined && !merged);
  return [
    heldOutLesson(night),
    partsLesson(night.experiments),
    ...placeLessons(attempts),
    whoLesson(attempts),
    stepSizeLesson(attempts),
    guardLesson(attempts),
    testsLesson(attempts),
    crashLesson(attempts),
    repeatLesson(attempts),
    lastWinLesson(attempts),
  ]
    .filter((lesson) => lesson !== undefined)
    .map((lesson) => ({ ...lesson, experiments: [...new Set(lesson.experiments)] })) // One may have changed two places.
    .slice(0, 6);
}

const likely = 0.05;
const numbersOf = (experiments: readonly Experiment[]): readonly number[] => experiments.map(({ n }) => n);

function heldOutLesson({ baseline, best, holdout, direction, metric }: NightStory): Lesson | undefined {
  if (baseline === undefined || best === undefined || holdout?.from === undefined || holdout.to === undefined) {
    return undefined;
  }
  if (gainOver(best.score, baseline, direction) <= 0 || gainOver(holdout.to, holdout.from, direction) > 0)
    return undefined;
  const change = `${scoreWord(holdout.from)} to ${scoreWord(holdout.to)}`;
  const text = `${visible(metric)} got better but its held-out value did not (${change}): the gain may not carry over`;
  return { sign: '?', text, experiments: [best.n] };
}

/** Which pieces of the wins carried their gain, by leaving each of them out. */
function partsLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const taken = experiments.filter(
    ({ part, event }) => part !== undefined && (event === 'keep' || event === 'discard'),
  );
  if (taken.length === 0) return undefined;
  const placeOf = ({ part, title }: Experiment): string =>
    `${visible(title.replace(/^.*, /, ''))} of #${part?.split(' of ')[1]}`;
  const placesWith = (event: string): string[] => taken.filter((one) => one.event === event).map(placeOf);
  const [carried, idle] = [placesWith('discard'), placesWith('keep')];
  const list = (places: readonly string[]): string =>
    [...places.slice(0, 3), ...(places.length > 3 ? [`${places.length - 3} more`] : [])].join(', ');
  const words = [
    ...(carried.length === 0 ? [] : [`left out, ${list(carried)} cost score: they carry the gain`]),
    ...(idle.length === 0
      ? []
      : [`${list(idle)} did not matter and ${idle.length === 1 ? 'is' : 'are'} gone from best`]),
  ];
  return { sign: '+', text: words.join('; '), experiments: numbersOf(taken) };
}

/** Which lines of which files gave the gains, and which were tried again and again for nothing. */
function placeLessons(experiments: readonly Experiment[]): readonly (Lesson | undefined)[] {
  const places = groupBy(experiments, placesChanged);
  const kept = experiments.filter(isKept).length;
  if (places.length < 2 || kept === 0) return [];
  const most = places.reduce((a, b) => (b.kept.length > a.kept.length ? b : a));
  const barren = places
    .filter((place) => place.kept.length === 0 && place.scored.length >= 4)
    .sort((a, b) => b.scored.length - a.scored.length);
  return [most.kept.length < 2 ? undefined : shareLesson(most.name, most, places, experiments), barrenLesson(barren)];
}

function barrenLesson(barren: readonly Group[]): Lesson | undefined {
  if (barren.length === 0) return undefined;
  const named = barren
    .slice(0, 3)
    .map(({ name, scored }) => `${placeName(name)}, ${countOf(scored.length, 'try', 'tries')}`);
  const rest = barren.length > 3 ? `; and ${countOf(barren.length - 3, 'other place')}` : '';
  const experiments = barren.flatMap(({ scored }) => numbersOf(scored));
  return { sign: '-', text: `nothing won at ${named.join('; ')}${rest}`, experiments };
}

/** Said only where luck is an unlikely reason: specs and agents differ a little in any night. */
function whoLesson(experiments: readonly Experiment[]): Lesson | undefined {
  return (['spec', 'agent'] as const)
    .map((kind) => ({ kind, groups: groupBy(experiments, (one) => [one[kind]]) }))
    .filter(({ groups }) => groups.length > 1)
    .map(({ kind, groups }) => {
      const most = groups.reduce((a, b) => (b.kept.length > a.kept.length ? b : a));
      return shareLesson(`${kind} ${most.name}`, most, groups, experiments);
    })
    .find(({ sign }) => sign === '+');
}

function shareLesson(name: string, group: Group, groups: readonly Group[], experiments: readonly Experiment[]): Lesson {
  const kept = experiments.filter(isKept).length;
  const chance = chanceOfAtLeast(group.kept.length, group.all.length, kept, experiments.length) * groups.length;
  const sure = chance < likely;
  return {
    sign: sure ? '+' : '?',
    text: `${placeName(name)} gave ${group.kept.length} of ${countOf(kept, 'win')} in ${group.all.length} of ${countOf(experiments.length, 'try', 'tries')}${sure ? '' : ', which may be luck'}`,
    experiments: numbersOf(group.kept),
  };
}

const placeName = (name: string): string => cut(visible(name), 60);

/** Whether small or large steps did better, where a title tells a number's old and new value. */
function stepSizeLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const steps = experiments.flatMap((experiment) => {
    const size = experiment.score === undefined ? undefined : stepSizeOf(experiment);
    return size === undefined ? [] : [{ experiment, size }];
  });
  const middle = quantile(
    steps.map(({ size }) => size),
    0.5,
  );
  if (steps.length < 20 || middle === undefined) return undefined;
  const small = steps.filter(({ size }) => size <= middle).map(({ experiment }) => experiment);
  const large = steps.filter(({ size }) => size > middle).map(({ experiment }) => experiment);
  const [keptSmall, keptLarge] = [small.filter(isKept), large.filter(isKept)];
  const smallWins = keptSmall.length * large.length > keptLarge.length * small.length;
  const [winner, keptBy] = smallWins ? [small, keptSmall] : [large, keptLarge];
  const kept = keptSmall.length + keptLarge.length;
  if (chanceOfAtLeast(keptBy.length, winner.length, kept, steps.length) * 2 >= likely) return undefined;
  const counts = `${keptSmall.length} of ${small.length} won up to ${Math.round(middle * 100)} % of a number, ${keptLarge.length} of ${large.length} above`;
  const text = `${smallWins ? 'small' : 'large'} steps did better: ${counts}`;
  return { sign: '+', text, experiments: numbersOf(keptBy) };
}

function guardLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const broken = experiments.filter(({ event, tests }) => event === 'confounded' && tests === undefined);
  const [first] = broken;
  if (first === undefined) return undefined;
  const what = `${countOf(broken.length, 'gain')} came with a broken guard`;
  return { sign: '-', text: `${what}: ${cut(visible(first.reason), 80)}`, experiments: numbersOf(broken) };
}

function testsLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const failed = experiments.filter(({ event, tests }) => event === 'confounded' && tests !== undefined);
  const [first] = failed;
  if (first === undefined) return undefined;
  const what = `${countOf(failed.length, 'gain')} came with failing tests`;
  return { sign: '-', text: `${what}: ${cut(visible(first.tests ?? ''), 80)}`, experiments: numbersOf(failed) };
}

function crashLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const ended = experiments.filter(({ event }) => event === 'crash' || event === 'timeout' || event === 'failed');
  if (ended.length === 0) return undefined;
  // The same fault with other figures in it is the same fault.
  const reasons = groupBy(ended, ({ reason }) => [reason.replace(/\d+(\.\d+)?/g, '0')]);
  const usual = reasons.reduce((a, b) => (b.all.length > a.all.length ? b : a));
  const reason = cut(visible(usual.all[0]?.reason ?? ''), 80);
  const times = usual.all.length;
  const often = times === ended.length ? '' : times === 1 ? 'for one ' : `${times} of them `;
  const text = `${ended.length} of ${countOf(experiments.length, 'try', 'tries')} gave no score, ${often}because: ${reason}`;
  return { sign: '-', text, experiments: numbersOf(usual.all) };
}

/** What was unclear is measured on as it is: that is not an agent that comes with the same again. */
function repeatLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const seen = new Set<string>();
  const repeats = experiments.filter((experiment) => {
    const { tree, event, continues } = experiment;
    const offered = continues === undefined && !isKept(experiment);
    const again = event === 'unchanged' || (offered && seen.has(tree));
    seen.add(tree);
    return again;
  });
  if (repeats.length === 0) return undefined;
  const text = `${repeats.length} of ${countOf(experiments.length, 'try', 'tries')} offered nothing new`;
  return { sign: '-', text, experiments: numbersOf(repeats) };
}

function lastWinLesson(experiments: readonly Experiment[]): Lesson | undefined {
  const last = experiments.findLastIndex(isKept);
  const after = experiments.length - 1 - last;
  const found = experiments[last];
  if (found === undefined || after < 10) return undefined;
  const text = `the last win came ${countOf(after, 'try', 'tries')} before the end`;
  return { sign: '?', text, experiments: [found.n] };
}

export const lessonWords = ({ text, experiments }: Lesson): string => `${text} (${citations(experiments)})`;
