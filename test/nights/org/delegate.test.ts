import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg, claimOf, onQueue } from '../../support/chart.ts';
import { runNight, trailers } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';

/** What is in nobody's field is for the top of the chart to share out: a model is asked, and where it says nothing the rule decides. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const given = (to: string, reason = 'IT KNOWS THE PAGES') => call('delegate', { to, reason });

/** The first worker by the rule is backend-worker. */
const workers = `#### Backend Worker
- **Domain:** backend
- **Level:** 3

#### Frontend Worker
- **Domain:** frontend
- **Level:** 3
`;
const underModel = `### Lead\n- **Level:** 7\n- **Model:** scripted:models/boss.json\n\n${workers}`;

interface Asked {
  readonly turns: readonly object[];
  readonly when?: readonly string[];
  readonly structure?: string;
  readonly keys?: Readonly<Record<string, string>>;
  readonly policies?: string;
}

function orgWith({ turns, when = [], structure = underModel, keys = {}, policies }: Asked): TestOrg {
  const conversations = [
    { when: ['# Agents that you may give it to', ...when], turns },
    { turns: [call('finish', { title: 'no specs', notes: 'people write them' })] },
  ];
  const org = chartedOrg({
    structure,
    ...(policies === undefined ? {} : { policies }),
    specs: {
      '0001': 'title: bring the numbers down\nby: people',
      '0002': 'title: bring them further down\nby: people',
      '0003': 'title: and further\nby: people',
    },
    keys: { budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 1, patience: 1000 }', ...keys },
    files: { 'models/boss.json': JSON.stringify({ conversations }) },
  });
  return org;
}

const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};
const ofDelegation = (org: TestOrg, key: string): string[] =>
  trailers(org, key, '--grep=^delegate: 0001 ', 'orgrepo/queue');
/** What was paid for, call by call. */
const calls = (org: TestOrg, attempt: string): number =>
  trailers(org, 'Attempt', '--grep=^Org-Event: reserve', '--glob=refs/orgrepo/spend/*').filter((one) => one === attempt)
    .length;

test('the model at the top says who works it; its words are the commit’s reason, and what it cost is on the book', async () => {
  const org = orgWith({
    turns: [call('list', {}), given('frontend-worker')],
    when: ['bring the numbers down', 'backend-worker: its field is backend; 0 open specs; trust 30, on probation'],
  });
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  const delegated = onQueue(org, 'delegate').filter((line) => line.includes(' 0001 '));
  assert.deepEqual(delegated, ['lead|delegate: 0001 to frontend-worker|IT KNOWS THE PAGES'], night.stdout);
  const claim = claimOf(org, '0001');
  assert.deepEqual([claim.Agent, claim.Reason], ['frontend-worker', 'delegated by lead: IT KNOWS THE PAGES']);
  assert.deepEqual(ofDelegation(org, 'Model'), ['scripted:models/boss.json']);
  assert.ok(Number(ofDelegation(org, 'Tokens-In')[0]) > 0);
  assert.equal(calls(org, '0001.lead-0'), 2, 'it was asked once, and took two turns');
  const paid = night.facts.filter(({ fact, agent }) => fact === 'spent' && agent === 'lead');
  assert.ok(paid.length >= 2 && paid.every((one) => Number(one.tokens_in) > 0), night.stdout);
  await holds(org);
});

test('a name that nobody has may be put right twice; then, and without an answer, the rule decides and says so', async () => {
  const repaired = orgWith({ turns: [given('the-moon'), given('lead'), given('frontend-worker')] });
  await runNight(repaired, '--max', '1');
  assert.equal(onQueue(repaired, 'delegate')[0]?.split('|')[1], 'delegate: 0001 to frontend-worker');
  await holds(repaired);

  for (const [turns, why] of [
    [[given('the-moon'), given('the-sun'), given('the-sea')], /the spec may not be given to the-sea/],
    [[{ text: 'Give it to frontend-worker.' }], /it gave no answer/],
    [[given('frontend-worker', ''), given('frontend-worker', ' '), given('frontend-worker', '')], /it gave no reason/],
  ] as const) {
    const org = orgWith({ turns });
    const night = await runNight(org, '--max', '3');
    assert.equal(night.code, 0, night.stderr);
    const [first = '', ...others] = onQueue(org, 'delegate').filter((line) => line.includes(' 0001 '));
    assert.match(first, /^lead\|delegate: 0001 to backend-worker\|/);
    assert.match(first, /lead was asked, and the rule decides: .*; backend-worker is idle and trusted most \(30\)$/);
    assert.match(first, why);
    assert.deepEqual(others, []);
    assert.ok(Number(ofDelegation(org, 'Tokens-In')[0]) > 0, 'what it cost is written down all the same');
    assert.equal(calls(org, '0001.lead-0'), turns.length, 'and it was asked once');
    await holds(org);
  }
});

test('a cap that stands against asking leaves it to the rule, and the night goes on', async () => {
  const org = orgWith({
    turns: [given('frontend-worker')],
    keys: { caps: '{ agent: { tokens_in: 200, tokens_out: 200 } }' },
  });
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  assert.ok(night.experiments.length >= 3, night.stdout);
  const [first = ''] = onQueue(org, 'delegate');
  assert.match(first, /^lead\|delegate: 0001 to backend-worker\|.*lead was asked, and the rule decides: /);
  assert.equal(claimOf(org, '0001').Agent, 'backend-worker');
  await holds(org);
});

test('who may not delegate, is paused or is a search is not asked', async () => {
  const refused = orgWith({
    turns: [given('frontend-worker')],
    policies: '### Permissions\n- **L9+ can delegate**\n',
  });
  await runNight(refused, '--max', '1');
  assert.match(onQueue(refused, 'delegate')[0] ?? '', /^orgrepo\|delegate: 0001 to backend-worker\|/);
  assert.equal(calls(refused, '0001.lead-0'), 0);

  const paused = orgWith({ turns: [given('frontend-worker')] });
  assert.equal((await paused.orgrepo('pause', 'lead')).code, 0);
  const night = await runNight(paused, '--max', '1');
  assert.equal(night.code, 0, night.stderr);
  assert.match(onQueue(paused, 'delegate')[0] ?? '', /^lead\|delegate: 0001 to backend-worker\|/);
  assert.equal(calls(paused, '0001.lead-0'), 0);

  const search = orgWith({
    turns: [given('frontend-worker')],
    structure: underModel.replace('- **Model:** scripted:models/boss.json\n', ''),
  });
  await runNight(search, '--max', '1');
  assert.match(onQueue(search, 'delegate')[0] ?? '', /to backend-worker\|.*idle and trusted most \(30\)$/);
  for (const org of [refused, paused, search]) await holds(org);
});

test('the lead of the department that a spec names is asked too', async () => {
  const structure = `### Head
- **Level:** 9

### Web

#### Web Lead
- **Level:** 7
- **Model:** scripted:models/boss.json

${workers.replaceAll('####', '#####')}`;
  const org = orgWith({ turns: [given('frontend-worker')], structure });
  org.write('specs/0001-one.md', '---\nid: "0001"\ntitle: look\nby: people\ndomain: web\n---\nx\n');
  org.commit('for the web');
  const night = await runNight(org, '--max', '1');
  assert.equal(
    onQueue(org, 'delegate')[0],
    'web-lead|delegate: 0001 to frontend-worker|IT KNOWS THE PAGES',
    night.stdout,
  );
  await holds(org);
});
