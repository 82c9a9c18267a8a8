import type { NeedsYou } from '../../domain/rules/request.ts';
import { codeSpan, escapeMarkdown, tableRow } from '../../terminal/markdown.ts';
import { isoTime } from '../../terminal/times.ts';
import { describeDuration } from '../../text/duration.ts';
import type { Health } from '../advice/health-score.ts';
import { changeWord, scoreWord, shortCommit } from '../words/numbers.ts';
import { largestGains } from './gains.ts';
import { healthInFull, recommendedStep } from './health-words.ts';
import { lessonWords } from './learned.ts';
import { type Report, stoppedWords } from './report-page.ts';
import { leftWords, resultWords, spenderWords, spendWords, tallyOfNight, wonWords } from './report-text.ts';

/** reports/<date>.md, with progress.svg beside it. The times are UTC, because anybody may read it anywhere. */
export function formatReportMarkdown(report: Report): string {
  const { night } = report;
  const blocks = [
    `# ${escapeMarkdown(night.name)}: night of ${escapeMarkdown(night.run)}`,
    `${timesWords(report)}. ${sentence(escapeMarkdown(stoppedWords(night)))}`,
    '## Needs you',
    report.needsYou.length === 0 ? 'Nothing.' : actionList(report.needsYou),
    '## Result',
    resultWords(report)
      .map((words) => `- ${escapeMarkdown(words)}`)
      .join('\n'),
    report.tried === 0 ? 'Nothing was tried.' : `${report.tried} tried: ${tallyOfNight(report)}.`,
    '![progress](progress.svg)',
    '## Taken',
    report.taken.length === 0 ? 'Nothing was taken.' : takenTable(report),
    ...(report.replaced.length === 0 ? [] : [replacedList(report)]),
    ...(leftWords(report) === '' ? [] : [`${sentence(escapeMarkdown(leftWords(report)))}`]),
    '## Learned',
    report.learned.length === 0 ? 'Nothing yet that the counts support.' : learnedList(report),
    '## Spend',
    sentence(escapeMarkdown(spendWords(report))),
    ...(spenderWords(report) === '' ? [] : [`In dollars: ${escapeMarkdown(spenderWords(report))}`]),
    ...(night.health === undefined ? [] : ['## Health', healthTable(night.health)]),
    '## Next',
    actionList([...report.recommended.map(recommendedStep), ...report.next]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function timesWords({ night: { startedAt, endedAt } }: Report): string {
  const from = isoTime(Math.floor(startedAt));
  if (endedAt === undefined) return `Since ${from}`;
  return `${from} to ${isoTime(Math.floor(endedAt))}, ${describeDuration((endedAt - startedAt) * 1000)}`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const actionList = (steps: readonly NeedsYou[]): string =>
  steps.map(({ what, command }) => `- ${escapeMarkdown(what)}: ${codeSpan(command)}`).join('\n');

const mostTaken = 50;

function takenTable({ taken, night }: Report): string {
  const shown = largestGains(taken, night.direction, mostTaken);
  const specs = new Map(night.experiments.map(({ n, spec }) => [n, spec]));
  const rows = shown.map((row) =>
    tableRow([
      String(row.n),
      scoreWord(row.before),
      scoreWord(row.score),
      changeWord(row.before, row.score),
      escapeMarkdown(wonWords(row), 120),
      escapeMarkdown(row.agent, 40),
      escapeMarkdown(specs.get(row.n) ?? '', 20),
      codeSpan(shortCommit(row.commit)),
    ]),
  );
  const head = [
    '#',
    `${escapeMarkdown(night.metric, 40)} before`,
    'after',
    'change',
    'what',
    'agent',
    'spec',
    'commit',
  ];
  const table = [tableRow(head), '| ---: | ---: | ---: | ---: | --- | --- | --- | --- |', ...rows].join('\n');
  const rest = taken.length - shown.length;
  return rest === 0 ? table : `${table}\n\n${rest} more, smaller: ${codeSpan('orgrepo log --taken')}`;
}

/** What was on best and is not any more. */
const replacedList = ({ replaced, night }: Report): string =>
  largestGains(replaced, night.direction, mostTaken)
    .map((row) => `- ${escapeMarkdown(`${wonWords(row)} (#${row.n}): replaced by #${row.replacedBy}`, 160)}`)
    .join('\n');

function healthTable(health: Health): string {
  const rows = health.components.map(({ name, score, weight, words }) =>
    tableRow([name, score === undefined ? '' : String(Math.round(score)), String(weight), escapeMarkdown(words)]),
  );
  const head = [tableRow(['part', 'score', 'weight', 'found']), '| --- | ---: | ---: | --- |'];
  return `${sentence(healthInFull(health)[0] ?? '')}\n\n${[...head, ...rows].join('\n')}`;
}

const learnedList = ({ learned }: Report): string =>
  learned.map((lesson) => `- ${lessonSigns[lesson.sign]}: ${escapeMarkdown(lessonWords(lesson))}`).join('\n');

const lessonSigns = { '+': 'Helped', '-': 'No gain', '?': 'Open' } as const;
