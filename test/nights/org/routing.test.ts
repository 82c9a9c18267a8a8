import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { type Chartered, chartedOrg, claimOf, onQueue } from '../../support/chart.ts';
import { type NightRan, runNight } from '../../support/night.ts';
import { briefText, quadratic, type TestOrg } from '../../support/org.ts';

const charted = (what: Chartered): TestOrg => {
  const org = chartedOrg(what);
  return org;
};
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a spec goes to whoever has its field, whatever order they ask in, and its claim says why', async () => {
  const org = charted({
    specs: {
      '0001': 'title: the page is slow\nby: people\ndomain: frontend\npriority: high',
      '0002': 'title: speed the backend up\nby: people',
    },
  });
  assert.equal((await runNight(org, '--max', '4')).code, 0);
  const [page, backend] = [claimOf(org, '0001'), claimOf(org, '0002')];
  assert.deepEqual(
    [page.Agent, page.Domain, page.Priority, page.Reason],
    ['frontend-worker', 'frontend', 'high', 'its domain is frontend; idle, the only one; trust 30, on probation'],
  );
  assert.deepEqual(
    [backend.Agent, backend.Domain, backend.Priority, backend.Reason],
    [
      'backend-worker',
      undefined,
      undefined,
      'domain backend is in its title; idle, the only one; trust 30, on probation',
    ],
  );
  await holds(org);
});

test('what is in nobody’s field is delegated by the top of the chart to an idle worker, as a commit', async () => {
  const org = charted({ specs: { '0001': 'title: bring the numbers down\nby: people' } });
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const [first = ''] = onQueue(org, 'delegate');
  assert.match(
    first,
    /^lead\|delegate: 0001 to (backend|frontend)-worker\|no domain of the chart is in its words: lead is at the top of the chart, and delegates it; (backend|frontend)-worker is idle and trusted most \(30\)$/,
  );
  assert.match(claimOf(org, '0001').Reason ?? '', /^delegated by lead: no domain/);
  await holds(org);
});

const oneAttempt = { budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }' };
const mixed = {
  '0001': 'title: backend one\nby: people',
  '0002': 'title: backend two\nby: people\npriority: low',
  '0003': 'title: backend three\nby: people\npriority: high',
  '0004': 'title: backend four\nby: chief\npriority: low',
  '0005': 'title: backend five\nby: people\npriority: critical',
};
const claimsOf = (night: NightRan): unknown[] =>
  night.facts.flatMap(({ fact, spec }) => (fact === 'claim' ? [spec] : []));

test('whoever warms up takes low priority before normal, what is urgent before both, and people’s specs before all others', async () => {
  const org = charted({
    structure: '### Backend Worker\n- **Domain:** backend\n',
    specs: mixed,
    keys: oneAttempt,
  });
  const night = await runNight(org, '--max', '4');
  assert.deepEqual(claimsOf(night).slice(0, 4), ['0005', '0003', '0002', '0001']);
});

test('in a new org a critical spec of a person is worked before what was delegated', async () => {
  const org = charted({
    specs: {
      '0001': 'title: bring the numbers down\nby: people',
      '0002': 'title: speed the backend up\nby: people\npriority: critical',
    },
    structure: '### Lead\n- **Level:** 7\n\n#### Backend Worker\n- **Domain:** backend\n- **Level:** 3\n',
    keys: oneAttempt,
  });
  assert.deepEqual(claimsOf(await runNight(org, '--max', '2')).slice(0, 2), ['0002', '0001']);
});

test('without a chart specs are worked by priority too, people’s first, then by number', async () => {
  const { 'specs/0001-first.md': _first, ...ground } = quadratic;
  const written = Object.entries({ ...mixed, '0006': 'title: backend six\nby: people' }).map(([id, lines]) => [
    `specs/${id}-one.md`,
    `---\nid: "${id}"\n${lines}\n---\nx\n`,
  ]);
  const org = anOrg({ ground: { ...ground, 'program.md': briefText(oneAttempt), ...Object.fromEntries(written) } });
  const night = await runNight(org, '--max', '6');
  assert.deepEqual(claimsOf(night).slice(0, 5), ['0005', '0003', '0001', '0006', '0002']);
});

test('a spec that a policy keeps from whoever is fit is delegated to somebody else', async () => {
  const org = charted({
    specs: { '0001': 'title: speed the backend up\nby: people' },
    files: {
      'policies/a.cedar': `permit (principal, action, resource);
@id("not-now") @message("backend-worker rests")
forbid (principal == Agent::"backend-worker", action == Action::"claim", resource);`,
    },
  });
  const night = await runNight(org, '--max', '8');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(claimOf(org, '0001').Agent, 'frontend-worker');
  const delegated = onQueue(org, 'delegate').find((line) => line.includes('0001')) ?? '';
  assert.match(delegated, /\|delegate: 0001 to frontend-worker\|a policy keeps backend-worker from it; /);
  await holds(org);
});

test('a spec whose only fit worker is paused waits for it, the others go on, and a person is told', async () => {
  const org = charted({ specs: { '0001': 'title: speed the backend up\nby: people' } });
  assert.equal((await org.orgrepo('pause', 'backend-worker', '--reason', 'vacation')).code, 0);
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo/work/0001'), '');
  assert.deepEqual(
    night.experiments.map(({ agent }) => agent),
    ['frontend-worker', 'frontend-worker', 'frontend-worker'],
  );
  const report = org.git('show', 'orgrepo/reports:reports/latest.md');
  assert.match(report, /0001 "speed the backend up" waits for backend-worker: Test Person paused agent backend-worker/);
  const told = async (): Promise<string> => (await org.orgrepo('status', '--json')).stdout;
  assert.match(await told(), /0001 \\"speed the backend up\\" waits for backend-worker/);
  assert.equal((await org.orgrepo('resume', 'backend-worker')).code, 0);
  assert.doesNotMatch(await told(), /waits for backend-worker/);
  await holds(org);
});

test('trust grows with what is kept, and status tells it', async () => {
  const org = charted({ structure: '### Backend Worker\n- **Domain:** backend\n' });
  await runNight(org, '--max', '12');
  const [agent] = JSON.parse((await org.orgrepo('status', '--json')).stdout).agents;
  assert.deepEqual([agent.id, agent.rank, agent.trust > 30], ['backend-worker', 'probation', true], `${agent.trust}`);
  assert.match((await org.orgrepo('status')).stdout, /kept {2}trust\n.* 3\d|4\d|5\d probation/);
});
