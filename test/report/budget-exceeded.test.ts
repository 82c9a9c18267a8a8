import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapReached } from '../../src/domain/words/spent.ts';
import { formatBudgetExceeded } from '../../src/report/pages/report-markdown.ts';
import { buildReport, reportJson } from '../../src/report/pages/report-page.ts';
import { formatReport } from '../../src/report/pages/report-text.ts';
import { plain } from '../support/look.ts';
import { began, night } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';

const cost = (usd: number | undefined, tokensIn: number, tokensOut: number) => ({
  usd,
  known: usd ?? 0,
  tokensIn,
  tokensOut,
  unpriced: usd === undefined ? tokensIn + tokensOut : 0,
  subscription: 0,
});

const spent = {
  total: cost(3.98, 1_204_000, 88_100),
  held: cost(0.31, 9_000, 8_192),
  agents: [
    { id: 'chief', spent: cost(0.71, 1, 1) },
    { id: 'junior-1', spent: cost(undefined, 1_200, 30) },
  ],
};

const cap: CapReached = {
  scope: 'night',
  what: 'usd',
  by: 'junior-2',
  reason: 'a cap on money or tokens was reached: the cap of the night is 5 dollars',
  at: began,
  place: { file: 'program.md', line: 7, column: 3 },
  spenders: [
    {
      agent: 'junior-2',
      model: 'anthropic/claude-sonnet-4-5-20250929',
      calls: 41,
      spent: cost(3.27, 1_000_000, 80_000),
      reserved: cost(0.31, 9_000, 8_192),
    },
    { agent: 'junior-1', model: 'openai/odd|name`', calls: 2, spent: cost(undefined, 1_200, 30) },
  ],
  open: Array.from({ length: 52 }, (_, index) => ({ id: String(index + 1).padStart(4, '0'), title: '<b>look</b>' })),
};

test('the page about a cap says which, who, what is left and what to do', () => {
  const text = formatBudgetExceeded({ ...night, spent, usdCap: 5 }, cap);
  assert.match(text, /^# Budget exceeded: night of 2026-11-15\n\n2026-11-15T22:41:00Z, junior-2: a cap on money/);
  assert.match(text, /This night \$3\.98 of \$5\.00, 1,204,000 tokens in, 88,100 out\./);
  assert.match(
    text,
    /And up to \$0\.31 reserved \(9,000 tokens in, 8,192 out\), because an agent was ended while a model answered/,
  );
  assert.match(
    text,
    /\| junior-2 \| anthropic\/claude-sonnet-4-5-20250929 \| 41 \| 3\.27 \| 1000000 \| 80000 \| up to \$0\.31 reserved \|/,
  );
  assert.match(text, /\| 2 \| \? \| 1200 \| 30 \|/);
  assert.match(text, /- 2 more specs\n/);
  assert.doesNotMatch(text, /<b>/);
  assert.match(text, /Raise the cap in `program\.md, line 7` and commit it/);
});

test('the report says what a night cost, by agent and for a kept change, and what is unknown is not 0', () => {
  const report = buildReport({ ...night, agent: 'claude', models: true, spent, usdCap: 5 });
  const text = formatReport(report, plain(120));
  assert.match(text, /SPEND {3}\$3\.98 of \$5\.00 · 1,204,000 tokens in, 88,100 out · \$1\.33 per win/);
  assert.match(text, /\n {8}chief 0\.71 · junior-1 \?\n/);
  const { spend } = printed(reportJson(report)) as { spend: Record<string, unknown> };
  assert.deepEqual([spend.usd, spend.tokens_in, spend.usd_cap], [3.98, 1_204_000, 5]);
  assert.deepEqual(spend.agents, [
    { id: 'chief', usd: 0.71, tokens_in: 1, tokens_out: 1 },
    { id: 'junior-1', tokens_in: 1_200, tokens_out: 30, usd_known: 0, unpriced_tokens: 1_230 },
  ]);
  const silent = buildReport({ ...night, models: true });
  assert.match(formatReport(silent, plain(120)), /SPEND {3}no model was asked/);
  assert.equal('usd' in (printed(reportJson(silent)).spend as object), false);
});
