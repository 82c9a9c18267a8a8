import type { NeedsYou } from '../../domain/rules/request.ts';
import type { Direction } from '../../domain/words/brief.ts';
import { type Gain, gainOver, meanOf, reaches } from '../../domain/words/score.ts';
import type { Spent } from '../../domain/words/spent.ts';
import type { TakenWin } from '../../domain/words/taken.ts';
import { cut, fit, fitRight, type Look, mostOf, pad, spell, widthOf } from '../../terminal/look.ts';
import { clockWord, dayWord, visible } from '../../terminal/visible.ts';
import { describeDuration } from '../../text/quantity.ts';
import { healthInFull } from '../advice/health-score.ts';
import {
  changeWord,
  checkpointWords,
  citations,
  costCell,
  countOf,
  gainWords,
  hanging,
  isBySubscription,
  reservedWords,
  scoreWord,
  shortCommit,
  singleStageWords,
  spentWords,
  tokenWords,
  usdWord,
} from '../words/numbers.ts';
import { tallyWords, whyWords } from '../words/verdict-words.ts';
import { lessonWords } from './learned.ts';
import { courseOf, formatPlot } from './plot.ts';
import { type Report, stepsAfter, stoppedWords } from './report-page.ts';

/** The morning report on a terminal. The order is fixed: what needs a person comes first. */
export function formatReport(report: Report, look: Look): string {
  const { bold, yellow } = look.paint;
  const needs = report.needsYou;
  const lines = [
    bold(cut(look.typed(headingOf(report)), look.edge)),
    '',
    ...(needs.length === 0 ? [`${bold('NEEDS YOU')}   nothing`] : [yellow('NEEDS YOU'), ...actions(needs, '!', look)]),
    '',
    ...resultLines(report, look),
    ...takenSection(report, look),
    '',
    `${bold('LEARNED')}   ${cut("from the numbers and the agents' own titles, each with its experiments", look.edge - 10)}`,
    ...learnedLines(report, look.columns),
    '',
    ...section('SPEND', spendWords(report), look),
    ...hanging('        ', spenderWords(report), look.columns),
    ...(report.night.health === undefined || report.night.isCharted !== true
      ? []
      : section('HEALTH', healthInFull(report.night.health).join(' · '), look)),
    '',
    bold('NEXT'),
    ...actions(
      stepsAfter(report).map((step) => ({ ...step, what: look.typed(step.what) })),
      ' ',
      look,
    ),
    ...(report.night.checkpoint === undefined ? [] : ['', `Checkpoint ${checkpointWords(report.night.checkpoint)}`]),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `14.435 -> 3.475 (-75.9 %)`; Markdown says it in the same words. */
export function resultWords({ night, start }: Report): readonly string[] {
  const { baseline, best, holdout, target, direction, gain } = night;
  const metric = visible(night.metric);
  if (best === undefined)
    return [`${metric}: ${baseline === undefined ? 'no score yet' : `${scoreWord(baseline)}, no best yet`}`];
  const again = start !== undefined && start !== baseline && start !== best.score;
  const noisy = gain !== undefined && gain.pairs.length > 1;
  const score =
    baseline === undefined || baseline === best.score
      ? `${metric} ${scoreWord(best.score)}${baseline === undefined ? '' : ', as at the start'}`
      : `${metric} ${moveWords(baseline, best.score)}`;
  return [
    noisy ? `${metric} ${pairsWords(gain)} this night, measured again` : score,
    ...(again && !noisy ? [`this night ${moveWords(start, best.score)}`] : []),
    ...(gain === undefined ? [] : [`this night's ${gainWords({ ...gain, pairs: gain.pairs.length })}`]),
    ...(holdout?.to === undefined ? [] : [`held out ${moveWords(holdout.from, holdout.to)}`]),
    ...(target === undefined
      ? []
      : [`target ${scoreWord(target)} ${reaches(best.score, target, direction) ? 'reached' : 'not reached'}`]),
    ...(night.stages === 1 ? [singleStageWords] : []),
  ];
}

/** Two scores of a noisy metric can be compared when they come from the same pairs; a winner's own were lucky ones. */
function pairsWords({ pairs }: Gain): string {
  const [to = Number.NaN, from] = [0, 1].map((which) => meanOf(pairs.map((pair) => pair[which] ?? Number.NaN)));
  return moveWords(from, to);
}

/** `14.435 -> 3.475 (-75.9 %)`; the score alone where it is not known what it was before. */
const moveWords = (from: number | undefined, to: number): string =>
  from === undefined ? scoreWord(to) : `${scoreWord(from)} -> ${scoreWord(to)} (${changeWord(from, to)})`;

/** Time is all that an embedded agent spends. */
export function spendWords({ spend, tried, night }: Report): string {
  const { seconds, measuredSeconds, perMinute, free, perKept, cachedShare } = spend;
  const { models, spent, usdCap } = night;
  return [
    ...(spent === undefined
      ? [
          free
            ? 'no model, nothing spent'
            : models === true
              ? 'no model was asked'
              : 'money unknown: the agent is a command of yours, and orgrepo does not see its bills',
        ]
      : [spentWords(spent.total, usdCap), tokenWords(spent.total)]),
    ...(cachedShare === undefined ? [] : [`${Math.round(100 * cachedShare)} % of what tries read was cached`]),
    ...(perKept === undefined ? [] : [`$${usdWord(perKept)} per win`]),
    ...(spent?.held === undefined ? [] : [reservedWords(spent.held)]),
    ...(seconds === undefined ? [] : [describeDuration(seconds * 1000)]),
    countOf(tried, 'experiment'),
    ...(perMinute === undefined ? [] : [`${perMinute.toFixed(perMinute < 10 ? 1 : 0)} a minute`]),
    `${describeDuration(measuredSeconds * 1000)} measuring`,
  ].join(' · ');
}

/** `chief 0.71 · junior-1 12,300 tokens by subscription`; nothing where no model was asked. */
export const spenderWords = ({ night }: Report): string =>
  (night.spent?.agents ?? []).map(({ id, spent }) => `${visible(id)} ${costOf(spent)}`).join(' · ');

const costOf = (spent: Spent): string => (isBySubscription(spent) ? spentWords(spent) : costCell(spent));

function headingOf({ night }: Report): string {
  const { startedAt, endedAt } = night;
  const times =
    endedAt === undefined
      ? `since ${clockWord(startedAt)}`
      : `${clockWord(startedAt)} to ${clockWord(endedAt)} (${describeDuration((endedAt - startedAt) * 1000)})`;
  return `${visible(night.name)} · night of ${dayWord(startedAt)} · ${times} · ${stoppedWords(night)}`;
}

function resultLines(report: Report, look: Look): readonly string[] {
  const course = report.tried === 0 ? undefined : courseOf(report.night);
  const tried = report.tried === 0 ? 'nothing was tried' : `${report.tried} tried: ${tallyOfNight(report)}`;
  return [
    ...section('RESULT', resultWords(report).join(' · '), look),
    ...hanging('         ', tried, look.columns),
    ...(course === undefined
      ? []
      : formatPlot(course, { ...look, columns: look.columns - 2, edge: look.edge - 2 }).map((line) => `  ${line}`)),
  ];
}

/** `5 won, 3 taken, 53 discarded`; Markdown says it in the same words. */
export const tallyOfNight = ({ tally, waiting, again, taken }: Report): string =>
  tallyWords(tally, { waiting, again, taken: taken.length });

const section = (name: string, words: string, { columns, paint }: Look): readonly string[] =>
  hanging(`${name}   `, words, columns, (heading) => `${paint.bold(name)}${heading.slice(name.length)}`);

const mostTaken = 8;

/** What best moved to: the changes that gained most, in the order in which they came; then what was replaced, and what was left out. */
function takenSection(report: Report, look: Look): readonly string[] {
  const { taken, replaced, night } = report;
  const left = leftWords(report);
  if (taken.length === 0 && replaced.length === 0 && left === '') return [];
  const shown = largestGains(taken, night.direction, mostTaken);
  const gone = largestGains(replaced, night.direction, mostTaken);
  const rest = taken.length - shown.length;
  const wide = Math.max(0, ...[...shown, ...gone].map((row) => scoresOf(row).length));
  return [
    '',
    `${look.paint.bold('TAKEN')}${taken.length === 0 ? '   nothing' : ''}`,
    ...shown.map((row) => takenLine(row, wide, look)),
    ...(rest === 0 ? [] : [`  ${rest} more, smaller: ${look.typed('orgrepo log --taken')}`]),
    ...gone.map((row) => look.paint.dim(takenLine(row, wide, look))),
    ...hanging('  ', left, look.columns),
  ];
}

/** `9.200 -> 8.100`: the score of best before it and with it. */
const scoresOf = ({ before, score }: TakenWin): string => `${scoreWord(before)} -> ${scoreWord(score)}`;

function takenLine(row: TakenWin, wide: number, look: Look): string {
  const { n, before, score, agent, commit, replacedBy } = row;
  const start = `  ${fit(`#${n}`, 6)} ${fitRight(scoresOf(row), wide)} ${fitRight(changeWord(before, score), 8)}  `;
  const by = `${pad(cut(visible(agent), mostOf(look, 10)), 10)} ${shortCommit(commit)}`;
  const end = replacedBy === undefined ? `  ${by}` : `  replaced by #${replacedBy}`;
  const room = Math.max(10, look.columns - widthOf(start) - widthOf(end));
  return cut(`${start}${pad(cut(wonWords(row), mostOf(look, room)), room)}${end}`, look.edge);
}

/** The title of the win; its own number where it came to best under another. */
export const wonWords = ({ n, won }: TakenWin): string =>
  `${visible(won.title)}${won.n === n ? '' : ` (won as #${won.n})`}`;

/** `won and not on best: #5 #8 (its merge was worse), #9 (best is better)`; nothing where all are on best. */
export function leftWords({ left }: Report): string {
  const reasons = [...new Set(left.map(({ why }) => why))];
  const parts = reasons.map(
    (why) => `${citations(left.filter((one) => one.why === why).map(({ n }) => n))} (${whyWords[why]})`,
  );
  return parts.length === 0 ? '' : `won and not on best: ${parts.join(', ')}`;
}

function learnedLines({ learned }: Report, columns: number): readonly string[] {
  if (learned.length === 0) return ['  nothing yet that the counts support'];
  return learned.flatMap((lesson) => hanging(`  ${lesson.sign} `, lessonWords(lesson), columns));
}

/** The words and what to type on one line where they fit, else below each other. */
function actions(steps: readonly NeedsYou[], sign: string, { columns, typed }: Look): readonly string[] {
  const rows = steps.map(({ what, command }) => ({ words: visible(what), typed: typed(visible(command)) }));
  const fits = ({ words, typed }: (typeof rows)[number]): boolean => widthOf(words) + widthOf(typed) + 7 <= columns;
  const widest = Math.max(0, ...rows.filter(fits).map(({ words }) => widthOf(words)));
  return rows.flatMap((row) => {
    const padded = `  ${sign} ${fit(row.words, widest)}   ${row.typed}`;
    if (fits(row)) return [widthOf(padded) <= columns ? padded : `  ${sign} ${row.words}   ${row.typed}`];
    return [...hanging(`  ${sign} `, row.words, columns), `      ${row.typed}`];
  });
}

/** The taken wins that gained most, in the order in which they came. */
export function largestGains(taken: readonly TakenWin[], direction: Direction, most: number): readonly TakenWin[] {
  const gain = ({ score, before }: TakenWin): number =>
    score === undefined || before === undefined ? 0 : gainOver(score, before, direction);
  return [...taken]
    .sort((a, b) => gain(b) - gain(a))
    .slice(0, most)
    .sort((a, b) => a.n - b.n);
}
