import type { NeedsYou } from '../../domain/rules/request.ts';
import type { CapReached, Spender } from '../../domain/words/spent.ts';
import { codeSpan, escapeMarkdown, isoTime, tableRow } from '../../terminal/visible.ts';
import { describeDuration } from '../../text/quantity.ts';
import { type Health, healthInFull } from '../advice/health-score.ts';
import type { NightStory } from '../facts/overview.ts';
import {
  changeWord,
  costCell,
  countOf,
  reservedWords,
  scoreWord,
  shortCommit,
  spentWords,
  tokenWords,
} from '../words/numbers.ts';
import { lessonWords } from './learned.ts';
import { type Report, stepsAfter, stoppedWords } from './report-page.ts';
import {
  largestGains,
  leftWords,
  resultWords,
  spenderWords,
  spendWords,
  tallyOfNight,
  wonWords,
} from './report-text.ts';

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
    ...(night.health === undefined || night.isCharted !== true ? [] : ['## Health', healthTable(night.health)]),
    '## Next',
    actionList(stepsAfter(report)),
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
  const rows = shown.map((row) => [
    String(row.n),
    scoreWord(row.before),
    scoreWord(row.score),
    changeWord(row.before, row.score),
    escapeMarkdown(wonWords(row), 120),
    escapeMarkdown(row.agent, 40),
    escapeMarkdown(specs.get(row.n) ?? '', 20),
    codeSpan(shortCommit(row.commit)),
  ]);
  const before = `${escapeMarkdown(night.metric, 40)} before`;
  const table = tableOf(['#>', `${before}>`, 'after>', 'change>', 'what', 'agent', 'spec', 'commit'], rows);
  const rest = taken.length - shown.length;
  return rest === 0 ? table : `${table}\n\n${rest} more, smaller: ${codeSpan('orgrepo log --taken')}`;
}

/** A column whose name ends in `>` is of numbers, aligned to the right. */
function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((name) => name.replace(/>$/, ''));
  const sides = columns.map((name) => (name.endsWith('>') ? '---:' : '---'));
  return [head, sides, ...rows].map(tableRow).join('\n');
}

/** What was on best and is not any more. */
const replacedList = ({ replaced, night }: Report): string =>
  largestGains(replaced, night.direction, mostTaken)
    .map((row) => `- ${escapeMarkdown(`${wonWords(row)} (#${row.n}): replaced by #${row.replacedBy}`, 160)}`)
    .join('\n');

function healthTable(health: Health): string {
  const rows = health.components.map(({ name, score, weight, words }) => [
    name,
    score === undefined ? '' : String(Math.round(score)),
    String(weight),
    escapeMarkdown(words),
  ]);
  return `${sentence(healthInFull(health)[0] ?? '')}\n\n${tableOf(['part', 'score>', 'weight>', 'found'], rows)}`;
}

const learnedList = ({ learned }: Report): string =>
  learned.map((lesson) => `- ${lessonSigns[lesson.sign]}: ${escapeMarkdown(lessonWords(lesson))}`).join('\n');

const lessonSigns = { '+': 'Helped', '-': 'No gain', '?': 'Open' } as const;

/** reports/errors/budget-exceeded.md: which cap ended the night, who spent what, what is left to do, and what a person can do. */
export function formatBudgetExceeded(night: NightStory, cap: CapReached): string {
  const { spent, usdCap } = night;
  const blocks = [
    `# Budget exceeded: night of ${escapeMarkdown(night.run)}`,
    `${isoTime(Math.floor(cap.at))}, ${escapeMarkdown(cap.by)}: ${escapeMarkdown(cap.reason)}. The night ended there, cleanly; no cap was passed.`,
    '## Spent',
    ...(spent === undefined ? [] : [`This night ${spentWords(spent.total, usdCap)}, ${tokenWords(spent.total)}.`]),
    ...(spent?.held === undefined
      ? []
      : [
          `And ${reservedWords(spent.held)} (${tokenWords(spent.held)}), because an agent was ended while a model answered and nobody knows what was used. It counts against the caps like the rest.`,
        ]),
    cap.spenders.length === 0 ? 'Nothing: the first call was too dear.' : spendersTable(cap.spenders),
    '## Left undone',
    cap.open.length === 0 ? 'No spec is open.' : openList(cap.open),
    '## What to do',
    adviceFor(cap),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function spendersTable(spenders: readonly Spender[]): string {
  const rows = spenders.map(({ agent, model, calls, spent, reserved }) => [
    escapeMarkdown(agent, 40),
    escapeMarkdown(model, 80),
    String(calls),
    costCell(spent),
    String(spent.tokensIn),
    String(spent.tokensOut),
    reserved === undefined ? '' : reservedWords(reserved),
  ]);
  return tableOf(['agent', 'model', 'calls>', '$>', 'tokens in>', 'tokens out>', 'not known'], rows);
}

const mostOpen = 50;

function openList(open: CapReached['open']): string {
  const rest = open.length - mostOpen;
  const lines = open
    .slice(0, mostOpen)
    .map(({ id, title }) => `- ${escapeMarkdown(id, 20)} ${escapeMarkdown(title, 120)}`);
  return [...lines, ...(rest > 0 ? [`- ${countOf(rest, 'more spec')}`] : [])].join('\n');
}

function adviceFor({ scope, place }: CapReached): string {
  const where = place === undefined ? 'the brief' : `${place.file}, line ${place.line}`;
  const wait = {
    day: ' Or wait: with the next day (UTC) it begins anew.',
    night: ' Or start another night: it begins anew with each.',
    agent: ' Or start another night: it begins anew with each.',
    spec: '',
    attempt: '',
    call: ' A question is set aside with as many tokens as it has bytes, so a small cap refuses long ones.',
  }[scope];
  return `Raise the cap in ${codeSpan(where)} and commit it, then ${codeSpan('orgrepo run')}: it goes on from here.${wait}`;
}
