import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Charter } from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import { exitCodeOf } from '../../src/text/problem.ts';
import { anOrg } from '../support/builders.ts';
import { refusal } from '../support/refusal.ts';

/** A limit that somebody wrote is in force, or they are told that it is not: nothing of it is passed over. */

const structure = '# Acme\n\n## Structure\n\n### Lead Agent\n';
const read = (orgMd: string) => readCharter({ orgMd }, { resolve: false });
const policies = (text: string) => read(`${structure}\n## Policies\n\n${text}\n`);

type Reading = ReturnType<typeof read>;
const refused = ({ refused }: Reading): readonly string[] => refused.map(({ message }) => message);
const warned = ({ warnings }: Reading): readonly string[] => warnings.map(({ message }) => message);

test('amounts are understood in the ways that people write them', () => {
  const amounts: readonly (readonly [string, number, string, string])[] = [
    ['1000 credits per 7 days', 1000, 'credits', 'week'],
    ['1,000 credits every 7 days', 1000, 'credits', 'week'],
    ['$5/week', 5, 'usd', 'week'],
    ['$5 a week', 5, 'usd', 'week'],
    ['$5 weekly', 5, 'usd', 'week'],
    ['US$5 per wk', 5, 'usd', 'week'],
    ['USD 5 a day', 5, 'usd', 'day'],
    ['5 USD/day', 5, 'usd', 'day'],
    ['5$ per 24 hours', 5, 'usd', 'day'],
    ['5 dollars each day', 5, 'usd', 'day'],
    ['up to $5 daily', 5, 'usd', 'day'],
    ['max. $1.50 per agent per day', 1.5, 'usd', 'day'],
    ['$20 / month each', 20, 'usd', 'month'],
    ['200k tokens in 30 days', 200_000, 'tokens', 'month'],
    ['900 credits/day (it runs all night long)', 900, 'credits', 'day'],
  ];
  for (const [text, amount, unit, period] of amounts) {
    const reading = policies(`### Budget\n- **Per-agent limit:** ${text}`);
    const { budget } = reading.charter.policies;
    assert.deepEqual([budget.perAgent?.value, budget.period.value], [{ amount, unit }, period], text);
    assert.deepEqual(refused(reading), [], text);
  }
  for (const text of ['$5/year', '$5 per attempt', '5 per 10 days', '$5 tokens', '€5/week', '$5 a week (soft)', '500 credits/task'])
    assert.match(refusal(() => policies(`### Budget\n- **Total limit:** ${text}`), text).message, /^ORG\.md:10:20: Total limit is /, text); // biome-ignore format: a line each
});

test('periods, shares and hours are understood as people write them', () => {
  const { charter } = policies(
    '### Budget\n- **Period:** 7 days\n- **Alert threshold:** at 85 percent\n- **Tools:** $50 a month\n\n### Working Hours\n- **Active hours:** 9am-5pm Europe/Vienna',
  );
  const { budget, hours } = charter.policies;
  assert.deepEqual([budget.period.value, budget.alertAt.value, budget.tools?.value], ['week', 0.85, 50]);
  assert.deepEqual([hours?.from, hours?.to, hours?.zone], [540, 1020, 'Europe/Vienna']);
});

test('lines that mean one thing are understood right below Policies too', () => {
  const reading = policies(
    '- **Per-agent limit:** $50\n- **Working hours:** 00:00-23:59\n- **L9+ can spawn agents**\n- No department can exceed 4 agents without human approval',
  );
  const { budget, hours, permissions, anyDepartment } = reading.charter.policies;
  assert.deepEqual(budget.perAgent?.value, { amount: 50, unit: 'usd' });
  assert.deepEqual([hours?.to, permissions.spawn.value, anyDepartment?.value], [1439, 9, 4]);
  assert.deepEqual([refused(reading), warned(reading)], [[], []]);
});

test('a line of permissions may name several acts', () => {
  const { charter, ...reading } = policies(
    '### Permissions\n- L8+ can create tasks and spawn agents\n- L5+ can review and approve work\n- Nobody can delegate or dance',
  );
  const { create, spawn, review, delegate } = charter.policies.permissions;
  assert.deepEqual([create.value, spawn.value, review.value, delegate.value], [8, 8, 5, 11]);
  assert.deepEqual(
    reading.warnings.map(({ message }) => message),
    ['ORG.md:12:3: no permission is read out of dance, which stands beside others: agents only read it'],
  );
});

/** What somebody wrote in bold, where, and whether the line that they are told to write instead is in force. */
const ignored: readonly (readonly [string, string, string, (charter: Charter) => boolean])[] = [
  ['a budget right below Policies', '## Policies\n- **Budget:** $5/week', '"Budget: $5/week" looks like a budget', isFiveAWeek],
  ['a budget of another name', '## Policies\n### Budget\n- **Weekly cap:** $5/week', '"Weekly cap: $5/week" looks like a budget', isFiveAWeek],
  ['an amount alone', '## Policies\n### Budget\n- **$5/week**', '$5/week looks like a budget', isFiveAWeek],
  ['a budget among the costs', '## Policies\n### Costs\n- **Spending:** $5/week', '"Spending: $5/week" looks like a budget', isFiveAWeek],
  ['a budget of the whole org', '## Identity\n- **Budget:** $5/week', '"Budget: $5/week" looks like a budget', isFiveAWeek],
  ['who may merge', '## Policies\n- **Merge:** L8+', '"Merge: L8+" looks like a permission', ({ policies }) => policies.permissions.review.value === 8],
  ['who may spawn', '## Culture\n- **Spawning:** level 8 and above', '"Spawning: level 8 and above" looks like a permission', ({ policies }) => policies.permissions.spawn.value === 8],
  ['the hours of a role', '## Structure\n### Night Owl\n- **Working hours:** 00:00-23:59', '"Working hours: 00:00-23:59" looks like working hours', ({ policies }) => policies.hours?.to === 1439],
  ['the hours of a culture', '## Culture\n- **Office hours:** 09:00-17:00', '"Office hours: 09:00-17:00" looks like working hours', ({ policies }) => policies.hours?.to === 1020],
  ['the cost of a role', '## Structure\n### Night Owl\n- **Monthly cost:** $5/week', '"Monthly cost: $5/week" looks like a budget', ({ members }) => members.some(({ limit }) => limit?.amount === 5)],
  ['a cap of the culture', '## Culture\n- **Max agents:** 5', '"Max agents: 5" looks like a cap', ({ departments }) => departments[0]?.cap?.value === 5],
]; // biome-ignore format: a row each

function isFiveAWeek({ policies: { budget } }: Charter): boolean {
  return budget.total?.value.amount === 5 && budget.period.value === 'week';
}

for (const [what, text, message, isInForce] of ignored)
  test(`${what} is refused with the line to write`, () => {
    const [problem, ...more] = read(`# Acme\n\n${text}\n`).refused;
    assert.ok(problem !== undefined && more.length === 0, what);
    assert.equal(exitCodeOf(problem), 6);
    const line = 3 + text.slice(0, text.indexOf('- **')).split('\n').length - 1;
    assert.equal(problem.message, `ORG.md:${line}:3: ${message}, and orgrepo would not keep to it here`);
    const instead = read(fileAsTold(problem.hint));
    assert.deepEqual(refused(instead), []);
    assert.ok(isInForce(instead.charter), problem.hint);
  });

/** A file that holds what a hint says, where the hint says it. */
function fileAsTold(hint: string): string {
  const heading = /write (### [A-Za-z ]+),/.exec(hint)?.[1];
  const line = /(- (?:\*\*|Engineering).*?)(?:\. |\.$|$)/.exec(hint)?.[1] ?? '';
  const role = `# Acme\n\n## Structure\n\n### Engineering\n\n#### Worker\n`;
  if (heading !== undefined) return `${role}\n## Policies\n\n${heading}\n${line}\n`;
  return line.includes('**Limit') ? `${role}${line}\n` : `${role}\n## Policies\n\n### Budget\n${line}\n`;
}

test('a limit of more than one meaning is refused where it stands', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['## Policies\n\n### Permissions\n- **Analysts:** read-only access', 'no permission is read out of "Analysts: read-only access": agents only read it'],
    ['## Policies\n\n### Department Caps\n- **Engineering:** ten', 'no cap is read out of "Engineering: ten": agents only read it'],
    ['## Policies\n\n### Working Hours\n- **Weekends:** off', '"Weekends: off" looks like working hours, and orgrepo would not keep to it here'],
    ['## Policies\n\n### Working Hours\n- **Active hours:** 08:00-22:00 weekdays', 'Active hours is "08:00-22:00 weekdays", expected the same hours for every day, such as 08:00-22:00 (Europe/Vienna)'],
    ['## Budget\n- **Total limit:** $5', '## Budget holds limits, and orgrepo reads them below ## Policies only'],
    ['## Permissions\n- **L7+ can spawn agents**', '## Permissions holds limits, and orgrepo reads them below ## Policies only'],
    ['## Structure\n\n### Ops\n- **Budget:** $50\n\n#### Worker', 'Ops is a department, and a department has no budget of its own'],
    ['## Structure\n\n### Worker\n- **Limit:** $5/day', "this limit is for a day, and the budget's period is a week (default)"],
    ['## Policies\n- **Per-agent limit:** lots', 'Per-agent limit is lots, expected an amount such as 1000 credits/period'],
    ['## Policies\n- **Per-agent limit:** $5\n\n### Budget\n- **Total limit:** $9', '"Per-agent limit" stands right below ## Policies, and others like it below a heading of their own'],
  ]; // biome-ignore format: a row each
  for (const [text, message] of cases)
    assert.equal(refused(read(`# Acme\n\n${text}\n`))[0]?.replace(/^ORG\.md:[0-9]+:[0-9]+: /, ''), message, text);
});

test('an unknown bold key is one warning for all its lines', () => {
  const role = (name: string): string => `### ${name}\n- **Pet:** dog\n- **Avatar Color:** #fff\n- **Vision:** far\n`;
  const reading = read(`# Acme\n\n## Structure\n\n${role('Ann')}\n${role('Bea')}\n${role('Cid')}`);
  assert.deepEqual(warned(reading), [
    'ORG.md:6:3: Pet is not a known key: agents read it, and nothing else happens (and 2 more lines like it)',
  ]);
  assert.match(reading.charter.members[0]?.context ?? '', /\*\*Avatar Color:\*\* #fff\n- \*\*Vision:\*\* far/);
});

test('facts, prose and plain lines are no limits', () => {
  const reading = read(
    `# Acme\n\n## Identity\n- **Funding:** $5M\n- **Opening hours:** 9am to 5pm\n- **Size:** max 10 people\n\n${structure.slice(8)}Says what it costs: $5.\n\n## SDLC\n### Deploy\n- **Document:** all of it\n\n## Playbooks\n### Cost\n1. **Cost:** stay under $5\n\n## Glossary\n- **Budget:** $5 is not much\n`,
  );
  assert.deepEqual([refused(reading), warned(reading)], [[], []]);
});

test('a limit without bold letters is a warning', () => {
  const reading = policies('- Budget: $5/week\n- All changes need a review');
  assert.deepEqual(refused(reading), []);
  assert.deepEqual(warned(reading), [
    'ORG.md:9:3: "Budget: $5/week" looks like a budget, and orgrepo would not keep to it here',
    'ORG.md:10:3: "All changes need a review" is not enforced: agents only read it',
  ]);
});

test('plan, doctor, run and apply refuse a limit that would be ignored', async () => {
  const org = anOrg({
    files: { 'ORG.md': `${structure}- **Merge:** L6+\n- **Pet:** dog\n\n## Policies\n\n- **Budget:** $5/week\n` },
  });
  for (const verb of [['plan'], ['run', '--max', '1'], ['apply', '--yes'], ['doctor']]) {
    const ran = await org.orgrepo(...verb);
    assert.equal(ran.code, 6, verb[0]);
    const said = ran.stdout + ran.stderr;
    assert.match(said, /ORG\.md:6:3: "Merge: L6\+" looks like a permission/, verb[0]);
    assert.match(said, /and ORG\.md:11:3: "Budget: \$5\/week" looks like a budget/, verb[0]);
  }
  assert.match((await org.orgrepo('status')).stdout, /ORG\.md:6:3: "Merge: L6\+" looks like a permission/);
  assert.equal((await org.orgrepo('verify')).code, 0, 'what there is can be read');
  org.write('ORG.md', `${structure}- **Pet:** dog\n\n## Policies\n\n### Budget\n- **Total limit:** $5/week\n`);
  org.commit('a budget');
  const planned = await org.orgrepo('plan', '--settings');
  assert.equal(planned.code, 0, planned.stderr);
  assert.match(planned.stdout, /Pet is not a known key/);
  assert.match(planned.stdout, /policies\.budget\.total +5 usd +ORG\.md:11/);
  const doctor = await org.orgrepo('doctor');
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.match(doctor.stdout, /warn.*Pet is not a known key/);
});
