import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { chartedOrg } from '../support/chart.ts';
import { forge, verify } from '../support/forge.ts';
import { type NightRan, runNight, startNight } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

/** A night that ends over work which nobody may do says so, and whom it needs: exit 3. */

const everything = 'permit (principal, action, resource);\n';
const message = 'nothing is begun in November';
const none = (who = 'principal'): string =>
  `${everything}@id("november") @message("${message}") forbid (${who}, action == Action::"claim", resource);\n`;
const board = none().replace('@id', '@approval("board") @id');

function orgUnder(policies: string, keys: Readonly<Record<string, string>>, files = {}): TestOrg {
  const org = anOrg({
    brief: { chief: '{ agent: human }', ...keys },
    files: { 'policies/a.cedar': policies, ...files },
  });
  return org;
}

const lastWords = ({ facts }: NightRan): string => String(facts.find(({ fact }) => fact === 'run-stop')?.reason);
const needsYou = async (org: TestOrg): Promise<{ what: string; command: string }[]> =>
  JSON.parse((await org.orgrepo('status', '--json')).stdout).needs_you;
const reportOf = (org: TestOrg): string => org.git('show', 'orgrepo/reports:reports/latest.md');
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('where policies keep every spec from everybody the night ends with exit 3, and tells the decision and what to type', async () => {
  const org = orgUnder(none(), { juniors: '2' });
  const night = await runNight(org);
  assert.equal(night.code, 3, night.stderr);
  assert.match(
    lastWords(night),
    /^what is left needs a person: 0001 kept from everybody \(D\d: a policy is against it: nothing is begun in November\)$/,
  );
  const [need] = await needsYou(org);
  assert.match(
    need?.what ?? '',
    /^0001 "bring every .*" is kept from everybody \(D\d\): .*nothing is begun in November$/,
  );
  assert.match(need?.command ?? '', /^orgrepo replay D\d, then change policies\//);
  assert.match(reportOf(org), /0001 "bring every .*" is kept from everybody/);
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  await holds(org);
  const queue = org.git('rev-parse', 'orgrepo/queue').trim();
  forge(org, 'refs/heads/orgrepo/queue', (text) => text.replace(/^0001 D\d /m, '0001 D7 '));
  assert.equal(
    (await verify(org)).findings.some(({ what }) => what === 'D7 did not refuse 0001 to anybody'),
    true,
  );
  org.git('update-ref', 'refs/heads/orgrepo/queue', queue);
  org.write('policies/a.cedar', everything);
  org.commit('December');
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  assert.deepEqual(await needsYou(org), []);
});

test('where all that is left waits for a yes the night ends with exit 3 and says for which', async () => {
  const org = orgUnder(board, {});
  const night = await runNight(org);
  assert.equal(night.code, 3, night.stderr);
  assert.equal(lastWords(night), 'what is left needs a person: A1 waits for a yes (orgrepo approve A1)');
  assert.deepEqual(
    (await needsYou(org)).map(({ command }) => command),
    ['orgrepo approve A1 (or deny A1 --reason …)'],
  );
  assert.match(reportOf(org), /A1: junior-1 wants to claim 0001/);
  await org.orgrepo('deny', 'A1', '--reason', 'not this month');
  const denied = await runNight(org);
  assert.deepEqual([denied.code, (await needsYou(org)).length], [3, 1], denied.stderr);
  assert.match(lastWords(denied), /0001 kept from everybody \(D\d: it needs the approval of board/);
  await holds(org);
});

test('what waits for a yes does not keep the others from their work: the chief writes more, and the night goes on', async () => {
  const peoples = board.replace('"claim", resource)', '"claim", resource) when { resource.by == "people" }');
  const org = orgUnder(peoples, { chief: '{ agent: search }' });
  const night = await runNight(org, '--max', '2');
  assert.equal(night.code, 0, night.stderr);
  assert.deepEqual(
    night.experiments.map(({ spec }) => spec !== '0001'),
    [true, true],
  );
  assert.deepEqual(
    (await needsYou(org)).map(({ command }) => command),
    ['orgrepo approve A1 (or deny A1 --reason …)'],
  );
  await holds(org);
});

test('a claim that was left and that nobody may go on with waits, and the night does not wait with it', async () => {
  const org = orgUnder(everything, {});
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const before = org.git('rev-parse', 'orgrepo/work/0001');
  org.write('policies/a.cedar', none());
  org.commit('November');
  const night = await runNight(org);
  assert.equal(night.code, 3, night.stderr);
  assert.equal(org.git('rev-parse', 'orgrepo/work/0001'), before, 'nobody took it over');
  assert.match(lastWords(night), /0001 kept from everybody/);
  assert.match(org.git('show', 'orgrepo/queue:branches.md'), /0001 .*waits for a person/);
  assert.match((await needsYou(org))[0]?.what ?? '', /^0001 /);
  await holds(org);
});

test('what is kept from one is done by another, however late that one asks', async () => {
  const org = orgUnder(none('principal == Agent::"junior-1"'), { juniors: '2' });
  const night = await runNight(org);
  assert.equal(night.code, 0, night.stderr);
  assert.equal(lastWords(night), 'nobody has an idea left');
  assert.deepEqual([...new Set(night.experiments.map(({ agent }) => agent))], ['junior-2']);
});

test('a chief that could write more is not waited for while the queue is full of what nobody may do', async () => {
  const spec = '---\\ntitle: an idea\\n---\\nTry it.\\n';
  const chief = `mkdir -p specs; printf '${spec}' > specs/a.md; echo done`;
  const org = orgUnder(
    none(),
    {
      chief: '{ agent: { command: "sh harness/chief.sh" } }',
      budget: '{ experiment: 10s, agent: 10s, night: 2m, attempts: 5, patience: 1000 }',
    },
    { 'harness/chief.sh': chief },
  );
  const night = await runNight(org);
  assert.deepEqual([night.code, lastWords(night).slice(0, 27)], [3, 'what is left needs a person'], night.stderr);
});

test('under a chart it is the same: nobody takes it, which is told once, and who was kept from a claim that was left works on', async () => {
  const org = chartedOrg({
    specs: { '0001': 'title: speed the backend up\nby: people' },
    structure: '### Lead\n- **Level:** 7\n\n#### Backend Worker\n- **Domain:** backend\n- **Level:** 3\n',
  });
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const only = none().replace('"claim", resource', '"claim", resource == Spec::"0001"');
  org.write('policies/a.cedar', only);
  org.write('specs/0009-other.md', '---\ntitle: bring the numbers down\nby: people\n---\nx\n');
  org.commit('not this one');
  const night = await runNight(org, '--max', '2');
  assert.equal(night.code, 0, night.stderr);
  assert.deepEqual(
    night.experiments.map(({ agent, spec }) => agent === 'backend-worker' && spec !== '0001'),
    [true, true],
  );
  assert.equal(
    (await needsYou(org)).filter(({ what }) => what.startsWith('0001 ')).length,
    1,
    'however the night ends',
  );
  org.write('policies/a.cedar', none());
  org.commit('November');
  const ended = await runNight(org);
  assert.equal(ended.code, 3, ended.stderr);
  assert.equal(reportOf(org).match(/0001 "speed the backend up"/g)?.length, 1, reportOf(org));
  await holds(org);
});

test('who is paused is not waited for where policies keep everything from it too, be it one of them or all', async () => {
  for (const paused of [['junior-1'], ['junior-1', 'junior-2']]) {
    const org = orgUnder(none(), { juniors: '2' });
    for (const agent of paused) assert.equal((await org.orgrepo('pause', agent)).code, 0);
    const night = await runNight(org);
    assert.equal(night.code, 3, night.stderr);
    assert.match(lastWords(night), /^what is left needs a person: 0001 kept from everybody \(D\d: /);
    assert.equal((await needsYou(org)).filter(({ what }) => /^0001 .* is kept from everybody/.test(what)).length, 1);
    await holds(org);
  }
});

test('under a chart nothing is said to wait for somebody who is paused and may not do it', async () => {
  const org = chartedOrg({
    specs: { '0001': 'title: speed the backend up\nby: people' },
    files: { 'policies/a.cedar': none() },
    keys: { chief: '{ agent: human }' },
  });
  assert.equal((await org.orgrepo('pause', 'backend-worker')).code, 0);
  const night = await runNight(org);
  assert.equal(night.code, 3, night.stderr);
  assert.doesNotMatch(night.stdout, /waits for backend-worker/);
  assert.equal(
    (await needsYou(org)).filter(({ what }) => /^0001 .* is kept from everybody \(D\d\)/.test(what)).length,
    1,
    JSON.stringify(await needsYou(org)),
  );
  await holds(org);
});

test('a yes that somebody who is paused has is kept for it, and the night waits for that one alone', async () => {
  const org = orgUnder(none('principal == Agent::"junior-1"').replace('@id', '@approval("board") @id'), {});
  assert.equal((await runNight(org)).code, 3);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  assert.equal((await org.orgrepo('pause', 'junior-1')).code, 0);
  const run = startNight(org, 'run', '--json', '--max', '1');
  await until('it waits', () => run.said().includes('Nothing is begun until somebody says'));
  assert.equal((await org.orgrepo('resume', 'junior-1')).code, 0);
  const { code } = await run.ended;
  assert.equal(code, 0, run.said());
  assert.match(run.said(), /"agent":"junior-1"/);
  await holds(org);
});
