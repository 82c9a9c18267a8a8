import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HealthFacts, healthJson, healthOf, healthWords } from '../../src/report/advice/health-score.ts';
import type { Recommendation } from '../../src/report/advice/recommend.ts';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { formatReportMarkdown } from '../../src/report/pages/report-markdown.ts';
import { buildReport, reportJson } from '../../src/report/pages/report-page.ts';
import { formatReport } from '../../src/report/pages/report-text.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { night } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';
import { taskOf } from '../support/tasks.ts';

const facts: HealthFacts = {
  tasks: Array.from({ length: 10 }, (_, index) =>
    taskOf('junior-1', [index < 8 ? 'keep' : 'failed'], { spec: `${1000 + index}`, claimedAt: 0, endedAt: 1000 }),
  ),
  shifts: [],
  cycleSeconds: 900,
  budget: undefined,
  now: 2000,
};
const health = healthOf(facts);

const recommendation: Recommendation = {
  ...{ id: 'R1', severity: 'optimisation', key: 'idea avoid nearly full bins', specs: ['0004'] },
  what: '"avoid nearly full bins" never helped',
  evidence: '0 of 7 tries won: #4, #6',
  advice: 'Say in program.md that it was tried.',
  edit: { kind: 'brief-line', text: 'Already tried 7 times without a gain: avoid nearly full bins.' },
};

const told: NightStory = { ...night, health, isCharted: true, recommendations: [recommendation] };

test('health is one line of all its parts, and what is not known says so', () => {
  assert.equal(
    healthWords(health),
    '73 of 100, healthy: ack 10/10, escalation 10/10, completion 5/10, budget unknown, idle unknown, pace 5/10',
  );
  assert.equal(
    healthWords(healthOf({ ...facts, tasks: facts.tasks.slice(0, 4) })),
    'no score while only 0 of 100 is known: ack unknown, escalation unknown, completion unknown, budget unknown, idle unknown, pace unknown',
  );
});

test('health as JSON leaves out what is not known', () => {
  const json = printed(healthJson(health)) as { components: readonly Record<string, unknown>[] };
  assert.deepEqual(
    { ...json, components: json.components.slice(2, 4) },
    {
      ...{ score: 73, band: 'healthy', known: 75 },
      components: [
        { name: 'completion rate', weight: 25, words: '8 of 10 specs, 80%', score: 50, value: 0.8 },
        { name: 'budget utilisation', weight: 15, words: 'unknown: no cap on a period' },
      ],
    },
  );
  assert.equal('score' in printed(healthJson(healthOf({ ...facts, tasks: [] }))), false);
});

test('the report tells health after spending, and first of all to do what is recommended', () => {
  const text = formatReport(buildReport(told), plain(100));
  const from = text.indexOf('HEALTH');
  assert.equal(
    text.slice(from, text.indexOf('look at the last change')),
    `HEALTH   73 of 100, healthy · ack latency 0.111 cycles in the middle of 10 claims · escalation rate
         0 of 10 specs, 0% · completion rate 8 of 10 specs, 80% · budget utilisation unknown: no cap
         on a period · idle rate unknown: fewer than 5 cycles of anybody's time · time to completion
         1000 s in the middle lately, 1000 s before

NEXT
    R1 optimisation: "avoid nearly full bins" never helped (0 of 7 tries won: #4, #6). Say in
    program.md that it was tried.
      orgrepo apply --recommendation R1
    `,
  );
  for (const columns of [40, 80, 100]) assertFits(formatReport(buildReport(told), plain(columns)), columns);
  assertAscii(formatReport(buildReport(told), ascii(100)));
});

test('without an ORG.md health is in JSON alone', () => {
  const report = buildReport({ ...told, isCharted: false });
  assert.doesNotMatch(formatReport(report, plain(100)), /HEALTH/);
  assert.doesNotMatch(formatReportMarkdown(report), /Health/);
  assert.deepEqual((printed(reportJson(report)) as { health: unknown }).health, printed(healthJson(health)));
});

test('Markdown and JSON say the same', () => {
  const page = formatReportMarkdown(buildReport(told));
  assert.match(page, /\n## Health\n\n73 of 100, healthy\.\n\n\| part \| score \| weight \| found \|\n/);
  assert.match(page, /\n\| completion rate \| 50 \| 25 \| 8 of 10 specs, 80% \|\n/);
  assert.match(page, /\n## Next\n\n- R1 optimisation: .*: `orgrepo apply --recommendation R1`\n/);
  const json = printed(reportJson(buildReport(told))) as { next: readonly Record<string, unknown>[]; health: unknown };
  assert.deepEqual(json.health, printed(healthJson(health)));
  assert.deepEqual(
    [json.next[0]?.id, json.next[0]?.key, json.next[0]?.edit],
    ['R1', recommendation.key, recommendation.edit],
  );
  assert.equal('health' in printed(reportJson(buildReport(night))), false);
});
