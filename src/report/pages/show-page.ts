import { spreadOf } from '../../domain/rules/contest.ts';
import { type Experiment, type SpentOnTry, testsPassed } from '../../domain/words/experiment.ts';
import type { PersonsPart, SpecStory } from '../../domain/words/spec.ts';
import type { WinPlace } from '../../domain/words/taken.ts';
import type { TalkEntry } from '../../records/notebook/notebook.ts';
import { cut, fit, fitRight, type Look, spell } from '../../terminal/look.ts';
import { clockWord, dayWord, isoTime, timeWord, visible, visibleLines } from '../../terminal/visible.ts';
import { describeDuration } from '../../text/quantity.ts';
import {
  changeWord,
  countOf,
  hanging,
  isBySubscription,
  paintDiff,
  plainNumber,
  scoreWord,
  shortCommit,
  singleStageWords,
  tokenWords,
  usdWord,
} from '../words/numbers.ts';
import { placeWords, takenJson, verdictWords, wordsFor } from '../words/verdict-words.ts';
import { experimentJson } from './fact-lines.ts';

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
      look.typed(
        `git show ${shortCommit(experiment.tried)}   ·   orgrepo replay ${experiment.n}${experiment.spent === undefined ? '' : `   ·   orgrepo show ${experiment.n} --trace`}`,
      ),
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
      ...(spent === undefined ? [] : [isBySubscription(spent) ? 'by subscription' : dollars(spent), tokenWords(spent)]),
    ].join(', '),
    ...(merged ? [alone ? 'in place of a best that had moved' : 'merged with a best that had moved'] : []),
  ].join('   ');
}

const dollars = ({ usd }: SpentOnTry): string => (usd === undefined ? 'price unknown' : `$${usdWord(usd)}`);

function specWords({ spec }: Experiment, { specTitle, specBy }: ShowDetails): string {
  const title = specTitle === undefined ? '' : `  "${visible(specTitle)}"`;
  return `${visible(spec)}${title}${specBy === undefined ? '' : `   by ${visible(specBy)}`}`;
}

function checkedWords({ harness, samples, against, numbers, noise, carried, tests, stages }: Experiment): string {
  const others = Object.entries(numbers).map(([name, value]) => `${visible(name)} ${plainNumber(value)}`);
  return [
    ...(harness === '' ? [] : [`harness ${shortCommit(harness)}`]),
    ...(samples.length === 0 ? ['not scored'] : [`measured ${samples.map(plainNumber).join(' ')}`]),
    ...(against.length === 0 ? [] : [`against ${against.map(plainNumber).join(' ')} with the same seeds`]),
    ...(noise === undefined ? [] : [`noise ${plainNumber(spreadOf(noise))}`]),
    ...(carried === 0 ? [] : [`${carried} pairs from an earlier try`]),
    ...others,
    ...(tests === undefined ? [] : [tests === testsPassed ? 'tests passed' : 'tests failed']),
    ...(stages === 1 ? [singleStageWords] : []),
  ].join(' · ');
}

const paragraph = (name: string, words: string, columns: number): readonly string[] =>
  hanging(name.padEnd(10), words, columns);

type StoryStatement = Omit<TalkEntry, 'by'>;

/** How a spec came to where it is: what was planned, challenged, tried and reviewed, a line each. None where nobody spoke. */
export function storyLines(talk: readonly StoryStatement[], experiments: readonly Experiment[], edge: number) {
  if (talk.length === 0) return [];
  const beats = [
    ...talk.filter(({ cause }) => cause === undefined).map(beatOf),
    ...experiments.flatMap((one) => [
      { at: one.at, who: visible(one.agent), what: `#${one.n}`, words: `${verdictOf(one, talk)}: ${one.title}` },
      ...talk.filter(({ cause }) => cause === one.commit).map(beatOf),
    ]),
  ];
  const wideWhat = Math.max(...beats.map(({ what }) => what.length));
  const wideWho = Math.max(...beats.map(({ who }) => who.length));
  return beats.map(({ at, who, what, words }, index) => {
    const name = (index === 0 ? 'story' : '').padEnd(10);
    const head = `${name}${timeWord(at)}  ${what.padEnd(wideWhat)}  ${who.padEnd(wideWho)}  `;
    return head + cut(visible(words), Math.max(20, edge - head.length));
  });
}

const beatOf = ({ event, agent, text, approves, reason, at }: StoryStatement) => ({
  at,
  who: visible(agent),
  what: event,
  words: `${approves === undefined ? '' : approves ? 'approved: ' : 'rejected: '}${firstWords(text) ?? reason ?? 'said nothing'}`,
});

/** Before anybody reviewed it, a rejected change was a win. */
const verdictOf = ({ event, commit }: Experiment, talk: readonly StoryStatement[]): string =>
  event === 'rejected' && talk.some(({ cause }) => cause === commit)
    ? verdictWords.keep.word
    : verdictWords[event].word;

/** The first line that is not a heading. */
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

/** One spec in full: its text, who has it, what was tried; and for a person what to do next. */
export function formatSpecStory(story: SpecStory, talk: readonly string[], look: Look): string {
  const { spec, person, experiments } = story;
  const body = visibleLines(spec.body).trimEnd();
  const lines = [
    look.paint.bold(`${spec.id}  ${visible(spec.title)}`),
    ...paragraph('by', visible(spec.by), look.columns),
    ...paragraph('state', stateWords(story), look.columns),
    ...(spec.risk === undefined || spec.risk === 'low' ? [] : paragraph('risk', spec.risk, look.columns)),
    ...talk,
    ...(person === undefined ? [] : personsLines(story, person, look)),
    ...(body === '' ? [] : ['', ...body.split('\n')]),
    ...(experiments.length === 0 ? [] : ['', look.paint.bold('notebook')]),
    ...experiments.map((one) => cut(experimentLine(one), look.edge)),
    '',
    look.paint.dim(
      story.agent === undefined
        ? `git show orgrepo/queue -- specs/`
        : look.typed(
            `git log --first-parent orgrepo/work/${spec.id}${experiments.length === 0 ? '' : `   ·   orgrepo show ${experiments.at(-1)?.n}   ·   orgrepo show ${spec.id} --trace`}`,
          ),
    ),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/spec@1`: what is not known is left out. */
export function specStoryJson(story: SpecStory, places: ReadonlyMap<number, WinPlace>): Record<string, unknown> {
  const { spec, agent, ended, used, attempts, score, person } = story;
  const { id, title, by, role, risk, body } = spec;
  return {
    schema: 'orgrepo/spec@1',
    ...{ id, title, by, role, risk, state: stateOf(story), agent, ended, used, attempts, score, body },
    ...(person === undefined ? {} : { ...person, left_behind: person.leftBehind, leftBehind: undefined }),
    experiments: story.experiments.map((one) => ({ ...experimentJson(one), ...takenJson(places.get(one.n)) })),
  };
}

function stateOf({ agent, ended, person }: SpecStory): 'open' | 'claimed' | 'waiting' | 'offered' | 'done' {
  if (ended !== undefined) return 'done';
  if (person?.said !== undefined) return 'offered';
  if (agent === undefined) return 'open';
  return person === undefined ? 'claimed' : 'waiting';
}

function stateWords(story: SpecStory): string {
  const { agent, ended, used, attempts, person, metric, score, best } = story;
  const who = agent === undefined ? '' : visible(agent);
  const tries = `${attempts === undefined ? countOf(used, 'attempt') : `${used} of ${countOf(attempts, 'attempt')}`} used`;
  const line =
    score === undefined || Number.isNaN(score) ? [] : [`its line scores ${visible(metric)} ${scoreWord(score)}`];
  const moved = best === undefined ? [] : [`best is at ${scoreWord(best)} by now`];
  if (ended !== undefined) return [`done by ${who}: ${visible(ended)}`, tries, ...line].join(' · ');
  if (agent === undefined)
    return person === undefined ? 'open: the next junior takes it' : 'for a person; no run has laid its bench yet';
  return [person === undefined ? `claimed by ${who}` : waitWords(person), tries, ...line, ...moved].join(' · ');
}

function waitWords({ said }: PersonsPart): string {
  if (said === 'close') return 'closed by a person; the next run takes it off the queue';
  if (said === undefined) return 'waits for you';
  return `offered as ${shortCommit(said.commit)}, "${visible(said.title)}"; a run measures it`;
}

/** Where to edit, what is there, and what to type. */
function personsLines({ spec }: SpecStory, part: PersonsPart, { columns, paint, typed }: Look): readonly string[] {
  const { bench, edited, overstep, said, leftBehind } = part;
  if (said === 'close') return [];
  if (bench === undefined) return paragraph('next', typed('orgrepo run   lays the bench'), columns);
  const offers = edited.length === 0 ? 'nothing yet' : edited.map(visible).join(', ');
  const behind = `#${leftBehind} was taken in another form, and your files were left alone: git diff shows what you would undo`;
  const done = typed(`orgrepo submit --done ${spec.id} --title "what you did"`);
  return [
    `bench     ${visible(bench)}`,
    ...paragraph('edited', offers, columns),
    ...(overstep === undefined ? [] : paragraph('', paint.red(`not allowed: ${visible(overstep)}`), columns)),
    ...(leftBehind === undefined ? [] : paragraph('', paint.yellow(behind), columns)),
    `next      edit in the bench, and look at it there: git diff`,
    ...(said === undefined ? [] : [`          ${typed('orgrepo run')}`]),
    `          ${done}`,
    `          ${typed(`orgrepo submit --close ${spec.id}`)}   when you are through with it`,
  ];
}

function experimentLine(experiment: Experiment): string {
  const { n, score, best, title } = experiment;
  const { sign, word } = wordsFor(experiment);
  const change = score === undefined || best === undefined ? '' : changeWord(best, score);
  const number = score === undefined ? '–' : scoreWord(score);
  return `  ${fitRight(`#${n}`, 5)}  ${sign} ${fit(word, 12)}  ${fitRight(number, 9)}  ${fitRight(change, 8)}  ${visible(title)}`;
}
