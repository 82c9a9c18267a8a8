import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg, onQueue } from '../../support/chart.ts';
import { factsIn, runNight, startNight } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** `08:00` of UTC, so many hours from now. */
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

function orgOpen(from: number, to: number, specs: Readonly<Record<string, string>>): TestOrg {
  const hours = [
    '### Working Hours',
    `- **Active hours:** ${inHours(from)}-${inHours(to)} (UTC)`,
    '- **Exceptions:** critical priority tasks process 24/7',
  ].join('\n');
  const org = chartedOrg({ policies: hours, specs });
  return org;
}

test('outside of the working hours nothing is begun, which is one commit, until a person ends the night', async () => {
  const org = orgOpen(3, 5, { '0001': 'title: speed the backend up\nby: people' });
  const opens = inHours(3);
  const run = startNight(org, 'run', '--json');
  await until('it says so', () => run.said().includes('nothing is begun'), 60_000);
  assert.equal((await org.orgrepo('stop')).code, 0);
  assert.equal((await run.ended).code, 0);
  const facts = factsIn(run.said());
  assert.deepEqual(
    facts.filter(({ experiment }) => experiment !== undefined),
    [],
  );
  const [closed = '', ...more] = onQueue(org, 'closed');
  assert.deepEqual(more, []);
  assert.match(
    closed,
    new RegExp(`^orgrepo\\|closed: nothing is begun until ${opens}\\|outside of the working hours ${opens}-`),
  );
  const said = facts.filter(({ fact, message }) => fact === 'warning' && /nothing is begun/.test(String(message)));
  assert.equal(said.length, 1);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo/work'), '');
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout) as { agents: { held?: string }[] };
  for (const { held = '' } of status.agents)
    assert.match(held, new RegExp(`^outside of the working hours ${opens}-.*, until ${opens}$`));
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('what people call critical is worked outside of them, and what an agent calls so is not', async () => {
  const org = orgOpen(3, 5, {
    '0001': 'title: speed the backend up\nby: people\npriority: high',
    '0002': 'title: the backend is down\nby: people\npriority: critical',
    '0003': 'title: the backend may be down\nby: lead\npriority: critical',
  });
  const night = await runNight(org, '--max', '2');
  assert.deepEqual(new Set(night.experiments.map(({ spec }) => spec)), new Set(['0002']));
  assert.equal(onQueue(org, 'closed').length, 1);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('inside of them the org works', async () => {
  const org = orgOpen(-2, 3, { '0001': 'title: speed the backend up\nby: people' });
  assert.equal((await runNight(org, '--max', '1')).experiments.length, 1);
  assert.deepEqual(onQueue(org, 'closed'), []);
});
