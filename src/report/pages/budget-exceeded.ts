import type { CapReached, Spender } from '../../domain/words/spent.ts';
import { codeSpan, escapeMarkdown, tableRow } from '../../terminal/markdown.ts';
import { isoTime } from '../../terminal/times.ts';
import type { NightStory } from '../facts/overview.ts';
import { costCell, spentWords, tokenWords } from '../words/money.ts';
import { countOf } from '../words/numbers.ts';

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
          `Set aside and never settled, because somebody was killed while a model answered: ${spentWords(spent.held)}, ${tokenWords(spent.held)}. It counts like the rest.`,
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
  const rows = spenders.map(({ agent, model, calls, spent }) =>
    tableRow([
      escapeMarkdown(agent, 40),
      escapeMarkdown(model, 80),
      String(calls),
      costCell(spent),
      String(spent.tokensIn),
      String(spent.tokensOut),
    ]),
  );
  const head = tableRow(['agent', 'model', 'calls', '$', 'tokens in', 'tokens out']);
  return [head, '| --- | --- | ---: | ---: | ---: | ---: |', ...rows].join('\n');
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
  return `Raise the cap in ${codeSpan(where)} and commit it, then ${codeSpan('npx orgrepo run')}: it goes on from here.${wait}`;
}
