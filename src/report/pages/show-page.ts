import { spreadOf } from '../../domain/rules/contest.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import type { WinPlace } from '../../domain/words/taken.ts';
import type { TalkEntry } from '../../records/notebook/notebook.ts';
import { cut, type Look, spell } from '../../terminal/look.ts';
import { clockWord, dayWord, isoTime, timeWord } from '../../terminal/times.ts';
import { visible, visibleLines } from '../../terminal/visible.ts';
import { describeDuration } from '../../text/quantity.ts';
import {
  changeWord,
  hanging,
  paintDiff,
  plainNumber,
  scoreWord,
  shortCommit,
  singleStageWords,
  tokenWords,
  usdWord,
} from '../words/numbers.ts';
import { placeWords, verdictWords, wordsFor } from '../words/verdict-words.ts';

/** What the notebook knows of an experiment beyond its own commits. */
interface ShowDetails {
  readonly specTitle: string | undefined;
  readonly specBy: string | undefined;
  /** The candidate against what it set out from, as git prints it. */
  readonly diff: string;
  /** What the harness printed, where a person asked for it. */
  readonly output?: string | undefined;
  readonly holdout: number | undefined;
  /** Where it is now, where it won. */
  readonly place?: WinPlace | undefined;
  /** How the spec came there, a line each; none where nobody planned or reviewed anything. */
  readonly story?: readonly string[] | undefined;
}

/** One experiment in full. */
export function formatShow(experiment: Experiment, details: ShowDetails, look: Look): string {
  const lines = [
    look.paint.bold(headingOf(experiment, details)),
    `spec      ${specWords(experiment, details)}`,
    ...paragraph('tried', visible(experiment.title), look.columns),
    ...visibleLines(experiment.notes)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .flatMap((line) => paragraph('', line.trim(), look.columns)),
    ...paragraph('verdict', visible(experiment.reason), look.columns),
    ...(details.place === undefined ? [] : paragraph('best', placeWords(details.place, experiment.n), look.columns)),
    ...paragraph('checked', checkedWords(experiment), look.columns),
    ...(details.story ?? []),
    '',
    ...(details.diff.trim() === '' ? ['no difference'] : paintDiff(details.diff, look.paint)),
    ...(details.output === undefined
      ? []
      : ['', look.paint.bold('harness output'), ...visibleLines(details.output).trimEnd().split('\n')]),
    '',
    look.paint.dim(
      `git show ${shortCommit(experiment.tried)}   ·   orgrepo replay ${experiment.n}${experiment.spent === undefined ? '' : `   ·   orgrepo show ${experiment.n} --trace`}`,
    ),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

function headingOf(experiment: Experiment, { holdout }: ShowDetails): string {
  const { n, metric, best, score, agent, at, seconds, merged, alone, spent } = experiment;
  const { sign, word } = wordsFor(experiment);
  const from = best === undefined ? '' : `${scoreWord(best)} -> `;
  const result = score === undefined ? 'no score' : `${visible(metric)} ${from}${scoreWord(score)}`;
  const change = score === undefined || best === undefined ? '' : ` (${changeWord(best, score)})`;
  return [
    `#${n}  ${sign} ${word}  ${result}${change}`,
    ...(holdout === undefined ? [] : [`held out ${scoreWord(holdout)}`]),
    [
      visible(agent),
      ...(spent === undefined ? [] : [visible(spent.model)]),
      `${dayWord(at)} ${clockWord(at)}`,
      ...(seconds === undefined ? [] : [describeDuration(seconds * 1000)]),
      ...(spent === undefined
        ? []
        : [spent.usd === undefined ? 'price unknown' : `$${usdWord(spent.usd)}`, tokenWords(spent)]),
    ].join(', '),
    ...(merged ? [alone ? 'in place of a best that had moved' : 'merged with a best that had moved'] : []),
  ].join('   ');
}

function specWords({ spec }: Experiment, { specTitle, specBy }: ShowDetails): string {
  const title = specTitle === undefined ? '' : `  "${visible(specTitle)}"`;
  return `${visible(spec)}${title}${specBy === undefined ? '' : `   by ${visible(specBy)}`}`;
}

function checkedWords({ harness, samples, against, numbers, noise, carried, stages }: Experiment): string {
  const others = Object.entries(numbers).map(([name, value]) => `${visible(name)} ${plainNumber(value)}`);
  return [
    ...(harness === '' ? [] : [`harness ${shortCommit(harness)}`]),
    ...(samples.length === 0 ? ['not scored'] : [`measured ${samples.map(plainNumber).join(' ')}`]),
    ...(against.length === 0 ? [] : [`against ${against.map(plainNumber).join(' ')} with the same seeds`]),
    ...(noise === undefined ? [] : [`noise ${plainNumber(spreadOf(noise))}`]),
    ...(carried === 0 ? [] : [`${carried} pairs from an earlier try`]),
    ...others,
    ...(stages === 1 ? [singleStageWords] : []),
  ].join(' · ');
}

const paragraph = (name: string, words: string, columns: number): readonly string[] =>
  hanging(name.padEnd(10), words, columns);

type StoryStatement = Omit<TalkEntry, 'by'>;

/** How a spec came to where it is: what was planned, challenged, tried and reviewed, a line each. None where nobody spoke. */
export function storyLines(
  talk: readonly StoryStatement[],
  experiments: readonly Experiment[],
  edge: number,
): readonly string[] {
  if (talk.length === 0) return [];
  const beats = [
    ...talk.filter(({ cause }) => cause === undefined).map((said) => ({ at: said.at, line: lineOf(said) })),
    ...experiments.flatMap((one) => [
      { at: one.at, line: { who: one.agent, what: `#${one.n}`, words: `${verdictOf(one, talk)}: ${one.title}` } },
      ...talk.filter(({ cause }) => cause === one.commit).map((said) => ({ at: said.at, line: lineOf(said) })),
    ]),
  ];
  const wide = {
    what: widest(beats.map(({ line }) => line.what)),
    who: widest(beats.map(({ line }) => visible(line.who))),
  };
  return beats.map(({ at, line: { who, what, words } }, index) => {
    const head = `${(index === 0 ? 'story' : '').padEnd(10)}${timeWord(at)}  ${what.padEnd(wide.what)}  ${visible(who).padEnd(wide.who)}  `;
    return head + cut(visible(words), Math.max(20, edge - head.length));
  });
}

const widest = (words: readonly string[]): number => Math.max(...words.map((word) => word.length));

const lineOf = ({ event, agent, text, approves, reason }: StoryStatement) => ({
  who: agent,
  what: event,
  words: `${approves === undefined ? '' : approves ? 'approved: ' : 'rejected: '}${firstWords(text) ?? reason ?? 'said nothing'}`,
});

/** Before anybody reviewed it, a rejected change was a win. */
const verdictOf = ({ event, commit }: Experiment, talk: readonly StoryStatement[]): string =>
  event === 'rejected' && talk.some(({ cause }) => cause === commit)
    ? verdictWords.keep.word
    : verdictWords[event].word;

/** The first line that is no heading. */
const firstWords = (text: string): string | undefined =>
  text.split('\n').find((line) => line.trim() !== '' && !/^#{1,6} /.test(line));

/** What was said, for a program. */
export const talkJson = ({ event, agent, text, at, approves }: StoryStatement): Readonly<Record<string, unknown>> => ({
  event,
  agent,
  at: isoTime(at),
  ...(approves === undefined ? {} : { approves }),
  text,
});
