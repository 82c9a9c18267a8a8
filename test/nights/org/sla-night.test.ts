import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg, onQueue } from '../../support/chart.ts';
import { forge, verify } from '../../support/forge.ts';
import { factsIn, runNight, scriptAgent, startNight, trailers } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** What the policies promise to clients is kept, or said up the chart. */

const agency = `### Client SLA

- Critical tasks: response within 1 cycle
- Normal tasks: completion within 10 cycles
- All tasks: progress update every 2 cycles
`;

function promising(agent: string, budget: string, specs: Readonly<Record<string, string>>): TestOrg {
  const org = chartedOrg({
    structure: '### Lead\n- **Level:** 7\n\n#### Worker\n- **Level:** 3\n',
    culture: '- **Progress updates:** on request\n- **Escalation:** delayed',
    policies: agency,
    specs,
    keys: { agent, budget, chief: '{ agent: human }' },
  });
  return org;
}

const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('where all is in time nothing is said, and progress is told as promised although the culture wants none', async () => {
  const agent = scriptAgent([8, 7, 6, 5].map((n) => `sed -i "s/first .*/first ${n}/" sandbox/numbers.txt; echo ${n}`));
  const org = promising(agent.brief, '{ experiment: 60s, agent: 60s, night: 1h, attempts: 4, patience: 1000 }', {
    '0001': 'title: bring the numbers down\nby: people\npriority: critical',
  });
  const night = await runNight(org, '--max', '4');
  assert.equal(night.code, 0, night.stderr);
  assert.deepEqual(onQueue(org, 'escalate'), []);
  assert.deepEqual(trailers(org, 'Experiment', '--grep=^progress: ', 'orgrepo/queue'), ['2', '4']);
  assert.doesNotMatch((await org.orgrepo('status')).stdout, /SLA/);
  await holds(org);
});

test('a critical spec that nobody has claimed within a cycle is said to the manager once, and told to people', async () => {
  // Whoever could take it is busy for longer than a cycle of four seconds.
  const agent = scriptAgent(
    Array.from({ length: 12 }, (_, n) => `sleep 0.6; echo "x ${n}" > sandbox/notes.txt; echo ${n}`),
  );
  const org = promising(agent.brief, '{ experiment: 2s, agent: 2s, night: 1h, attempts: 12, patience: 1000 }', {
    '0001': 'title: bring the numbers down\nby: people\npriority: low',
  });
  const night = startNight(org, 'run', '--json', '--max', '12');
  await until('it is busy', () => factsIn(night.said()).some(({ fact }) => fact === 'claim'), 60_000);
  assert.equal((await org.orgrepo('submit', 'the page is down', '--priority', 'critical')).code, 0);
  await night.ended;
  const told = onQueue(org, 'escalate').filter((line) => line.includes('with 0002'));
  assert.deepEqual(told, ['worker|escalate: E1 TIMEOUT, worker with 0002|TIMEOUT'], night.said());
  const raised = org.git('log', '--grep=^escalate: E1', '--format=%B', 'orgrepo/queue');
  assert.match(
    raised,
    /Client SLA: critical tasks, response within 1 cycle \(ORG\.md:\d+\): nobody has claimed it for [0-9.]+ cycles/,
  );
  assert.match(raised, /Org-To: lead\n/);
  assert.match(raised, /Org-Rule: Client SLA: critical tasks, response within 1 cycle\n/);
  const needs = JSON.parse((await org.orgrepo('status', '--json')).stdout) as { needs_you: { what: string }[] };
  const own = needs.needs_you.filter(({ what }) => what.startsWith('E1: 0002 breaks Client SLA'));
  assert.equal(own.length, 1, JSON.stringify(needs.needs_you));
  assert.match((await org.orgrepo('report')).stdout, /E1: 0002 breaks Client SLA/);
  await holds(org);

  assert.equal((await org.orgrepo('deny', 'E1', '--reason', 'the client knows')).code, 0);
  assert.doesNotMatch((await org.orgrepo('status')).stdout, /breaks Client SLA: critical/);
  await runNight(org, '--max', '1');
  assert.equal(onQueue(org, 'escalate').filter((line) => line.includes('E1 ')).length, 1);
  await holds(org);

  const again = 'Org-Spec: 0002\nOrg-Escalation: E99\nOrg-Rule: Client SLA: critical tasks, response within 1 cycle\n';
  forge(org, 'refs/heads/orgrepo/queue', (text) => {
    const bare = text.replace(/^Org-(Spec|Rule|Escalation): .*\n/gm, '');
    return `${bare.replace(/^Org-Event: .*$/m, 'Org-Event: escalate')}${again}`;
  });
  assert.equal(
    (await verify(org)).findings.some(({ what }) => what === 'one broken promise is reported twice for a spec'),
    true,
  );
});
