import assert from 'node:assert/strict';
import { test } from 'node:test';
import { may, type PermittedAct } from '../../src/domain/staff/chart.ts';
import { newcomer } from '../../src/domain/staff/trust.ts';
import { routeSpec } from '../../src/org/rules/route.ts';
import {
  type Acme,
  acmeOrg,
  asChecker,
  asChief,
  type Conversation,
  call,
  edit,
  finish,
  specFile,
  told,
} from '../support/acme.ts';
import { aCharter } from '../support/builders.ts';
import { claimOf, onQueue } from '../support/chart.ts';
import { runNight, trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import { unhurried } from '../support/pace.ts';
import { acme } from './org-examples.ts';

/** Every policy of the Acme file: an act that it refuses, and one that it allows. */

function orgOf(what: Acme): TestOrg {
  const org = acmeOrg(what);
  return org;
}

const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

const charter = aCharter(acme);
const memberOf = (id: string) => charter.members.find((one) => one.id === id) ?? assert.fail(id);
const permit = (id: string, act: PermittedAct): string => {
  const said = may(memberOf(id), act, charter);
  return said.kind === 'allowed' ? 'allowed' : said.reason;
};

/** Leads who break work down, and a checker who approves. */
const leads: readonly Conversation[] = [
  { when: [asChecker], turns: [call('review', { decision: 'approve', summary: 'reads well', findings: [] })] },
  { when: [told.engineeringLead, asChief], turns: [specFile('the second number of the backend'), finish()] },
];

test('a day at Acme: work goes by its words, and what nobody knows to the COO; leads write specs, seniors review, all escalate', async () => {
  const org = orgOf({
    sonnet: leads,
    haiku: [
      { when: [told.qa], turns: [finish({ escalate: { reason: 'BLOCKED', words: 'no data' } })] },
      { when: ['try 1 of', 'the backend of the third number'], turns: [edit('third -4', 'third 3'), finish()] },
    ],
    specs: {
      '0001': 'title: the frontend menu is slow\nby: people',
      '0002': 'title: testing the parser\nby: people',
      '0003': 'title: bring it down\nby: people',
      '0004': 'title: the backend of the third number\nby: people\nrisk: high',
    },
  });
  const night = await unhurried(() => runNight(org, '--max', '8'));
  assert.equal(night.code, 0, night.stderr + night.stdout.slice(-3000));
  const [menu, parser, nobodys, risky] = ['0001', '0002', '0003', '0004'].map((id) => claimOf(org, id));
  // Domain keywords, and the expertise of whoever has the domain: nobody of another one gets it.
  assert.match(menu?.Agent ?? '', /^frontend-worker-[123]$/);
  assert.match(menu?.Reason ?? '', /^domain frontend is in its title; /);
  assert.deepEqual([parser?.Agent, parser?.Reason?.split(';')[0]], ['qa-worker', 'domain testing is in its title']);
  assert.match(risky?.Agent ?? '', /^backend-senior-[12]$/);
  // No match is for the COO, who delegates it; what has one is delegated by nobody.
  const delegated = onQueue(org, 'delegate');
  assert.match(
    delegated.join('\n'),
    /^(coo|orgrepo)\|delegate: 0003 to \S+\|no domain of the chart is in its words: coo is at the top/m,
  );
  assert.equal(
    delegated.some((line) => /delegate: 000[124] /.test(line)),
    false,
    delegated.join('\n'),
  );
  assert.match(nobodys?.Reason ?? '', /^delegated by /);
  // L7+ creates: the lead's spec is on the queue. L6+ reviews: nobody below has looked at the keep.
  assert.match(onQueue(org, 'spec').join('\n'), /^engineering-lead\|/m);
  const [reviewer = ''] = org.git('log', '--grep=^review: ', '--format=%an', 'orgrepo/work/0004').split('\n');
  assert.notEqual(reviewer, '', night.stdout);
  assert.equal(memberOf(reviewer).level >= 6, true, reviewer);
  // All escalate, to the direct manager.
  const [, stuck = ''] =
    /^qa-worker\|escalate: (E\d+) BLOCKED, qa-worker with 0002\|BLOCKED$/m.exec(onQueue(org, 'escalate').join('\n')) ??
    [];
  assert.deepEqual(trailers(org, 'To', `--grep=^escalate: ${stuck} `, 'orgrepo/queue'), ['engineering-lead, coo']);
  const plan = JSON.parse((await org.orgrepo('plan', '--json')).stdout) as {
    org: { agents: { id: string; level: number; duties: string[] }[] };
  };
  for (const { id, level, duties } of plan.org.agents) {
    assert.equal(duties.includes('chief'), level >= 7, `${id} writes specs`);
    assert.equal(duties.includes('checker'), level >= 6, `${id} reviews`);
  }
  await holds(org);
});

test('of those who have the domain the idle one gets it, and of two who are idle the more trusted what is hard', () => {
  const to = (priority: 'low' | 'high', ...open: [number, number]) => {
    const both = ['backend-senior-1', 'backend-senior-2'].map((id, at) => ({
      ...{ member: memberOf(id), open: open[at] ?? 0 },
      trust: { ...newcomer(id), score: 60 + at * 20, rank: 'trusted' as const },
    }));
    const routed = routeSpec(
      { title: 'the backend', body: '', domain: undefined, priority, risk: 'low' },
      both,
      charter,
    );
    return routed.kind === 'work' ? routed.to : routed.kind;
  };
  assert.deepEqual([to('high', 0, 0), to('low', 0, 0)], ['backend-senior-2', 'backend-senior-1'], 'by trust');
  assert.deepEqual(
    [to('high', 0, 1), to('low', 1, 0)],
    ['backend-senior-1', 'backend-senior-2'],
    'idle before trusted',
  );
});

test('below the level that the file names an act is refused, with the line; from it on it is allowed', () => {
  const spawn: PermittedAct = { act: 'spawn', department: 'engineering', level: 4 };
  const rows: [string, PermittedAct, RegExp][] = [
    ['engineering-lead', { act: 'create' }, /^allowed$/],
    ['backend-senior-1', { act: 'create' }, /is of level 6, and L7\+ can create specs \(ORG\.md:\d+\)/],
    ['engineering-lead', spawn, /^allowed$/],
    ['backend-senior-1', spawn, /is of level 6, and L7\+ can spawn agents \(ORG\.md:\d+\)/],
    ['backend-senior-1', { act: 'review', maker: 'qa-worker' }, /^allowed$/],
    ['qa-worker', { act: 'review', maker: 'backend-senior-1' }, /is of level 4, and L6\+ can review \(ORG\.md:\d+\)/],
    ['qa-worker', { act: 'escalate' }, /^allowed$/],
  ];
  for (const [id, act, expected] of rows) assert.match(permit(id, act), expected, `${id} ${act.act}`);
});

test('where not all may escalate a worker is refused, and nobody above hears of it', async () => {
  const org = orgOf({
    change: (text) => text.replace('**All agents can escalate**', '**L6+ can escalate**'),
    haiku: [{ when: [told.qa], turns: [finish({ escalate: { reason: 'BLOCKED', words: 'no data' } })] }],
    specs: { '0001': 'title: testing the parser\nby: people' },
  });
  const night = await runNight(org, '--max', '1');
  assert.match(night.stdout, /qa-worker is of level 4, and L6\+ can escalate \(ORG\.md:\d+\)/);
  assert.deepEqual(
    onQueue(org, 'escalate').filter((line) => line.startsWith('qa-worker|')),
    [],
  );
  await holds(org);
});

const spawned = (org: TestOrg): string[] => onQueue(org, 'spawn').map((line) => line.split('|')[1] ?? '');
const hires = (count: number, role: string): object[] => Array.from({ length: count }, () => call('spawn', { role }));

test('leads grow their departments up to the caps, and not by one more', async () => {
  const lead = (who: string, count: number, role: string): Conversation => ({
    when: [who, asChief],
    turns: [...hires(count, role), specFile(`a first for the ${role}`), finish()],
  });
  const org = orgOf({
    sonnet: [
      lead(told.engineeringLead, 4, 'Data Worker'),
      lead(told.security, 3, 'Audit Worker'),
      lead(told.marketing, 4, 'Film Worker'),
    ],
  });
  const night = await runNight(org, '--max', '3');
  const by = (lead: string): number => spawned(org).filter((line) => line.endsWith(` by ${lead}`)).length;
  assert.deepEqual([by('engineering-lead'), by('security-lead'), by('marketing-lead')], [3, 2, 3], night.stdout);
  const refused = onQueue(org, 'refuse').join('\n');
  for (const words of [
    'Engineering has 10 agents, and at most 10',
    'Security has 4 agents, and at most 4',
    'Marketing has 6 agents, and at most 6',
  ])
    assert.match(refused, new RegExp(`may not spawn .*${words} \\(ORG\\.md:\\d+\\)`));
  await holds(org);
});

test('no department has more than fifteen without a person’s yes, and with it has one more', async () => {
  const org = orgOf({
    change: (text) =>
      text.replace('Engineering: max 10', 'Engineering: max 20').replace('- **Count:** 3', '- **Count:** 11'),
    sonnet: [
      { when: [told.engineeringLead, asChief], turns: [...hires(1, 'Data Worker'), specFile('a first'), finish()] },
    ],
  });
  const night = await runNight(org, '--max', '1');
  assert.deepEqual(spawned(org), [], night.stdout);
  assert.match(
    (await org.orgrepo('approve')).stdout,
    /^A1 {2}engineering-lead wants to spawn data-worker into engineering: Engineering has 15 agents, and a person decides on more than 15 \(ORG\.md:\d+\)/,
  );
  assert.equal((await org.orgrepo('approve', 'A1', '--note', 'one more')).code, 0);
  for (let run = 0; run < 3 && spawned(org).length === 0; run++) await runNight(org, '--max', '2');
  assert.deepEqual(spawned(org), ['spawn: data-worker by engineering-lead']);
  await holds(org);
});

test('at night tasks are queued and not worked, except for critical ones', async () => {
  const org = orgOf({
    hour: 3,
    haiku: [{ when: ['try 1 of'], turns: [edit('first 9', 'first 3'), finish()] }],
    specs: {
      '0001': 'title: the backend is slow\nby: people\npriority: high',
      '0002': 'title: the backend is down\nby: people\npriority: critical',
    },
  });
  const night = await runNight(org, '--max', '1');
  assert.deepEqual(
    night.experiments.map(({ spec }) => spec),
    ['0002'],
  );
  assert.match(
    onQueue(org, 'closed').join('\n'),
    /^orgrepo\|closed: nothing is begun until 08:00\|outside of the working hours 08:00-22:00/,
  );
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo/work/0001'), '', 'it is on the queue, and nobody has it');
  assert.match(org.git('ls-tree', '--name-only', 'orgrepo/queue', 'specs/'), /0001/);
  await holds(org);
});

test('within its thousand credits a week an agent works; at them it is paused, alerted of and escalated, and a yes is as much again', async () => {
  const org = orgOf({
    // Four calls for an attempt, which come to more than the dollars that a thousand credits are, and to less than two thousand.
    haiku: [{ turns: Array.from({ length: 4 }, () => call('read', { path: 'sandbox/nothing' })) }],
    specs: { '0001': 'title: infrastructure security\nby: people' },
    keys: {
      junior: '{ model: "scripted:models/haiku.json" }', // The brief prices what its own agents ask.
      prices: '{ models/haiku.json: { in: 2200, out: 2200 } }',
      budget: '{ experiment: 30s, agent: 30s, night: 1h, attempts: 4, patience: 1000 }',
    },
  });
  const night = await runNight(org, '--max', '2');
  const own = night.experiments.filter(({ agent }) => agent === 'security-worker');
  assert.equal(own.length > 0, true, night.stdout);
  assert.doesNotMatch(own[0]?.reason ?? '', /credits/, 'the first attempt was allowed');
  const why = /security-worker has used .* of 1000 credits in the week of .*approve A1/;
  assert.match(org.git('log', '--grep=^escalate: E. OVER_BUDGET', '--format=%b', 'orgrepo/queue'), why);
  assert.equal(own.length, 1, 'to be refused is no attempt');
  assert.match(onQueue(org, 'alert').join('\n'), /security-worker has used .* of 1000 credits/);
  assert.match(onQueue(org, 'escalate').join('\n'), /^security-worker\|escalate: E\d+ OVER_BUDGET, security-worker/m);
  assert.match(
    (await org.orgrepo('approve')).stdout,
    /^A1 {2}security-worker may have another 1000 credits in the week of /,
  );
  assert.equal((await org.orgrepo('approve', 'A1', '--note', 'worth it')).code, 0);
  assert.equal((await org.orgrepo('submit', 'infrastructure security, once more')).code, 0);
  const again = await runNight(org, '--max', '3');
  const [next] = again.experiments.filter(({ agent }) => agent === 'security-worker');
  assert.notEqual(next, undefined, again.stdout);
  assert.doesNotMatch(next?.reason ?? '', /credits/);
  await holds(org);
});
